"""What each model answered under each strategy: how generation ended, what passed, what it cost. Pure."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from decimal import Decimal
from typing import TypeAlias

from codegen_eval.results import Results, ScoredSolution
from codegen_eval.solution import Call, Outcome
from codegen_eval.stats import clustered_wilson
from codegen_eval.verdict import Verdict, combine

NO_STRATEGY = "none"
"""The row of solutions that no strategy produced."""
NO_ANSWER = frozenset(outcome for outcome in Outcome if not outcome.can_be_judged)
"""There is no whole source, so no layer can say anything of it: neither a catch nor a flag."""
NOT_OK = tuple(outcome for outcome in Outcome if outcome is not Outcome.OK)

Passed: TypeAlias = bool | None
"""None: our fault, or nothing applied; counted on neither side."""


def passed(scored: ScoredSolution, layers: Iterable[str]) -> Passed:
    """Say whether an answer passed these layers. One without usable code did not, whatever they say of it."""
    if scored.solution.outcome is not Outcome.OK:
        return False
    verdict = combine(scored.result(layer).verdict for layer in layers)
    return None if verdict is Verdict.ERROR else verdict is Verdict.PASS


def is_flagged(scored: ScoredSolution, layer: str) -> bool:
    """Say whether a layer fails a solution. That there is none to judge is no flag."""
    return scored.solution.outcome not in NO_ANSWER and scored.result(layer).verdict is Verdict.FAIL


def is_caught(scored: ScoredSolution) -> bool:
    """Say whether any layer flags a solution."""
    return any(is_flagged(scored, result.layer) for result in scored.layers)


def strategy_of(scored: ScoredSolution) -> str:
    """Return the name of a solution's strategy, or what stands for none."""
    return scored.solution.strategy.value if scored.solution.strategy else NO_STRATEGY


def strategy_names(results: Results) -> tuple[str, ...]:
    """Return the names of all strategies of a run, in the order of every table."""
    names = tuple(strategy.value for strategy in results.strategies)
    stray = any(s.solution.strategy is None for s in results.solutions)
    return (*names, NO_STRATEGY) if stray else names


def model_names(results: Results) -> tuple[str, ...]:
    """Return the models of a run in the order in which it lists them; where it lists none, by name."""
    return results.models or tuple(sorted({s.solution.model for s in results.solutions}))


@dataclass(frozen=True, slots=True, kw_only=True)
class Spent:
    """What some calls came to."""

    calls: int
    input_tokens: int
    cached_tokens: int
    """Input tokens read from the provider's cache; beside and not among `input_tokens`."""
    output_tokens: int
    usd: Decimal | None
    """None where the price of a call is unknown."""

    @classmethod
    def on(cls, calls: Iterable[Call]) -> Spent:
        """Add calls up."""
        known = tuple(calls)
        prices = [call.usd for call in known if call.usd is not None]
        return cls(
            calls=len(known),
            input_tokens=sum(call.input_tokens for call in known),
            cached_tokens=sum(call.cached_tokens for call in known),
            output_tokens=sum(call.output_tokens for call in known),
            usd=sum(prices, Decimal(0)) if len(prices) == len(known) else None,
        )

    def per(self, caught: int) -> Decimal | None:
        """Return the price of one of so many; None where there is none, or the price is unknown."""
        return self.usd / caught if self.usd is not None and caught else None


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerScore:
    """What one model answered under one strategy."""

    model: str
    strategy: str | None
    """None: under all of them."""
    passed: int
    failed: int
    """Whole answers that a layer fails."""
    errors: int
    """Whole answers of which nothing can be said: our fault. In no rate."""
    not_ok: tuple[tuple[Outcome, int], ...]
    """Answers without usable code, by how generation ended; not among `failed`, and in the pass rate not passed."""
    interval: tuple[float, float] | None
    """95 % interval of the pass rate; samples of one task are not taken for independent."""
    samples: int
    """Most answers to one task under one strategy."""
    spent: Spent
    caught: int
    """Seeded solutions that at least one layer caught."""

    @property
    def judged(self) -> int:
        """Answers that the pass rate is of: all but our errors."""
        return self.passed + self.failed + sum(n for _, n in self.not_ok)

    @property
    def answers(self) -> int:
        """All answers."""
        return self.judged + self.errors


def score_answers(results: Results) -> tuple[AnswerScore, ...]:
    """Count, model by model: a score for each strategy, then one for all where there are several."""
    found: list[AnswerScore] = []
    names = strategy_names(results)
    for model in model_names(results):
        own = [s for s in results.solutions if s.solution.model == model]
        rows = [_score([s for s in own if strategy_of(s) == name], results, model, name) for name in names]
        found += [row for row in rows if row.answers]
        if len(names) > 1:
            found.append(_score(own, results, model, None))
    return tuple(found)


def _score(own: list[ScoredSolution], results: Results, model: str, strategy: str | None) -> AnswerScore:
    said = [(s, passed(s, results.layers)) for s in own]
    outcomes = Counter(s.solution.outcome for s in own)
    whole = Counter(verdict for s, verdict in said if s.solution.outcome is Outcome.OK)
    by_task: defaultdict[str, list[bool]] = defaultdict(list)
    for scored, verdict in said:
        if verdict is not None:
            by_task[scored.solution.task].append(verdict)
    return AnswerScore(
        model=model,
        strategy=strategy,
        passed=whole[True],
        failed=whole[False],
        errors=whole[None],
        not_ok=tuple((outcome, outcomes[outcome]) for outcome in NOT_OK),
        interval=clustered_wilson([(sum(group), len(group)) for group in by_task.values()]),
        samples=max(Counter((s.solution.task, s.solution.strategy) for s in own).values(), default=0),
        spent=Spent.on(call for s in own for call in s.solution.calls),
        caught=sum(s.solution.id in results.truth and is_caught(s) for s in own),
    )
