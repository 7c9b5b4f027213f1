"""Judges as seen by the orchestrator: one for each solution, forked from its task's parent, killed on a deadline."""

from __future__ import annotations

import contextlib
import itertools
import multiprocessing
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Iterable
from multiprocessing import reduction
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from types import TracebackType
from typing import Self

from codegen_eval.errors import JudgeLostError
from codegen_eval.interfaces import Sandbox
from codegen_eval.judge import fork_server
from codegen_eval.judge.bench import Outcome
from codegen_eval.judge.link import DONE, MAX_MESSAGE, REFERENCE, relay
from codegen_eval.judge.parent import END, FORK, Family, raise_judges
from codegen_eval.judge.server import Job, Opening
from codegen_eval.solution import Solution
from codegen_eval.suite import Suite
from codegen_eval.verdict import FailureClass, Finding, LayerResult, Verdict

SILENCE_SECONDS = 60.0
"""Longest time a judge may think between two messages."""
JOB_SECONDS = 900.0
"""Longest time one layer may take on one solution, waiting included."""
_IDLE_PARENTS = 8
"""Parents kept when none of their judges is alive. Solutions come task by task."""


class Parent:
    """The parent process of a task's judges."""

    def __init__(self, process: BaseProcess, connection: Connection, family: Family) -> None:
        self._process = process
        self._connection = connection
        self._lock = threading.Lock()
        self._forks = 0
        self.judges = 0
        """How many of its judges are alive."""
        with contextlib.suppress(OSError):  # a parent that is gone shows as a lost judge
            connection.send_bytes(family.model_dump_json().encode())

    def fork(self) -> tuple[int, Connection]:
        """Have a judge forked; return its number and our end of its connection."""
        ours, theirs = multiprocessing.Pipe()
        with theirs, self._lock:  # the number is the place in the order of the requests
            number, self._forks = self._forks, self._forks + 1
            with contextlib.suppress(OSError):
                self._connection.send_bytes(FORK)
                reduction.send_handle(self._connection, theirs.fileno(), self._process.pid)
        return number, ours

    def end(self, number: int) -> None:
        """Have a judge killed."""
        with self._lock, contextlib.suppress(OSError):
            self._connection.send_bytes(END + str(number).encode())

    def close(self, *, seconds: float = 5.0) -> None:
        """End the parent and its judges."""
        self._connection.close()
        self._process.join(seconds)
        if self._process.is_alive():  # it was planning
            self._process.kill()
            self._process.join(seconds)


class Judge:
    """One judge process, for one solution."""

    def __init__(self, connection: Connection, end: Callable[[], None]) -> None:
        self._connection = connection
        self._end = end
        self._sandbox: Sandbox | None = None
        self._met_values = False

    @property
    def closed(self) -> bool:
        """Say whether it has ended: closed, or lost."""
        return self._connection.closed

    def open(self, solution: Solution, sandbox: Sandbox, suite: Suite | None = None) -> None:
        """Tell the judge whom it judges, and by which tests where the task has none of its own."""
        self._sandbox = sandbox
        opening = Opening(solution=solution, workdir=sandbox.workdir, python=sandbox.python, suite=suite)
        with contextlib.suppress(OSError):  # a judge that is gone shows at the first job
            self._connection.send_bytes(opening.model_dump_json(by_alias=True).encode())

    def run(self, job: Job, *, reference: Sandbox | None = None) -> Outcome:
        """Run one layer, relaying to the sandbox what the judge asks of it, and to that of the reference.

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
                if message[:1] == REFERENCE and reference is not None:
                    answer = relay(message[1:], reference)
                else:
                    answer = relay(message, sandbox)
                    self._met_values |= answer is not None
                if answer is not None:
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
        result = LayerResult(layer=job.layer, verdict=Verdict.FAIL, findings=(finding,))
        return Outcome(result=result, judge_lost=True)

    def close(self) -> None:
        """End the process."""
        if not self.closed:
            self._connection.close()
            self._end()


class JudgePool:
    """Forks judges, each task's from a parent that has the task in memory. Use it in a `with` block."""

    def __init__(self, *, seed: int | None = None) -> None:
        """With a seed, the examples of properties are planned for it once for each task."""
        self._seed = seed
        self._context = fork_server.start()
        self._lock = threading.Lock()
        self._parents: OrderedDict[str, Parent] = OrderedDict()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, exc: BaseException | None, tb: TracebackType | None) -> None:
        self.close()

    def expect(self, task_folders: Iterable[str]) -> None:
        """Start the parents for the first of these tasks, which then plan while nothing else is ready."""
        for task_folder in itertools.islice(task_folders, _IDLE_PARENTS):
            with self._lock:
                if task_folder not in self._parents:
                    self._start(task_folder)

    def take(self, task_folder: str) -> Judge:
        """Return a judge for one solution of the task in that folder; the caller closes it."""
        with self._lock:  # the fork server's bookkeeping is not made for threads
            parent = self._parents.get(task_folder) or self._start(task_folder)
            self._parents.move_to_end(task_folder)
            parent.judges += 1
        number, connection = parent.fork()
        return Judge(connection, lambda: self._give_back(parent, number))

    def close(self) -> None:
        """End all judges and their parents."""
        with self._lock:
            parents, self._parents = list(self._parents.values()), OrderedDict()
        for parent in parents:
            parent.close()

    def _start(self, task_folder: str) -> Parent:
        """Start the parent for a task. The lock is held."""
        ours, theirs = self._context.Pipe()
        process = self._context.Process(target=raise_judges, args=(theirs,), daemon=True)
        process.start()
        theirs.close()
        parent = Parent(process, ours, Family(task_folder=task_folder, seed=self._seed))
        self._parents[task_folder] = parent
        return parent

    def _give_back(self, parent: Parent, number: int) -> None:
        """End a judge, and the parents that have been idle longest."""
        parent.end(number)
        with self._lock:
            parent.judges -= 1
            idle = [folder for folder, each in self._parents.items() if not each.judges]
            old = [self._parents.pop(folder) for folder in idle[:-_IDLE_PARENTS]]
        for each in old:
            each.close()
