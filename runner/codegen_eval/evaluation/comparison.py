"""An evaluation beside an earlier one of the same problem set, and beside what is asked of it."""

from __future__ import annotations

import math
from collections.abc import Iterator

from codegen_eval.comparison import Bar, Comparison, Standing, regressions
from codegen_eval.errors import InputError
from codegen_eval.paired import Pair, change_of

from .pass_at_k import estimate
from .record import Evaluation, ProblemScore

_FULL = 100.0
_MANY = 1000


def stand(found: Evaluation, baseline: Evaluation | None, bar: Bar) -> Standing:
    """Compare an evaluation with an earlier one, if there is one, and with the bar.

    Raises:
        InputError: the two are of different sets, or have no problem in common.
    """
    comparison = None if baseline is None else _compare(baseline, found)
    fallen = () if comparison is None else regressions(comparison, bar)
    return Standing(
        comparison=comparison,
        complaints=(*_lacking(found, bar), *fallen),
        differences=() if baseline is None else tuple(_differences(baseline, found)),
    )


def _compare(before: Evaluation, after: Evaluation) -> Comparison:
    if before.dataset != after.dataset:
        raise InputError(
            f"one evaluation is of {before.dataset}, the other of {after.dataset}",
            hint="compare evaluations of the same problem set",
        )
    old = {score.problem: score for score in before.problems}
    shared = [score for score in after.problems if score.problem in old]
    if not shared:
        raise InputError("the two evaluations have no scored problem in common")
    pairs = [
        Pair(model=after.dataset, strategy="", name=new.problem, before=_passed(old[new.problem]), after=_passed(new))
        for new in shared
    ]
    return Comparison(
        overall=(change_of(pairs, model=after.dataset),),
        by_strategy=(),
        by_layer=(),
        layers=(),
        got_worse=tuple(sorted(pair.name for pair in pairs if pair.difference < 0)),
        got_better=tuple(sorted(pair.name for pair in pairs if pair.difference > 0)),
        changed=(),
        only_before=len(old) - len(shared),
        only_after=len(after.problems) - len(shared),
        undecided=0,
        pair="the samples of one problem, in both evaluations",
    )


def _passed(score: ProblemScore) -> tuple[bool, ...]:
    passed, samples = score.passed, score.samples
    if samples > _MANY:  # the rate is what counts, and not how many there were
        common = math.gcd(passed, samples)
        passed, samples = passed // common, samples // common
    return (True,) * passed + (False,) * (samples - passed)


def _lacking(found: Evaluation, bar: Bar) -> Iterator[str]:
    if bar.fail_under is None:
        return
    first = estimate([(score.samples, score.passed) for score in found.problems], 1)
    if first is None:
        yield f"{found.dataset}: nothing was scored"
    elif _FULL * first.estimate < bar.fail_under:
        yield f"{found.dataset}: pass@1 is {_FULL * first.estimate:.1f}%, less than {bar.fail_under:g}%"


def _differences(before: Evaluation, after: Evaluation) -> Iterator[str]:
    """Yield in what the two differ beside their samples."""
    if before.dataset_sha256 != after.dataset_sha256:
        yield "the file of the problem set"
    if [one.problem for one in before.excluded] != [one.problem for one in after.excluded]:
        yield f"excluded problems ({len(before.excluded)} before, {len(after.excluded)} now)"
    if before.limit != after.limit:
        yield f"`--limit` ({before.limit or 'none'} before, {after.limit or 'none'} now)"
    for when, one in (("before", before), ("now", after)):
        if one.errors:
            yield f"errors of ours {when}, counted as not passed ({one.errors})"
