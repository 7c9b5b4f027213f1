"""Does the cost grow linearly? The battery over few and over many solutions, each count in a process of its own."""

from __future__ import annotations

import json
import subprocess
import sys
from collections import Counter
from pathlib import Path

from codegen_eval.allocator import keep_memory_flat
from codegen_eval.battery import LAYERS
from codegen_eval.interfaces import NoStore
from codegen_eval.judge.bench import Settings
from codegen_eval.pipeline import Pipeline, Plan
from codegen_eval.progress import SilentProgress
from codegen_eval.sandbox.choice import Wish, choose_sandbox
from codegen_eval.task_loader import discover_tasks
from contender import MEMORY_MIB
from event import log_warnings_only
from figure import Target
from meter import Meter
from workload import corpus_solutions, folders, repeated

_RATE_TOLERANCE, _MEMORY_TOLERANCE = 0.10, 0.20


def run_battery(sandbox: str, count: int, jobs: int) -> dict[str, float]:
    """Run the battery over `count` solutions of the corpus in this process; return rate and peak memory."""
    tasks = discover_tasks()
    solutions = repeated(corpus_solutions(tasks), count)
    verdicts = Counter[str]()
    with Meter() as meter:
        wish = Wish(name=sandbox, memory_mib=MEMORY_MIB, jobs=jobs, expected=count + len(tasks), trusted=True)
        pipeline = Pipeline(
            Plan(layers=LAYERS, settings=Settings(), jobs=jobs, memory_mib=MEMORY_MIB),
            tasks=tasks,
            task_folders=folders(tasks),
            provider=choose_sandbox(wish, run_id="benchmark").provider,
            store=NoStore(),
            progress=SilentProgress(),
        )
        for one in pipeline.stream(solutions, total=count):
            verdicts.update(result.verdict.value for result in one.results.values())
    return {
        "count": count,
        "rate": count / meter.spent.wall_seconds,
        "seconds": meter.spent.wall_seconds,
        "peak_mib": meter.spent.peak_mib,
        "errors": verdicts["error"],
    }


def growth(sandbox: str, *, few: int, many: int, jobs: int) -> tuple[list[dict[str, float]], list[Target]]:
    """Run few, many and few again, in a fresh process each, and compare many with both: the machine's pace changes."""
    figures = [_in_a_process(sandbox, count, jobs) for count in (few, many, few)]
    more = figures[1]
    less = {what: (figures[0][what] + figures[2][what]) / 2 for what in ("rate", "peak_mib")}
    targets = [
        Target(
            what=f"solutions/s at {many} against {few}, {sandbox}: difference",
            figure=abs(more["rate"] / less["rate"] - 1) * 100,
            bound=_RATE_TOLERANCE * 100,
            unit="%",
        ),
        Target(
            what=f"peak host memory at {many} against {few}, {sandbox}: growth",
            figure=(more["peak_mib"] / less["peak_mib"] - 1) * 100,
            bound=_MEMORY_TOLERANCE * 100,
            unit="%",
        ),
    ]
    return figures, targets


def _in_a_process(sandbox: str, count: int, jobs: int) -> dict[str, float]:
    argv = [sys.executable, str(Path(__file__)), sandbox, str(count), str(jobs)]
    done = subprocess.run(argv, capture_output=True, check=True)  # noqa: S603 - ourselves
    found: dict[str, float] = json.loads(done.stdout)
    return found


if __name__ == "__main__":
    log_warnings_only()
    keep_memory_flat()
    sys.stdout.write(json.dumps(run_battery(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))))
