"""The judge process: takes jobs for one solution, answers each with an outcome."""

from __future__ import annotations

import contextlib
import math
import resource
import sys
import time
from multiprocessing.connection import Connection
from pathlib import Path

from codegen_eval.battery import sandboxed_layer
from codegen_eval.frozen import Frozen
from codegen_eval.interfaces import EndReason, Sandbox
from codegen_eval.judge.bench import Bench, Outcome, Settings
from codegen_eval.judge.candidate import Call, Candidate
from codegen_eval.judge.compare import same
from codegen_eval.judge.examples import Example
from codegen_eval.judge.link import DONE, REFERENCE, LinkedSandbox
from codegen_eval.judge.soundness import Soundness
from codegen_eval.judge.values import NotLoadedError, SuiteError, TamperingError, WorkerEndedError, WorkerNotUpError
from codegen_eval.judge.witness import WitnessCheck
from codegen_eval.review.claim import Claim
from codegen_eval.solution import Solution
from codegen_eval.suite import Suite
from codegen_eval.task import Task
from codegen_eval.verdict import LayerResult, Verdict

MEMORY_BYTES = 2 << 30
"""Address space of a judge: hostile values must not eat the host."""
CPU_SECONDS = 30
"""CPU time of a judge for one layer: a hundred times what an honest solution takes."""
_WAITS = 6.0
"""How many wall limits of one call all waiting in one layer may take together."""
_LEAST_WAIT_SECONDS = 30.0
"""What it may take with a short wall limit: many short answers are honest work."""
CALIBRATE = "calibrate"
"""The job that measures a reference instead of judging a solution."""
SOUNDNESS = "soundness"
"""The job that asks whether a task is sound."""
WITNESS = "witness"
"""The job that asks whether a seeded failure is there."""
_ABOUT_OURS = frozenset({CALIBRATE, SOUNDNESS, WITNESS})
"""Jobs about tasks and the corpus, which are ours or the user's: they take the time that they take."""
_CALIBRATION_SECONDS = 30.0
_REFERENCE_SECONDS = 120.0
"""How long the reference may take over all claims: it is ours, but the inputs are not."""


class Opening(Frozen):
    """The first message to a judge: whom it judges, and where."""

    solution: Solution
    workdir: str
    python: str
    suite: Suite | None = None
    """Tests that came with the problem, where they are not a task's own cases."""


class Job(Frozen):
    """One layer to run."""

    layer: str
    settings: Settings
    claims: tuple[Claim, ...] = ()
    """What a reviewer claims: for that layer only."""
    reference_workdir: str = ""
    """Of the sandbox that the reference, or a suite of tests, has to itself."""


def serve(
    connection: Connection, task: Task | None, folder: Path, planned: dict[tuple[str, int], tuple[Example, ...] | None]
) -> None:
    """Judge one solution until the orchestrator hangs up. All that a judge process does.

    Without a task the problem comes with its tests.
    """
    if sys.platform == "linux":
        with contextlib.suppress(OSError, ValueError):
            resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))
            resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    with contextlib.suppress(EOFError, BrokenPipeError, ConnectionResetError):
        opening = Opening.model_validate_json(connection.recv_bytes())
        sandbox = LinkedSandbox(connection, workdir=opening.workdir, python=opening.python)
        if task is None:
            if opening.suite is None:
                return
            task = opening.suite.task
        bench = Bench(
            sandbox=sandbox,
            task=task,
            solution=opening.solution,
            settings=Settings(),
            planned=planned,
            suite=opening.suite,
        )
        while True:
            job = Job.model_validate_json(connection.recv_bytes())
            hostile = job.layer not in _ABOUT_OURS
            wait = max(_LEAST_WAIT_SECONDS, _WAITS * job.settings.wall_seconds) * job.settings.patience
            sandbox.grant(wait if hostile else math.inf)
            _limit_cpu(CPU_SECONDS if hostile else None)
            reference = LinkedSandbox(
                connection, workdir=job.reference_workdir, python=opening.python, address=REFERENCE
            )
            reference.grant(_REFERENCE_SECONDS)
            bench.tests_sandbox = reference if opening.suite is not None else None
            outcome = _run(job, bench, folder, reference)
            connection.send_bytes(DONE + outcome.model_dump_json(by_alias=True).encode())


def _limit_cpu(seconds: int | None) -> None:
    """Have the kernel end this judge when it spends too long on one layer; None: it may take what it takes."""
    with contextlib.suppress(OSError, ValueError):
        hard = resource.getrlimit(resource.RLIMIT_CPU)[1]
        resource.setrlimit(resource.RLIMIT_CPU, (hard if seconds is None else _spent() + seconds, hard))


def _spent() -> int:
    return math.ceil(time.process_time())


def _run(job: Job, bench: Bench, folder: Path, reference: Sandbox) -> Outcome:
    bench.settings = job.settings
    bench.wall_timeout = bench.starved = bench.tests_lost = False
    bench.measures = {key: value for key, value in bench.measures.items() if key == "cases_cpu_seconds"}
    try:
        result = _check_claims(job, bench, reference) if job.claims else _result(job.layer, bench, folder)
    except WorkerNotUpError as exc:
        result = LayerResult(layer=job.layer, verdict=Verdict.ERROR, reason=f"a worker could not be started ({exc})")
        return Outcome(result=result, not_up=True, first_worker=bench.workers == 1)
    except SuiteError as exc:
        result = LayerResult(layer=job.layer, verdict=Verdict.ERROR, reason=str(exc))
    return Outcome(
        result=result,
        measures=bench.measures,
        wall_timeout=bench.wall_timeout,
        starved=bench.starved,
        tests_lost=bench.tests_lost,
        answers=_new_answers(bench),
    )


def _new_answers(bench: Bench) -> str | None:
    """Return what the canonical solution answered, where it was asked now."""
    if bench.suite is None or bench.answers is None or bench.suite.expected is not None:
        return None
    from codegen_eval.suite.answers import told

    return told(bench.answers)


def _check_claims(job: Job, bench: Bench, sandbox: Sandbox) -> LayerResult:
    """Check what a reviewer claims against the reference, which runs in the other sandbox."""
    from codegen_eval.judge.claims import Claims

    source = bench.task.reference
    solution = bench.solution.model_copy(update={"id": f"{bench.task.id}/reference", "source": source})
    reference = Bench(sandbox=sandbox, task=bench.task, solution=solution, settings=bench.settings)
    result = Claims(bench, reference, job.claims).run()
    bench.wall_timeout |= reference.wall_timeout
    bench.starved |= reference.starved
    return result


def _result(layer: str, bench: Bench, folder: Path) -> LayerResult:
    match layer:
        case "calibrate":
            return calibrate(bench)
        case "soundness":
            return Soundness(bench, folder).run()
        case "witness":
            return WitnessCheck(bench).run()
    return sandboxed_layer(layer, bench).run()


def calibrate(bench: Bench) -> LayerResult:
    """Measure the reference on each performance case; the figures are in the bench's measures."""
    for case in bench.task.performance:
        candidate = bench.unloaded(wall_seconds=_CALIBRATION_SECONDS)
        try:
            bench.load(candidate, cpu_seconds=_CALIBRATION_SECONDS)
            (reply,) = candidate.batch([Call(args=case.make_args(case.size))])
            spent = candidate.end().cpu_seconds
        except NotLoadedError as exc:
            return _bad_reference(case.id, f"can't be loaded: {exc}")
        except (WorkerEndedError, TamperingError) as exc:
            return _bad_reference(case.id, f"ended: {_how(candidate, exc)}")
        if reply.error is not None or not same(reply.value, case.returns(case.size)):
            return _bad_reference(case.id, "gave another answer than the case expects")
        bench.measures[case.id] = spent
    return LayerResult(layer=CALIBRATE, verdict=Verdict.PASS)


def _bad_reference(case_id: str, what: str) -> LayerResult:
    reason = f"the reference {what} on performance case {case_id}"
    return LayerResult(layer=CALIBRATE, verdict=Verdict.ERROR, reason=reason)


def _how(candidate: Candidate, exc: BaseException) -> str:
    return EndReason.GARBLED if candidate.ended is None else str(candidate.ended.reason or exc)
