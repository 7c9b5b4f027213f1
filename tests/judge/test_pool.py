"""Judges: forked from a parent that has the task in memory, ended when asked, and never longer than their pool."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from codegen_eval.errors import JudgeLostError
from codegen_eval.interfaces import Sandbox
from codegen_eval.judge.bench import Settings
from codegen_eval.judge.pool import JudgePool
from codegen_eval.judge.server import Job
from codegen_eval.resources import resource_root
from codegen_eval.verdict import Verdict
from factories import make_solution

FIZZBUZZ = str(resource_root() / "tasks" / "fizzbuzz")
JOB = Job(layer="unit", settings=Settings())


def below(pid: int) -> set[int]:
    """Return the processes that descend from one, by the kernel's own word."""
    found = [pid]
    for each in found:
        for task in Path(f"/proc/{each}/task").glob("*/children"):
            try:
                found += map(int, task.read_text().split())
            except OSError:
                continue
    return set(found[1:])


def wait_until_gone(pids: set[int]) -> set[int]:
    """Return the processes that are still there after a few seconds."""
    deadline = time.monotonic() + 5
    while pids and time.monotonic() < deadline:
        pids = {pid for pid in pids if Path(f"/proc/{pid}").exists()}
        time.sleep(0.01)
    return pids


def test_judges_of_one_task_share_a_parent_and_nothing_else(sandbox: Sandbox) -> None:
    """Each solution has a judge of its own; what one was told, the next does not know."""
    with JudgePool() as pool:
        verdicts = []
        for source in ("def fizzbuzz(n):\n    return []\n", "import os\ndef fizzbuzz(n): os._exit(0)\n"):
            judge = pool.take(FIZZBUZZ)
            judge.open(make_solution(source=source), sandbox)
            verdicts.append(judge.run(JOB).result.verdict)
            judge.close()

    assert verdicts == [Verdict.FAIL, Verdict.FAIL]


@pytest.mark.skipif(not Path("/proc/self/task").is_dir(), reason="needs /proc")
def test_a_pool_leaves_no_process_behind(sandbox: Sandbox) -> None:
    """Judges that were never closed end with their pool, and so do the parents."""
    with JudgePool() as pool:
        pool.take(FIZZBUZZ).close()  # starts the fork server, which stays
    before = below(os.getpid())
    with JudgePool(seed=0) as pool:
        for _ in range(3):
            judge = pool.take(FIZZBUZZ)
            judge.open(make_solution(), sandbox)
            judge.run(JOB)
        started = below(os.getpid()) - before

        assert len(started) >= 4

    assert not wait_until_gone(started)


def test_a_task_that_cannot_be_loaded_is_a_lost_judge(sandbox: Sandbox, tmp_path: Path) -> None:
    """A parent that fails is ours to answer for: an error, never a verdict on the solution."""
    with JudgePool() as pool:
        judge = pool.take(str(tmp_path))
        judge.open(make_solution(), sandbox)

        with pytest.raises(JudgeLostError):
            judge.run(JOB)


def test_ending_a_judge_ends_no_other(sandbox: Sandbox) -> None:
    """Judges that many threads take at once from one parent keep their names: each is ended by its own close only."""
    with JudgePool() as pool, ThreadPoolExecutor(16) as threads:
        for _ in range(4):
            judges = list(threads.map(lambda _: pool.take(FIZZBUZZ), range(16)))
            for judge in judges[::2]:
                judge.close()
            for judge in judges[1::2]:
                judge.open(make_solution(), sandbox)

                assert judge.run(Job(layer="unit", settings=Settings())).result.verdict is Verdict.FAIL
                judge.close()


def test_a_judge_that_ends_over_values_says_so(sandbox: Sandbox) -> None:
    """A judge lost after it met values is a FAIL that is worth one more try."""
    with JudgePool() as pool:
        before = below(os.getpid())
        judge = pool.take(FIZZBUZZ)
        judge.open(make_solution(), sandbox)
        judge.run(JOB)
        for pid in below(os.getpid()) - before:
            if not list(Path(f"/proc/{pid}/task").glob("*/children")) or not any(
                task.read_text() for task in Path(f"/proc/{pid}/task").glob("*/children")
            ):
                os.kill(pid, signal.SIGKILL)
        outcome = judge.run(JOB)

    assert outcome.result.verdict is Verdict.FAIL
    assert outcome.judge_lost


@pytest.mark.slow
def test_hypothesis_needs_no_home(tmp_path: Path) -> None:
    """A user without a home folder, as in a container with a bare user id, has judges like any other."""
    source = """
import pathlib
def no_home():
    raise RuntimeError("Could not determine home directory.")
pathlib.Path.home = no_home
import codegen_eval.judge.warm
"""
    environment = {key: value for key, value in os.environ.items() if key not in {"HOME", "XDG_CACHE_HOME"}}

    done = subprocess.run([sys.executable, "-c", source], check=False, cwd=tmp_path, env=environment)

    assert done.returncode == 0
    assert list(tmp_path.iterdir()) == []
