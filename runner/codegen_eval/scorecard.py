"""The scorecard: which layer caught which class of failure, what it flagged falsely, what a caught bug cost. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from decimal import Decimal

from codegen_eval.adjudicated import AdjudicatedScore, score_adjudications
from codegen_eval.adjudication import Adjudications
from codegen_eval.answers import (
    NO_ANSWER,
    AnswerScore,
    is_caught,
    is_flagged,
    model_names,
    score_answers,
    strategy_names,
    strategy_of,
)
from codegen_eval.claims import ReviewScore, score_reviews
from codegen_eval.interfaces import EndReason
from codegen_eval.results import Results, ScoredSolution
from codegen_eval.revision import RevisionScore, score_revisions
from codegen_eval.solution import Outcome
from codegen_eval.verdict import SEEDED_CLASSES, FailureClass, LayerResult, Verdict


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
class Flags:
    """Solutions that a layer fails."""

    model: str | None
    """None: of all models."""
    solutions: int
    classes: tuple[tuple[FailureClass, int], ...]
    """By the classes that findings name; one solution may count for several."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LayerScore:
    """What one layer said of all solutions."""

    layer: str
    verdicts: tuple[int, int, int, int]
    """Solutions with PASS, FAIL, SKIP, ERROR. An ERROR is no catch and no pass, and stays in every denominator.

    Answers without a whole source are in none of the four.
    """
    catch: tuple[Catch, ...]
    by_strategy: tuple[StrategyCatch, ...]
    flagged: int
    """Clean solutions with FAIL: false flags."""
    flagged_ids: tuple[str, ...]
    fragile: int
    """Solutions with FAIL whose findings say nothing but `fragile-pass`."""
    classes: tuple[tuple[FailureClass, int], ...]
    """Solutions with FAIL by the classes that findings name; one solution may count for several."""
    by_model: tuple[Flags, ...]
    """Flags of each model's solutions."""
    ends: tuple[tuple[EndReason, int], ...]
    """Solutions by how a worker ended that owed an answer: a limit, a signal, its own exit, a lost sandbox."""

    @property
    def flags(self) -> Flags:
        """All flags."""
        return Flags(model=None, solutions=self.verdicts[1], classes=self.classes)

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
    """What one strategy produced and cost, with all models."""

    strategy: str
    verdicts: tuple[int, int, int]
    """Solutions whose overall verdict is PASS, FAIL, ERROR. Answers without usable code are in none of the three."""
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
    models: tuple[str, ...]
    answers: tuple[AnswerScore, ...]
    revisions: tuple[RevisionScore, ...]
    """Empty where no strategy revised an answer."""
    reviews: tuple[ReviewScore, ...]
    """Of layers that ask a model; empty where none did."""
    adjudicated: AdjudicatedScore | None
    """None where no person has judged a solution."""

    @property
    def seeded(self) -> int:
        """All seeded solutions."""
        return self.solutions - self.clean if self.has_truth else 0


def score(results: Results, adjudications: Adjudications | None = None) -> Scorecard:
    """Count. The order of the solutions makes no difference."""
    clean = [s for s in results.solutions if s.solution.id not in results.truth] if results.has_truth else []
    names = strategy_names(results)
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
        models=model_names(results),
        answers=score_answers(results),
        revisions=score_revisions(results),
        reviews=score_reviews(results),
        adjudicated=None if adjudications is None else score_adjudications(results, adjudications),
    )


def _score_layer(results: Results, layer: str, names: Sequence[str], clean: Iterable[ScoredSolution]) -> LayerScore:
    judged = [s for s in results.solutions if s.solution.outcome not in NO_ANSWER]
    said = [s.result(layer) for s in judged]
    counts = Counter(result.verdict for result in said)
    flagged = tuple(sorted(s.solution.id for s in clean if is_flagged(s, layer)))
    by_strategy = tuple(
        StrategyCatch(
            strategy=name, catch=_catch(results, layer, [s for s in results.solutions if strategy_of(s) == name])
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
        by_model=tuple(
            _flags(model, [s.result(layer) for s in judged if s.solution.model == model])
            for model in model_names(results)
        ),
        ends=_ends(said),
    )


def _catch(results: Results, layer: str, solutions: Iterable[ScoredSolution]) -> tuple[Catch, ...]:
    seeded, caught, right = Counter[FailureClass](), Counter[FailureClass](), Counter[FailureClass]()
    for scored in solutions:
        truth = results.truth.get(scored.solution.id)
        if truth is None:
            continue
        result = scored.result(layer)
        fails = is_flagged(scored, layer)
        seeded[truth.failure_class] += 1
        caught[truth.failure_class] += fails
        right[truth.failure_class] += fails and result.names(truth.failure_class)
    return tuple(Catch(failure_class=c, caught=caught[c], right=right[c], seeded=seeded[c]) for c in SEEDED_CLASSES)


def _is_fragile(result: LayerResult) -> bool:
    named = {finding.failure_class for finding in result.findings}
    return result.verdict is Verdict.FAIL and named == {FailureClass.FRAGILE_PASS}


def _flags(model: str, said: Sequence[LayerResult]) -> Flags:
    failed = sum(result.verdict is Verdict.FAIL for result in said)
    return Flags(model=model, solutions=failed, classes=_classes(said))


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
    own = [s for s in results.solutions if strategy_of(s) == name]
    counts = Counter(s.verdict for s in own if s.solution.outcome is Outcome.OK)
    seeded = Counter(results.truth[s.solution.id].failure_class for s in own if s.solution.id in results.truth)
    calls = [call for s in own for call in s.solution.calls]
    prices = [call.usd for call in calls if call.usd is not None]
    return StrategyScore(
        strategy=name,
        verdicts=(counts[Verdict.PASS], counts[Verdict.FAIL], counts[Verdict.ERROR]),
        seeded=tuple((c, seeded[c]) for c in SEEDED_CLASSES),
        calls=len(calls),
        usd=sum(prices, Decimal(0)) if len(prices) == len(calls) else None,
        caught=sum(1 for s in own if s.solution.id in results.truth and is_caught(s)),
    )


def _uncaught(results: Results) -> tuple[Bug, ...]:
    missed = [s.solution.id for s in results.solutions if s.solution.id in results.truth and not is_caught(s)]
    return tuple(
        Bug(solution=i, failure_class=results.truth[i].failure_class, summary=results.truth[i].summary)
        for i in sorted(missed)
    )
