"""Performance cases: decided by CPU time at full size, explained by growth over smaller ones."""

from __future__ import annotations

import math

from codegen_eval.interfaces import EndReason, WorkerEnd
from codegen_eval.judge import blame
from codegen_eval.judge.bench import Bench
from codegen_eval.judge.candidate import Call, Reply
from codegen_eval.judge.compare import same
from codegen_eval.judge.describe import clean, describe
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
_TICK_SECONDS = 0.01
"""Some kernels count CPU time in these (gVisor does). There the next two hold."""
_COARSE_TELLING_SECONDS = 0.25
_COARSE_RUNS = 8
"""Small times are the least of so many runs: what was counted while another had the core is left out."""
_RATIO = 8
"""By how much the smaller of the two sizes that are compared is smaller."""
_STEEP = 1.75
"""An exponent of growth above this is told: between linear (1, or n log n) and quadratic (2)."""
_STEEPLY = "its CPU time grows much faster than the size"


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
    """Say how the worker ended and, where its CPU time did it, how that grows."""
    finding = blame.on_end(end, case.aimed_at, check=case.id, shown_input=f"size {case.size}")
    if end is None or end.reason is not EndReason.CPU:
        return finding
    growth = _growth(bench, case, budget)
    return finding if growth is None else finding.model_copy(update={"message": f"{finding.message}; {growth}"})


def _growth(bench: Bench, case: PerformanceCase, budget: float) -> str | None:
    """Say whether the CPU time grows much faster than the size; None where it doesn't, or can't be told.

    The finding must be the same on every machine, so it holds no size and no figure.
    """
    base = _spent(bench, case, 1, budget)
    size = case.size // _FIRST_PART
    if base is None or size < _RATIO:
        return None
    while size < case.size:
        spent = _spent(bench, case, size, budget)
        if spent is None:
            return f"nor does it answer at size {size} within it" if size == case.size // _FIRST_PART else _STEEPLY
        coarse = _in_ticks(base) and _in_ticks(spent)
        if spent - base > (_COARSE_TELLING_SECONDS if coarse else _TELLING_SECONDS):
            runs, blur = (_COARSE_RUNS, _TICK_SECONDS) if coarse else (1, 0.0)
            base = _least(bench, case, 1, budget, runs) if coarse else base
            less = _least(bench, case, size // _RATIO, budget, runs) - base - blur
            exponent = math.log((spent - base) / max(less, (spent - base) / _RATIO**3), _RATIO)
            return _STEEPLY if exponent > _STEEP else None
        size *= 2
    return None


def _in_ticks(seconds: float) -> bool:
    """Say whether a time looks counted in ticks and not in nanoseconds."""
    return math.isclose(seconds, round(seconds / _TICK_SECONDS) * _TICK_SECONDS, abs_tol=1e-9)


def _least(bench: Bench, case: PerformanceCase, size: int, budget: float, runs: int) -> float:
    """Return the least CPU seconds of an answer at some size."""
    return min(_spent(bench, case, size, budget) or 0.0 for _ in range(runs))


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
