"""Endurance: thousands of solutions, one in five hostile, many at a time. Nothing may differ, and nothing may stay.

    python benchmarks/soak.py [--solutions 2000] [--jobs 8] [--sandbox docker] [--layers unit props mutation lint]

Every distinct solution is judged alone first; then all of them, mixed by chance from a seed. Exit 0 where every law
holds.
"""

from __future__ import annotations

import argparse
import random
import secrets
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from threading import Lock

from codegen_eval.allocator import keep_memory_flat
from codegen_eval.battery import select_layers
from codegen_eval.errors import CodegenEvalError
from codegen_eval.interfaces import NoStore
from codegen_eval.judge import fork_server
from codegen_eval.judge.bench import CPU_SHARE, Settings
from codegen_eval.pipeline import Judged, Pipeline, Plan
from codegen_eval.progress import SilentProgress
from codegen_eval.sandbox.choice import Wish, choose_sandbox
from codegen_eval.solution import Solution
from codegen_eval.task import Task
from codegen_eval.task_loader import discover_tasks
from codegen_eval.verdict import LayerResult, Verdict
from event import log_warnings_only
from figure import median
from hostile import made_here, shipped
from leftover import descriptors, left_behind, private_temporary_folder, resident_mib
from workload import corpus_solutions, folders, references

_FLAT_SHARE, _FLAT_MIB = 0.25, 32.0
"""Host memory is flat if the last quarter is above the second by no more than this share and this much together.

Memory of answers that are being read (8 MiB each, at most) comes and goes.
"""
_TELL_SECONDS = 15.0


@dataclass
class Watch(SilentProgress):
    """Counts solutions as they are done, and samples the host's memory."""

    name: str
    total: int = 0
    done: int = 0
    memory: list[float] = field(default_factory=list)
    _told: float = field(default_factory=time.monotonic)
    _lock: Lock = field(default_factory=Lock)

    def start(self, total: int) -> None:
        """Note how many there are."""
        self.total = total

    def solution_finished(self, solution: str, verdict: Verdict) -> None:
        """Count one."""
        del solution, verdict
        with self._lock:
            self.done += 1
            self.memory.append(resident_mib())
            if time.monotonic() - self._told > _TELL_SECONDS:
                self._told = time.monotonic()
                memory = f"host {self.memory[-1]:.0f} MiB"
                tell(f"{self.name}: {self.done}/{self.total}, {memory}, {descriptors()} descriptors")

    def growth(self) -> tuple[float, float]:
        """Return the median memory of the second and the last quarter."""
        quarter = len(self.memory) // 4
        return median(self.memory[quarter : 2 * quarter]), median(self.memory[-quarter:])


def tell(line: str) -> None:
    """Write a line of the log."""
    sys.stdout.write(f"{time.strftime('%H:%M:%S')} {line}\n")
    sys.stdout.flush()


def _options(argv: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Judge thousands of solutions, some hostile, and look what stays.")
    parser.add_argument("--solutions", type=int, default=2000)
    parser.add_argument("--hostile-share", type=float, default=0.2)
    parser.add_argument("--jobs", type=int, default=8)
    parser.add_argument("--sandbox", default="docker")
    parser.add_argument("--runtime", default=None)
    parser.add_argument("--timeout", type=float, default=2.0, help="wall limit of one answer in seconds")
    parser.add_argument("--memory", type=int, default=256, help="MiB of a sandbox")
    parser.add_argument("--layers", nargs="+", default=["unit", "props", "mutation", "lint"])
    parser.add_argument("--only", nargs="+", default=[], help="words, one of which is in the name of a solution")
    parser.add_argument("--seed", type=int, default=0)
    return parser.parse_args(argv)


def judge(
    options: argparse.Namespace,
    tasks: Mapping[str, Task],
    solutions: Sequence[Solution],
    met: Callable[[Judged], None],
    *,
    jobs: int,
    name: str,
) -> Watch:
    """Run the battery, and pass on each solution as it is judged."""
    wish = Wish(
        name=options.sandbox,
        runtime=options.runtime,
        memory_mib=options.memory,
        jobs=jobs,
        expected=len(solutions) + len(tasks),
        allow_unsafe=True,
    )
    settings = Settings(wall_seconds=options.timeout, cpu_seconds=CPU_SHARE * options.timeout)
    watch = Watch(name)
    provider = choose_sandbox(wish, run_id=secrets.token_hex(8)).provider
    pipeline = Pipeline(
        Plan(layers=select_layers(tuple(options.layers)), settings=settings, jobs=jobs, memory_mib=options.memory),
        tasks=tasks,
        task_folders=folders(tasks),
        provider=provider,
        store=NoStore(),
        progress=watch,
    )
    started = time.monotonic()
    for one in pipeline.stream(solutions, total=len(solutions)):
        met(one)
    seconds = time.monotonic() - started
    tell(f"{name}: {len(solutions)} solutions in {seconds:.0f} s, {len(solutions) / seconds:.1f}/s")
    for container in provider.not_removed:
        tell(f"{name}: NOT REMOVED {container}")
    return watch


def mix(honest: Sequence[Solution], hostile: Sequence[Solution], options: argparse.Namespace) -> list[Solution]:
    """Return the solutions of the long run, in an order by chance; an id is the distinct one's, `#` and a number."""
    chance = random.Random(options.seed)  # noqa: S311 - to be repeated, not to be secret
    bad = round(options.solutions * options.hostile_share)
    picked = [hostile[number % len(hostile)] for number in range(bad)]
    picked += [honest[number % len(honest)] for number in range(options.solutions - bad)]
    chance.shuffle(picked)
    return [one.model_copy(update={"id": f"{one.id}#{number}"}) for number, one in enumerate(picked)]


class Comparison:
    """Compares each solution among others with what was said of it alone; keeps what differs."""

    def __init__(self, alone: Mapping[str, Judged]) -> None:
        self._alone = alone
        self.verdicts: list[str] = []
        self.findings: list[str] = []
        """Where only the findings differ."""
        self.errors: list[str] = []
        self.passed: list[str] = []
        """Hostile ones."""

    def meet(self, judged: Judged) -> None:
        """Compare one."""
        name = judged.solution.id
        first = self._alone[name.rpartition("#")[0]].results
        for layer, result in judged.results.items():
            if result.verdict is not first[layer].verdict:
                told = "; ".join(finding.message for finding in result.findings[:2]) or result.reason
                self.verdicts.append(
                    f"{name}, {layer}: {first[layer].verdict} alone, {result.verdict} among others ({told})"
                )
            elif result != first[layer]:
                self.findings.append(f"{name}, {layer}: {_said(first[layer])} alone, {_said(result)} among others")
        if any(result.verdict is Verdict.ERROR for result in judged.results.values()):
            self.errors.append(name)
        if "/!" in name and _passes(judged):
            self.passed.append(name)


def main(argv: Sequence[str] | None = None) -> int:
    """Run it; exit 0 where every law holds, 1 where one is broken, 3 where there is no such sandbox."""
    options = _options(argv)
    log_warnings_only()
    keep_memory_flat()
    fork_server.start()  # before the temporary folder is ours: its socket stays as long as this process
    tasks = discover_tasks()
    honest = [each for each in corpus_solutions(tasks) + references(tasks) if _wanted(each, options.only)]
    hostile = [each for each in made_here() + shipped(tasks) if _wanted(each, options.only)]
    mixed = mix(honest, hostile, options)
    used = {solution.id.rpartition("#")[0] for solution in mixed}
    distinct = [solution for solution in honest + hostile if solution.id in used]
    tell(
        f"{len(mixed)} solutions, {len(distinct)} distinct, seed {options.seed}, {options.sandbox}, {options.jobs} jobs"
    )
    with private_temporary_folder() as folder:
        try:
            alone: dict[str, Judged] = {}
            judge(options, tasks, distinct, lambda one: alone.update({one.solution.id: one}), jobs=1, name="alone")
            before = descriptors()
            compared = Comparison(alone)
            watch = judge(options, tasks, mixed, compared.meet, jobs=options.jobs, name="together")
        except CodegenEvalError as exc:
            tell(f"error: {exc.message}")
            return exc.exit_code
        after = descriptors()
        left = left_behind(folder, docker=options.sandbox == "docker")
    second, last = watch.growth()
    laws = {
        "verdicts are those of a serial run": compared.verdicts,
        "no verdict is an error of ours": compared.errors,
        "no hostile solution passes": compared.passed,
        "no process, container or file is left": left,
        "no descriptor is left": [f"{before} before, {after} after"] if after > before else [],
        "host memory is flat": [f"{second:.0f} MiB, then {last:.0f} MiB"]
        if last > second * (1 + _FLAT_SHARE) + _FLAT_MIB
        else [],
    }
    for law, broken in laws.items():
        tell(f"{'BROKEN' if broken else 'holds '}  {law}")
        for line in broken[:20]:
            tell(f"          {line}")
    tell(f"note: findings differ, verdicts agree, in {len(compared.findings)} layers")
    for line in compared.findings[:10]:
        tell(f"          {line}")
    tell(f"note: host memory {second:.0f} MiB in the second quarter, {last:.0f} MiB in the last")
    return 1 if any(laws.values()) else 0


def _said(result: LayerResult) -> str:
    return "; ".join(f"{finding.check} {finding.message} {finding.actual or ''}" for finding in result.findings[:2])


def _wanted(solution: Solution, words: Sequence[str]) -> bool:
    return not words or any(word in solution.id for word in words)


def _passes(judged: Judged) -> bool:
    return all(result.verdict in {Verdict.PASS, Verdict.SKIP} for result in judged.results.values())


if __name__ == "__main__":
    raise SystemExit(main())
