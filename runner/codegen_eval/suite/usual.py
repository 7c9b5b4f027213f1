"""How often tests call the canonical solution: by that it is told whether more calls are their doing or an answer's."""

from __future__ import annotations

from codegen_eval.interfaces import WorkerLimits
from codegen_eval.judge.bench import Bench
from codegen_eval.judge.candidate import Call, Candidate
from codegen_eval.judge.values import NotLoadedError, TamperingError, WorkerEndedError, WorkerNotUpError

from . import Suite
from .program import ENTRY, ProgramTests, test_names, tests_program

_COUNT = "count_calls"
_AROUND_BOTH = """

def {count}():
    calls = 0
    scope = {{"__name__": __name__}}
    exec(compile({canonical!r}, "<canonical>", "exec"), scope)

    def candidate(*args, **kwargs):
        nonlocal calls
        calls += 1
        return scope[{name!r}](*args, **kwargs)

    for number in range({tests}):
        {entry}(candidate, number)
    return calls
"""
_WALL_SECONDS = 60.0
_LIMITS = WorkerLimits(cpu_seconds=20.0)


def usual_calls(bench: Bench, suite: Suite, tests: ProgramTests) -> int | None:
    """Return the number of calls; None where there is no canonical solution, or its tests don't come to a good end.

    Both run in the tests' sandbox, in one worker. Whatever ran there is ended.
    """
    if suite.problem.canonical is None:
        return None
    around = _AROUND_BOTH.format(
        count=_COUNT,
        canonical=suite.problem.canonical,
        name=suite.entry_point,
        tests=len(test_names(tests)),
        entry=ENTRY,
    )
    bench.beside.end()
    counter = Candidate(bench.beside, _COUNT, wall_seconds=_WALL_SECONDS * bench.settings.patience)
    try:
        counter.load(tests_program(suite, tests) + around, _LIMITS)
        (reply,) = counter.batch([Call()])
    except (NotLoadedError, WorkerEndedError, WorkerNotUpError, TamperingError):
        return None
    return reply.value if reply.error is None and type(reply.value) is int else None
