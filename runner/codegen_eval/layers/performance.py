"""Performance cases: decided by CPU time at full size, explained by growth over smaller ones."""

from __future__ import annotations

import math

from codegen_eval.interfaces import EndReason, WorkerEnd
from codegen_eval.judge import blame
from codegen_eval.judge.bench import Bench
from codegen_eval.judge.candidate import Call
from codegen_eval.judge.compare import same
from codegen_eval.judge.describe import clean, describe
from codegen_eval.judge.reply import Reply
from codegen_eval.judge.values import NotLoadedError, TamperingError, WorkerEndedError
from codegen_eval.task import PerformanceCase
from codegen_eval.verdict import Finding

PERFORMANCE_FLOOR_SECONDS = 0.5
"""Least CPU budget of a performance case: below it, start-up and noise would decide."""
PERFORMANCE_WALL_FACTOR = 3.0
"""The wall limit of a performance case, as a multiple of its CPU budget."""
_FIRST_PART = 256
"""Growth is looked at from this part of the full size upwards, by doubling."""
_TELLING_SECONDS = 0.1
"""At the first size that takes more CPU time than this, growth is told: start-up and noise are well below."""
_RATIO = 8
"""By how much the smaller of the two sizes that are compared is smaller."""


def run_performance(bench: Bench, case: PerformanceCase) -> list[Finding]:
    """Run one performance case in a worker of its own, at full size, within its CPU budget."""
    budget = bench.settings.budgets.get(case.id, PERFORMANCE_FLOOR_SECONDS)
    shown = f"size {case.size}"
    candidate = bench.unloaded(wall_seconds=budget * PERFORMANCE_WALL_FACTOR)
    try:
        bench.load(candidate, cpu_seconds=budget)
        (reply,) = candidate.batch([Call(args=case.make_args(case.size))])
        end = candidate.end()
    except NotLoadedError as exc:
        return [blame.on_load(exc.error, workdir=candidate.workdir)]
    except WorkerEndedError:
        bench.note_end(candidate)
        return [_ended(bench, case, candidate.ended, budget)]
    except TamperingError as exc:
        return [blame.on_tampering(exc, check=case.id, shown_input=shown)]
    bench.measures[f"{case.id}_cpu_seconds"] = end.cpu_seconds
    finding = _wrong(case, reply, candidate.workdir)
    if finding is not None:
        return [finding]
    if end.lingering:
        return blame.on_lingering(end, check=case.id)
    if end.reason is not EndReason.CLOSED:  # whatever it did after it had answered: its CPU time isn't known
        return [_ended(bench, case, end, budget)]
    if end.cpu_seconds > budget:
        spent = WorkerEnd(reason=EndReason.CPU, status=end.status, cpu_seconds=end.cpu_seconds)
        return [_ended(bench, case, spent, budget)]
    return []


def _wrong(case: PerformanceCase, reply: Reply, workdir: str) -> Finding | None:
    """Say what is wrong with the answer at full size, whatever it took."""
    message: str
    actual: str | None = None
    if reply.too_large is not None:
        message = f"returned {clean(reply.too_large)}"
    elif reply.error is not None:
        message, actual = "raised an exception", blame.raised(reply.error, workdir=workdir)
    elif not same(reply.value, case.returns(case.size)):
        message, actual = "returned another value", describe(reply.value, workdir=workdir)
    else:
        return None
    return Finding(
        failure_class=case.aimed_at, message=message, check=case.id, input=f"size {case.size}", actual=actual
    )


def _ended(bench: Bench, case: PerformanceCase, end: WorkerEnd | None, budget: float) -> Finding:
    """Say how the worker ended; where its CPU time did it, measure how that grows with the size."""
    if end is not None and end.reason is EndReason.CPU:
        exponent = _growth(bench, case, budget)
        if exponent is not None:
            bench.measures[f"{case.id}_growth_exponent"] = exponent
    return blame.on_end(end, case.aimed_at, check=case.id, shown_input=f"size {case.size}")


def _growth(bench: Bench, case: PerformanceCase, budget: float) -> float | None:
    """Return the exponent by which the CPU time grows with the size: 1 is linear, 2 quadratic; None: it can't be told.

    It is measured, so it is not the same on every machine, and never part of a finding.
    """
    base = _spent(bench, case, 1, budget)
    size = case.size // _FIRST_PART
    while base is not None and _RATIO <= size < case.size:
        spent = _spent(bench, case, size, budget)
        if spent is None:
            return None
        if spent - base > _TELLING_SECONDS:
            less = (_spent(bench, case, size // _RATIO, budget) or 0.0) - base
            return math.log((spent - base) / max(less, (spent - base) / _RATIO**3), _RATIO)
        size *= 2
    return None


def _spent(bench: Bench, case: PerformanceCase, size: int, budget: float) -> float | None:
    """Return the CPU seconds of one answer at some size, None where it does not come within the budget."""
    try:
        args = case.make_args(size)
    except Exception:  # noqa: BLE001 - a task need not have inputs of sizes that it never names
        return None
    candidate = bench.unloaded(wall_seconds=budget * PERFORMANCE_WALL_FACTOR)
    try:
        bench.load(candidate, cpu_seconds=budget)
        candidate.batch([Call(args=args)])
        spent = candidate.end().cpu_seconds
    except (NotLoadedError, WorkerEndedError, TamperingError):
        return None
    return spent if spent <= budget else None
