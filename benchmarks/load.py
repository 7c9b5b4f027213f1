"""Does load change verdicts? The performance cases, again and again, with busy loops beside them.

    python benchmarks/load.py [--repetitions 200] [--loops 4] [--sandbox docker] [--jobs 2]

Clean solutions of the tasks that have performance cases must never be flagged by one, and the seeded performance trap
must be flagged each time. Exit 0 where both hold.
"""

from __future__ import annotations

import argparse
import secrets
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager

from codegen_eval.corpus import load_manifest
from codegen_eval.errors import CodegenEvalError
from codegen_eval.interfaces import NoStore
from codegen_eval.judge.bench import Settings
from codegen_eval.pipeline import Judged, Pipeline, Plan
from codegen_eval.progress import SilentProgress
from codegen_eval.sandbox.choice import Wish, choose_sandbox
from codegen_eval.solution import Solution
from codegen_eval.task import Task
from codegen_eval.task_loader import discover_tasks
from codegen_eval.verdict import FailureClass, LayerResult, Verdict
from event import log_warnings_only
from workload import corpus_solutions, folders, references

_AT_ONCE = 10
"""Repetitions in one run: each run measures the references anew, under the same load."""
_MEMORY_MIB = 256


def tell(line: str) -> None:
    """Write a line of the log."""
    sys.stdout.write(f"{time.strftime('%H:%M:%S')} {line}\n")
    sys.stdout.flush()


def _options(argv: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Repeat the performance cases under load.")
    parser.add_argument("--repetitions", type=int, default=200)
    parser.add_argument("--loops", type=int, default=4, help="busy loops beside it")
    parser.add_argument("--sandbox", default="docker")
    parser.add_argument("--jobs", type=int, default=2)
    return parser.parse_args(argv)


@contextmanager
def busy(loops: int) -> Iterator[None]:
    """Keep so many processes computing."""
    started = [subprocess.Popen([sys.executable, "-I", "-S", "-c", "while True: pass"]) for _ in range(loops)]
    try:
        yield
    finally:
        for process in started:
            process.kill()
            process.wait()


def run(
    options: argparse.Namespace, tasks: Mapping[str, Task], solutions: Sequence[Solution], first: int, count: int
) -> dict[str, Judged]:
    """Judge each solution `count` times by the unit layer."""
    many = [
        s.model_copy(update={"id": f"{s.id}#{number}"}) for number in range(first, first + count) for s in solutions
    ]
    wish = Wish(
        name=options.sandbox,
        memory_mib=_MEMORY_MIB,
        jobs=options.jobs,
        expected=len(many) + len(tasks),
        trusted=True,
        allow_unsafe=True,
    )
    pipeline = Pipeline(
        Plan(layers=("unit",), settings=Settings(), jobs=options.jobs, memory_mib=_MEMORY_MIB),
        tasks=tasks,
        task_folders=folders(tasks),
        provider=choose_sandbox(wish, run_id=secrets.token_hex(8)).provider,
        store=NoStore(),
        progress=SilentProgress(),
    )
    return pipeline.run(many)


def flagged(result: LayerResult, task: Task) -> bool:
    """Say whether a performance case of the task failed."""
    ids = {case.id for case in task.performance}
    return any(finding.check in ids for finding in result.findings)


def main(argv: Sequence[str] | None = None) -> int:
    """Run it; exit 0 where load changed nothing, 1 where it did, 3 where there is no such sandbox."""
    options = _options(argv)
    log_warnings_only()
    tasks = {name: task for name, task in discover_tasks().items() if task.performance}
    seeded = {entry.id: entry.failure_class for entry in load_manifest().seeded}
    known = corpus_solutions(tasks) + references(tasks)
    traps = [each for each in known if seeded.get(each.id) is FailureClass.PERFORMANCE_TRAP]
    clean = [each for each in known if each.id not in seeded]
    tell(f"{len(clean)} clean solutions and {len(traps)} traps of {', '.join(tasks)}, {options.loops} busy loops")
    seen: Counter[str] = Counter()
    with busy(options.loops):
        for first in range(0, options.repetitions, _AT_ONCE):
            count = min(_AT_ONCE, options.repetitions - first)
            try:
                judged = run(options, tasks, clean + traps, first, count)
            except CodegenEvalError as exc:
                tell(f"error: {exc.message}")
                return exc.exit_code
            for name, one in judged.items():
                _count(name, one.results["unit"], tasks, {trap.id for trap in traps}, seen)
            tell(f"{first + count}/{options.repetitions}: {_shown(seen)}")
    broken = seen["flagged falsely"] + seen["missed"] + seen["errors of ours"] + seen["failed otherwise"]
    tell(f"{'BROKEN' if broken else 'holds'}: {_shown(seen)}")
    return 1 if broken else 0


def _count(name: str, result: LayerResult, tasks: Mapping[str, Task], traps: set[str], seen: Counter[str]) -> None:
    solution = name.rpartition("#")[0]
    slow = flagged(result, tasks[solution.partition("/")[0]])
    seen["judged"] += 1
    if result.verdict is Verdict.ERROR:
        seen["errors of ours"] += 1
        tell(f"{name}: ERROR, {result.reason}")
    elif solution in traps:
        seen["caught" if slow else "missed"] += 1
    elif result.verdict is Verdict.FAIL:
        seen["flagged falsely" if slow else "failed otherwise"] += 1
        tell(f"{name}: {[(finding.check, finding.message) for finding in result.findings]}")


def _shown(seen: Counter[str]) -> str:
    words = ("judged", "flagged falsely", "missed", "caught", "failed otherwise", "errors of ours")
    return ", ".join(f"{seen[word]} {word}" for word in words)


if __name__ == "__main__":
    raise SystemExit(main())
