"""What things cost inside an open sandbox: a call, a batch, a fresh worker, the whole battery."""

from __future__ import annotations

import secrets
import time
from collections.abc import Mapping

from codegen_eval.interfaces import Sandbox, SandboxProvider, WorkerLimits
from codegen_eval.judge.bench import Settings
from codegen_eval.judge.candidate import Call, Candidate
from codegen_eval.judge.pool import JudgePool
from codegen_eval.judge.server import CALIBRATE, Job
from codegen_eval.layers import llm_review
from codegen_eval.layers.lint import Lint, LintItem
from codegen_eval.layers.performance import PERFORMANCE_FLOOR_SECONDS
from codegen_eval.sandbox.choice import Wish, choose_sandbox
from codegen_eval.solution import Solution
from codegen_eval.task import Task
from contender import MEMORY_MIB
from figure import Target, median
from workload import corpus_solutions, folders, references

_TRIVIAL = "def f(n):\n    return n\n"
_LIMITS = WorkerLimits(cpu_seconds=60.0)
_BATCH = 1000


def provider_of(name: str, runtime: str | None, expected: int) -> SandboxProvider:
    """Return a provider for shipped code."""
    wish = Wish(
        name=name,
        runtime=runtime,
        memory_mib=MEMORY_MIB,
        jobs=1,
        expected=expected,
        trusted=True,
        allow_unsafe=True,
    )
    return choose_sandbox(wish, run_id=secrets.token_hex(8)).provider


def inside(name: str, *, repetitions: int, runtime: str | None = None) -> list[Target]:
    """Measure calls and workers in one open sandbox; medians."""
    provider = provider_of(name, runtime, 1)
    try:
        sandbox = provider.open()
        try:
            return [
                Target(what=f"one call, {name}", figure=_call(sandbox, repetitions) * 1e6, bound=300, unit="us"),
                Target(
                    what=f"one call of a batch of {_BATCH}, {name}",
                    figure=_batch(sandbox, max(3, repetitions // 50)) * 1e6,
                    bound=20,
                    unit="us",
                ),
                Target(
                    what=f"a fresh worker, from spawn to its first answer, {name}",
                    figure=_worker(sandbox, max(5, repetitions // 10)) * 1e3,
                    bound=5,
                    unit="ms",
                ),
            ]
        finally:
            sandbox.close()
    finally:
        provider.close()


def _loaded(sandbox: Sandbox) -> Candidate:
    candidate = Candidate(sandbox, "f", wall_seconds=30)
    candidate.load(_TRIVIAL, _LIMITS)
    candidate.settle()
    return candidate


def _call(sandbox: Sandbox, repetitions: int) -> float:
    candidate = _loaded(sandbox)
    taken: list[float] = []
    for number in range(repetitions):
        started = time.perf_counter()
        candidate(number)
        taken.append(time.perf_counter() - started)
    return median(taken)


def _batch(sandbox: Sandbox, repetitions: int) -> float:
    candidate = _loaded(sandbox)
    calls = [Call(args=(number,)) for number in range(_BATCH)]
    taken: list[float] = []
    for _ in range(repetitions):
        started = time.perf_counter()
        candidate.batch(calls)
        taken.append((time.perf_counter() - started) / _BATCH)
    return median(taken)


def _worker(sandbox: Sandbox, repetitions: int) -> float:
    taken: list[float] = []
    for number in range(repetitions):
        started = time.perf_counter()
        candidate = Candidate(sandbox, "f", wall_seconds=30)
        candidate.load(_TRIVIAL, _LIMITS)
        candidate(number)
        taken.append(time.perf_counter() - started)
    return median(taken)


def battery(name: str, tasks: Mapping[str, Task], *, runtime: str | None = None) -> tuple[Target, dict[str, float]]:
    """Run all five layers on every solution of the corpus, one at a time, each in a sandbox that is open already.

    The lint layer works on batches; a solution is charged its share of one batch over the corpus. Return the median
    over the solutions, and the median of each layer in milliseconds.
    """
    settings = Settings()
    solutions = corpus_solutions(tasks)
    where = folders(tasks)
    provider = provider_of(name, runtime, len(solutions) + len(tasks))
    totals: list[float] = []
    by_layer: dict[str, list[float]] = {}
    try:
        with JudgePool(seed=settings.seed) as judges:
            judges.expect([str(folder) for folder in where.values()])
            budgets = _budgets(provider, judges, tasks, settings)
            lint = _lint_share(solutions, tasks)
            for solution in solutions:
                taken = _one(provider, judges, solution, tasks, settings, budgets)
                taken["lint"] = lint
                started = time.perf_counter()
                llm_review.skip()
                taken["llm_review"] = time.perf_counter() - started
                totals.append(sum(taken.values()))
                for layer, seconds in taken.items():
                    by_layer.setdefault(layer, []).append(seconds)
    finally:
        provider.close()
    target = Target(what=f"five layers on one solution, {name}", figure=median(totals) * 1e3, bound=250, unit="ms")
    return target, {layer: round(median(values) * 1e3, 1) for layer, values in by_layer.items()}


def _one(
    provider: SandboxProvider,
    judges: JudgePool,
    solution: Solution,
    tasks: Mapping[str, Task],
    settings: Settings,
    budgets: Mapping[str, dict[str, float]],
) -> dict[str, float]:
    """Return the seconds that each sandboxed layer took; the first is charged with the judge's start."""
    taken: dict[str, float] = {}
    sandbox = provider.open()
    try:
        started = time.perf_counter()
        judge = judges.take(str(folders(tasks)[solution.task]))
        try:
            judge.open(solution, sandbox)
            verdict = ""
            for layer in ("unit", "props", "mutation"):
                update = {"budgets": budgets.get(solution.task, {}), "unit_verdict": verdict or None}
                outcome = judge.run(Job(layer=layer, settings=settings.model_copy(update=update)))
                verdict = outcome.result.verdict.value if layer == "unit" else verdict
                now = time.perf_counter()
                taken[layer], started = now - started, now
        finally:
            judge.close()
    finally:
        sandbox.close()
    return taken


def _budgets(
    provider: SandboxProvider, judges: JudgePool, tasks: Mapping[str, Task], settings: Settings
) -> dict[str, dict[str, float]]:
    """Measure the references of the tasks that have performance cases, and wait for every task's parent."""
    found: dict[str, dict[str, float]] = {}
    for reference in references(tasks):
        task = tasks[reference.task]
        sandbox = provider.open()
        judge = judges.take(str(folders(tasks)[task.id]))
        try:
            judge.open(reference, sandbox)
            measured = judge.run(Job(layer=CALIBRATE, settings=settings)).measures
        finally:
            judge.close()
            sandbox.close()
        found[task.id] = {
            case.id: max(PERFORMANCE_FLOOR_SECONDS, case.factor * measured[case.id]) for case in task.performance
        }
    return found


def _lint_share(solutions: list[Solution], tasks: Mapping[str, Task]) -> float:
    lint = Lint()
    items = [LintItem(id=s.id, source=s.source, untrusted=tasks[s.task].untrusted) for s in solutions]
    started = time.perf_counter()
    lint.run_batch(items)
    lint.annotate(items)
    return (time.perf_counter() - started) / len(items)
