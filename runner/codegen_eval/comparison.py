"""Two runs compared: what got better or worse, by model, strategy and layer, and whether it is a regression. Pure."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import TypeAlias

from codegen_eval.answers import NO_ANSWER, NO_STRATEGY, Passed, passed
from codegen_eval.errors import InputError
from codegen_eval.paired import Change, Pair, change_of
from codegen_eval.results import Results, ScoredSolution
from codegen_eval.verdict import Verdict

SIGNIFICANT = 0.05
"""A fall of this p-value or less is a regression, after Holm's correction for the number of models."""
_FULL = 100.0
_ROUNDING = 1e-9
"""What the difference of two floats may be off by."""

Asked: TypeAlias = tuple[str, str, str]
"""Model, task and strategy: what the samples of one answer have in common."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """What changed from an earlier run to this one."""

    overall: tuple[Change, ...]
    """One for each model: all strategies, all layers that both runs have."""
    by_strategy: tuple[Change, ...]
    by_layer: tuple[Change, ...]
    layers: tuple[str, ...]
    """Those that both runs have; the verdicts compared are of these alone."""
    got_worse: tuple[str, ...]
    """Ids, in the later run, of answers that passed and don't any more."""
    got_better: tuple[str, ...]
    changed: tuple[str, ...]
    """Tasks that are not what they were; left out."""
    only_before: int
    """Solutions without a counterpart in the later run."""
    only_after: int
    undecided: int
    """Pairs left out because all samples of one side ended in an error of ours."""
    pair: str = "what one model answered to one task under one strategy, in both runs"


@dataclass(frozen=True, slots=True, kw_only=True)
class Bar:
    """What is asked of a run; None asks nothing."""

    fail_under: float | None = None
    """Least pass rate of each model, in percent."""
    max_regression: float | None = None
    """Most percentage points by which a model's pass rate may fall. None: it may not fall significantly."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """How a run stands against what was asked of it."""

    comparison: Comparison | None
    """None where there is no earlier run to compare with."""
    complaints: tuple[str, ...]
    """Where it stays below; a sentence for each."""
    differences: tuple[str, ...] = ()
    """In what the two runs differ beside their answers; see `differences`."""


def stand(
    results: Results,
    baseline: Results | None,
    bar: Bar,
    *,
    changed: Iterable[str] = (),
    differences: tuple[str, ...] = (),
) -> Standing:
    """Compare a run with an earlier one, if there is one, and with the bar.

    Raises:
        InputError: the two have nothing in common that could be compared.
    """
    comparison = None if baseline is None else compare(baseline, results, changed=changed)
    fallen = () if comparison is None else regressions(comparison, bar)
    return Standing(comparison=comparison, complaints=(*lacking(results, bar), *fallen), differences=differences)


def compare(before: Results, after: Results, *, changed: Iterable[str] = ()) -> Comparison:
    """Pair the answers of two runs by model, task and strategy, and count.

    Where each run has one model only, and not the same, the two are compared with each other.

    Raises:
        InputError: they have no layer or no answer in common.
    """
    layers = tuple(layer for layer in after.layers if layer in before.layers)
    if not layers:
        raise InputError("the two runs have no layer in common", hint="run both with the same `--layers`")
    gone = frozenset(changed)
    old, new = _grouped(before, _rename(before, after)), _grouped(after, {})
    shared = [asked for asked in new if asked in old and asked[1] not in gone]
    if not shared:
        hint = "compare runs of the same tasks and strategies"
        raise InputError("the two runs have no solution in common", hint=hint)
    whole = [_pair(asked, old[asked], new[asked], lambda s: passed(s, layers)) for asked in shared]
    pairs = [pair for pair in whole if pair.decided]
    models = sorted({model for model, _, _ in shared})
    strategies = [s.value for s in after.strategies] + [NO_STRATEGY]
    by_strategy = [
        change_of([p for p in pairs if (p.model, p.strategy) == (model, strategy)], model=model, strategy=strategy)
        for model in models
        for strategy in strategies
    ]
    return Comparison(
        overall=tuple(change_of([p for p in pairs if p.model == model], model=model) for model in models),
        by_strategy=tuple(change for change in by_strategy if change.pairs),
        by_layer=tuple(_by_layer(shared, old, new, models, layers)),
        layers=layers,
        got_worse=tuple(sorted(p.name for p in pairs if p.difference < 0)),
        got_better=tuple(sorted(p.name for p in pairs if p.difference > 0)),
        changed=tuple(sorted(gone & {task for _, task, _ in new if task in before.tasks})),
        only_before=sum(len(found) for asked, found in old.items() if asked not in new),
        only_after=sum(len(found) for asked, found in new.items() if asked not in old),
        undecided=len(whole) - len(pairs),
    )


def _by_layer(
    shared: Iterable[Asked],
    old: Mapping[Asked, list[ScoredSolution]],
    new: Mapping[Asked, list[ScoredSolution]],
    models: Iterable[str],
    layers: Iterable[str],
) -> Iterator[Change]:
    asked = list(shared)
    for layer in layers:
        pairs = [_pair(each, old[each], new[each], partial(_said, layer=layer)) for each in asked]
        for model in models:
            change = change_of([p for p in pairs if p.model == model and p.decided], model=model, layer=layer)
            if change.pairs:
                yield change


def _said(scored: ScoredSolution, layer: str) -> Passed:
    verdict = scored.result(layer).verdict
    if scored.solution.outcome in NO_ANSWER:
        return None
    return verdict is Verdict.PASS if verdict in {Verdict.PASS, Verdict.FAIL} else None


def lacking(results: Results, bar: Bar) -> tuple[str, ...]:
    """Say which models stay below the least pass rate; a model of which nothing was judged does."""
    if bar.fail_under is None:
        return ()
    told = []
    for model in sorted({s.solution.model for s in results.solutions}):
        own = [passed(s, results.layers) for s in results.solutions if s.solution.model == model]
        judged = [x for x in own if x is not None]
        if not judged:
            told.append(f"{model}: nothing was judged")
        elif _FULL * sum(judged) / len(judged) < bar.fail_under:
            rate = f"{sum(judged)} of {len(judged)} ({_FULL * sum(judged) / len(judged):.1f}%)"
            told.append(f"{model}: {rate} pass, less than {bar.fail_under:g}%")
    return tuple(told) if results.solutions else ("there are no solutions",)


def regressions(comparison: Comparison, bar: Bar) -> tuple[str, ...]:
    """Say which models got worse: by more points than are allowed or, where nothing is said, significantly.

    Significant is what an exact test says after the correction for several models: S. Holm, "A simple sequentially
    rejective multiple test procedure", Scandinavian Journal of Statistics 6 (1979), 65-70. A model without one
    pair that was judged is told as well: nobody knows whether it got worse.
    """
    told = [f"{x.model}: no answer was judged in both runs" for x in comparison.overall if not x.pairs]
    fallen = [change for change in comparison.overall if change.pairs and change.difference < 0]
    if bar.max_regression is not None:
        points = bar.max_regression / _FULL
        return (*told, *(_tell(x) for x in fallen if -x.difference > points + _ROUNDING))
    ranked = sorted((x for x in comparison.overall if x.pairs), key=lambda x: x.p_value)
    for rank, change in enumerate(ranked):
        if change.p_value * (len(ranked) - rank) > SIGNIFICANT:
            break
        if change in fallen:
            told.append(_tell(change))
    return tuple(told)


def _tell(change: Change) -> str:
    rates = f"from {_FULL * change.before:.1f}% to {_FULL * change.after:.1f}%"
    counts = f"{change.worse} worse, {change.better} better of {change.pairs}"
    return f"{change.model}: the pass rate fell {rates} ({counts}, p = {change.p_value:.2g})"


def _pair(
    asked: Asked,
    old: Iterable[ScoredSolution],
    new: Iterable[ScoredSolution],
    judge: Callable[[ScoredSolution], Passed],
) -> Pair:
    """Return the pair, with only what was judged."""
    found = sorted(new, key=lambda s: s.solution.id)
    return Pair(
        model=asked[0],
        strategy=asked[2],
        name=found[0].solution.id,
        before=tuple(x for x in map(judge, old) if x is not None),
        after=tuple(x for x in map(judge, found) if x is not None),
    )


def _grouped(results: Results, names: Mapping[str, str]) -> dict[Asked, list[ScoredSolution]]:
    found: defaultdict[Asked, list[ScoredSolution]] = defaultdict(list)
    for scored in results.solutions:
        solution = scored.solution
        # files of the user's own have a name, and no strategy that would tell two of a task apart
        task = solution.task if solution.strategy else f"{solution.task}\0{solution.id}"
        strategy = solution.strategy.value if solution.strategy else NO_STRATEGY
        found[names.get(solution.model, solution.model), task, strategy].append(scored)
    return dict(found)


def _rename(before: Results, after: Results) -> dict[str, str]:
    """Give the only model of the earlier run the name of the only one of the later."""
    old, new = ({s.solution.model for s in run.solutions} for run in (before, after))
    return dict(zip(old, new, strict=True)) if len(old) == len(new) == 1 else {}
