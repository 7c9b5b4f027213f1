"""Judges as seen by the orchestrator: forked from a warm parent, one for each solution, killed on a deadline."""

from __future__ import annotations

import contextlib
import multiprocessing
import threading
import time
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess

from codegen_eval.errors import JudgeLostError
from codegen_eval.interfaces import Sandbox
from codegen_eval.judge.bench import Outcome
from codegen_eval.judge.link import DONE, MAX_MESSAGE, relay
from codegen_eval.judge.server import Job, Opening, serve
from codegen_eval.solution import Solution
from codegen_eval.verdict import FailureClass, Finding, LayerResult, Verdict

SILENCE_SECONDS = 60.0
"""Longest time a judge may think between two messages."""
JOB_SECONDS = 900.0
"""Longest time one layer may take on one solution, waiting included."""
_PRELOAD = [
    "codegen_eval.judge.server",
    "codegen_eval.layers.unit",
    "codegen_eval.layers.props",
    "codegen_eval.layers.mutation",
]


class Judge:
    """One judge process, for one solution."""

    def __init__(self, process: BaseProcess, connection: Connection) -> None:
        self._process = process
        self._connection = connection
        self._sandbox: Sandbox | None = None
        self._met_values = False

    def open(self, task_folder: str, solution: Solution, sandbox: Sandbox) -> None:
        """Tell the judge whom it judges."""
        self._sandbox = sandbox
        opening = Opening(task_folder=task_folder, solution=solution, workdir=sandbox.workdir, python=sandbox.python)
        with contextlib.suppress(OSError):  # a judge that is gone shows at the first job
            self._connection.send_bytes(opening.model_dump_json(by_alias=True).encode())

    def run(self, job: Job) -> Outcome:
        """Run one layer, relaying to the sandbox what the judge asks of it.

        Raises:
            JudgeLostError: the judge ended before it had met any value of the solution.
        """
        sandbox = self._sandbox
        if sandbox is None:
            raise JudgeLostError("a judge was asked before it was opened")
        stop = time.monotonic() + JOB_SECONDS
        try:
            self._connection.send_bytes(job.model_dump_json().encode())
            while True:
                if not self._connection.poll(min(SILENCE_SECONDS, stop - time.monotonic())):
                    return self._lost(job, "it took longer than its deadline")
                message = self._connection.recv_bytes(MAX_MESSAGE)
                if message[:1] == DONE:
                    return Outcome.model_validate_json(message[1:])
                answer = relay(message, sandbox)
                if answer is not None:
                    self._met_values = True
                    self._connection.send_bytes(answer)
        except (EOFError, OSError):
            return self._lost(job, "it ended")

    def _lost(self, job: Job, how: str) -> Outcome:
        """Blame the loss of the judge: on the solution, once its values had been seen."""
        self.close()
        if not self._met_values:
            raise JudgeLostError(f"the judge was lost in layer {job.layer}: {how}")
        message = "judging its values broke the judge's limits of memory or time"
        finding = Finding(failure_class=FailureClass.RESOURCE_LIMIT, message=message)
        return Outcome(result=LayerResult(layer=job.layer, verdict=Verdict.FAIL, findings=(finding,)))

    def close(self) -> None:
        """End the process."""
        self._connection.close()
        self._process.kill()
        self._process.join(5)


class JudgePool:
    """Fork judges from a parent that has everything imported."""

    def __init__(self) -> None:
        self._context = multiprocessing.get_context("forkserver")
        self._context.set_forkserver_preload(_PRELOAD)
        self._lock = threading.Lock()

    def take(self) -> Judge:
        """Return a judge for one solution; the caller closes it."""
        with self._lock:  # the fork server's bookkeeping is not made for threads
            ours, theirs = self._context.Pipe()
            process = self._context.Process(target=serve, args=(theirs,), daemon=True)
            process.start()
            theirs.close()
        return Judge(process, ours)
