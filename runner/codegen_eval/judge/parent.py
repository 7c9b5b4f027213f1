"""The parent of a task's judges: holds the task and the examples of its properties, and forks a judge for a solution.

It meets no value of any solution, so what it hands down is what it made itself.
"""

from __future__ import annotations

import gc
import os
import signal
from multiprocessing import reduction
from multiprocessing.connection import Connection
from pathlib import Path

from codegen_eval.errors import TaskError
from codegen_eval.frozen import Frozen
from codegen_eval.judge.example_cache import ExampleCache, Planned
from codegen_eval.judge.examples import plan_examples
from codegen_eval.judge.server import serve
from codegen_eval.resources import resource_root, user_cache
from codegen_eval.task import Task
from codegen_eval.task_loader import load_task

FORK, END = b"F", b"E"


class Family(Frozen):
    """The first message to a parent: whose judges it is to fork."""

    task_folder: str
    """Empty for problems that come with tests of their own, one by one."""
    seed: int | None
    """Plan the examples for this seed; None where no layer asks for them."""


def raise_judges(connection: Connection) -> None:
    """Fork and end judges until the orchestrator hangs up. The entry point of the process.

    FORK is followed by a descriptor, the judge's end of its connection; END by the number of the fork, from 0.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    judges: dict[int, int] = {}
    forks = 0
    try:
        family = Family.model_validate_json(connection.recv_bytes())
        folder = Path(family.task_folder)
        task = load_task(folder) if family.task_folder else None
        planned: dict[tuple[str, int], Planned] = {}
        if family.seed is not None and task is not None:
            for law_id, examples in _plan(folder, task, family.seed).items():
                planned[law_id, family.seed] = examples
        gc.freeze()
        while True:
            message = connection.recv_bytes()
            if message == FORK:
                handle = reduction.recv_handle(connection)
                pid = os.fork()
                if not pid:
                    connection.close()
                    try:
                        serve(Connection(handle), task, folder, planned)
                    finally:
                        os._exit(0)
                os.close(handle)
                judges[forks] = pid
                forks += 1
            else:
                _end(judges.pop(int(message.removeprefix(END))))
    except (EOFError, OSError, TaskError):  # the orchestrator is gone, or will see its judges lost
        pass
    finally:
        for pid in judges.values():
            _end(pid)


def _plan(folder: Path, task: Task, seed: int) -> dict[str, Planned]:
    """Plan the examples of a task's properties, or remember them where the task is one of ours."""
    if folder.resolve().parent == resource_root().resolve() / "tasks":
        return ExampleCache(user_cache() / "examples").plan(task, seed=seed)
    return {law.id: plan_examples(law, seed=seed, task=task.id) for law in task.properties}


def _end(pid: int) -> None:
    """Kill a judge. Nobody else waits for it, so its process id is still its own."""
    os.kill(pid, signal.SIGKILL)
    os.waitpid(pid, 0)
