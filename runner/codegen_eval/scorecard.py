"""The scorecard: which layer caught which class of failure, what it flagged falsely, what a caught bug cost. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from decimal import Decimal

from codegen_eval.interfaces import EndReason
from codegen_eval.results import Results, ScoredSolution
from codegen_eval.verdict import SEEDED_CLASSES, FailureClass, LayerResult, Verdict

NO_STRATEGY = "none"
"""The row of solutions that no strategy produced."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Catch:
    """Seeded solutions of one class, and what a layer made of them."""

    failure_class: FailureClass
    caught: int
    """The layer says FAIL, for whatever reason."""
    right: int
    """Of the caught: a finding names the class that was seeded."""
    seeded: int


@dataclass(frozen=True, slots=True, kw_only=True)
class StrategyCatch:
    """What one layer caught of one strategy's seeded solutions; one entry for each class."""

    strategy: str
    catch: tuple[Catch, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class LayerScore:
    """What one layer said of all solutions."""

    layer: str
    verdicts: tuple[int, int, int, int]
    """Solutions with PASS, FAIL, SKIP, ERROR. An ERROR is no catch and no pass, and stays in every denominator."""
    catch: tuple[Catch, ...]
    by_strategy: tuple[StrategyCatch, ...]
    flagged: int
    """Clean solutions with FAIL: false flags."""
    flagged_ids: tuple[str, ...]
    fragile: int
    """Solutions with FAIL whose findings say nothing but `fragile-pass`."""
    classes: tuple[tuple[FailureClass, int], ...]
    """Solutions with FAIL by the classes that findings name; one solution may count for several."""

    ends: tuple[tuple[EndReason, int], ...]
    """Solutions by how a worker ended that owed an answer: a limit, a signal, its own exit, a lost sandbox."""

    @property
    def errors(self) -> int:
        """Solutions with ERROR."""
        return self.verdicts[3]

    @property
    def skips(self) -> int:
        """Solutions with SKIP."""
        return self.verdicts[2]

    @property
    def skipped(self) -> bool:
        """True where it applied to no solution at all."""
        return self.skips > 0 and self.skips == sum(self.verdicts)


@dataclass(frozen=True, slots=True, kw_only=True)
class StrategyScore:
    """What one strategy produced and cost."""

    strategy: str
    verdicts: tuple[int, int, int]
    """Solutions whose overall verdict is PASS, FAIL, ERROR."""
    seeded: tuple[tuple[FailureClass, int], ...]
    calls: int
    usd: Decimal | None
    """None where the price of a call is unknown."""
    caught: int
    """Seeded solutions that at least one layer caught."""

    @property
    def usd_per_caught(self) -> Decimal | None:
        """What one caught bug cost; None where none was caught or a price is unknown."""
        return self.usd / self.caught if self.usd is not None and self.caught else None


@dataclass(frozen=True, slots=True, kw_only=True)
class Bug:
    """One seeded failure."""

    solution: str
    failure_class: FailureClass
    summary: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Scorecard:
    """Everything that a report shows. Without truth all counts of seeded and clean solutions are 0."""

    self_test: bool
    """The solutions are canned ones: says something about the harness, nothing about models."""
    has_truth: bool
    estimated: bool
    """Costs rest on estimated token counts."""
    solutions: int
    tasks: int
    clean: int
    layers: tuple[LayerScore, ...]
    strategies: tuple[StrategyScore, ...]
    uncaught: tuple[Bug, ...]
    """Seeded failures that no layer caught, by solution."""

    @property
    def seeded(self) -> int:
        """All seeded solutions."""
        return self.solutions - self.clean if self.has_truth else 0


def score(results: Results) -> Scorecard:
    """Count. The order of the solutions makes no difference."""
    clean = [s for s in results.solutions if s.solution.id not in results.truth] if results.has_truth else []
    names = _strategy_names(results)
    return Scorecard(
        self_test=results.corpus is not None,
        has_truth=results.has_truth,
        estimated=any(call.estimated for s in results.solutions for call in s.solution.calls),
        solutions=len(results.solutions),
        tasks=len(results.tasks),
        clean=len(clean),
        layers=tuple(_score_layer(results, layer, names, clean) for layer in results.layers),
        strategies=tuple(_score_strategy(results, name) for name in names),
        uncaught=_uncaught(results),
    )


def _strategy_names(results: Results) -> tuple[str, ...]:
    names = tuple(strategy.value for strategy in results.strategies)
    stray = any(s.solution.strategy is None for s in results.solutions)
    return (*names, NO_STRATEGY) if stray else names


def _strategy_of(scored: ScoredSolution) -> str:
    return scored.solution.strategy.value if scored.solution.strategy else NO_STRATEGY


def _score_layer(results: Results, layer: str, names: Sequence[str], clean: Iterable[ScoredSolution]) -> LayerScore:
    said = [s.result(layer) for s in results.solutions]
    counts = Counter(result.verdict for result in said)
    flagged = tuple(sorted(s.solution.id for s in clean if s.result(layer).verdict is Verdict.FAIL))
    by_strategy = tuple(
        StrategyCatch(
            strategy=name, catch=_catch(results, layer, [s for s in results.solutions if _strategy_of(s) == name])
        )
        for name in names
    )
    return LayerScore(
        layer=layer,
        verdicts=(counts[Verdict.PASS], counts[Verdict.FAIL], counts[Verdict.SKIP], counts[Verdict.ERROR]),
        catch=_catch(results, layer, results.solutions),
        by_strategy=by_strategy,
        flagged=len(flagged),
        flagged_ids=flagged,
        fragile=sum(map(_is_fragile, said)),
        classes=_classes(said),
        ends=_ends(said),
    )


def _catch(results: Results, layer: str, solutions: Iterable[ScoredSolution]) -> tuple[Catch, ...]:
    seeded, caught, right = Counter[FailureClass](), Counter[FailureClass](), Counter[FailureClass]()
    for scored in solutions:
        truth = results.truth.get(scored.solution.id)
        if truth is None:
            continue
        result = scored.result(layer)
        is_caught = result.verdict is Verdict.FAIL
        seeded[truth.failure_class] += 1
        caught[truth.failure_class] += is_caught
        right[truth.failure_class] += is_caught and result.names(truth.failure_class)
    return tuple(Catch(failure_class=c, caught=caught[c], right=right[c], seeded=seeded[c]) for c in SEEDED_CLASSES)


def _is_fragile(result: LayerResult) -> bool:
    named = {finding.failure_class for finding in result.findings}
    return result.verdict is Verdict.FAIL and named == {FailureClass.FRAGILE_PASS}


def _classes(said: Iterable[LayerResult]) -> tuple[tuple[FailureClass, int], ...]:
    counts = Counter(
        failure_class
        for result in said
        if result.verdict is Verdict.FAIL
        for failure_class in {finding.failure_class for finding in result.findings}
    )
    return tuple((c, counts[c]) for c in FailureClass if counts[c])


def _ends(said: Iterable[LayerResult]) -> tuple[tuple[EndReason, int], ...]:
    counts = Counter(reason for result in said for reason in result.ends)
    return tuple((reason, counts[reason]) for reason in EndReason if counts[reason])


def _score_strategy(results: Results, name: str) -> StrategyScore:
    own = [s for s in results.solutions if _strategy_of(s) == name]
    counts = Counter(s.verdict for s in own)
    seeded = Counter(results.truth[s.solution.id].failure_class for s in own if s.solution.id in results.truth)
    calls = [call for s in own for call in s.solution.calls]
    prices = [call.usd for call in calls if call.usd is not None]
    return StrategyScore(
        strategy=name,
        verdicts=(counts[Verdict.PASS], counts[Verdict.FAIL], counts[Verdict.ERROR]),
        seeded=tuple((c, seeded[c]) for c in SEEDED_CLASSES),
        calls=len(calls),
        usd=sum(prices, Decimal(0)) if len(prices) == len(calls) else None,
        caught=sum(1 for s in own if s.solution.id in results.truth and _is_caught(s)),
    )


def _is_caught(scored: ScoredSolution) -> bool:
    return any(result.verdict is Verdict.FAIL for result in scored.layers)


def _uncaught(results: Results) -> tuple[Bug, ...]:
    missed = [s.solution.id for s in results.solutions if s.solution.id in results.truth and not _is_caught(s)]
    return tuple(
        Bug(solution=i, failure_class=results.truth[i].failure_class, summary=results.truth[i].summary)
        for i in sorted(missed)
    )
