"""Are the tasks sound, and is the corpus what its manifest says? Both asked of real sandboxes."""

from __future__ import annotations

import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import structlog

from codegen_eval.battery import LAYERS
from codegen_eval.corpus import load_manifest, reply_text
from codegen_eval.events import Event
from codegen_eval.extraction import extract
from codegen_eval.interfaces import NoStore, SandboxProvider
from codegen_eval.judge.bench import Settings
from codegen_eval.judge.pool import JudgePool
from codegen_eval.judge.server import SOUNDNESS, WITNESS, Job
from codegen_eval.pipeline import Pipeline, Plan
from codegen_eval.progress import SilentProgress
from codegen_eval.resources import resource_root
from codegen_eval.sandbox.choice import Wish, choose_sandbox
from codegen_eval.solution import Solution, Strategy
from codegen_eval.strategy import TURNS
from codegen_eval.task import Task
from codegen_eval.task_loader import discover_tasks, find_task
from codegen_eval.verdict import LayerResult, Verdict


def validate_tasks(names: tuple[str, ...], root: Path | None, wish: Wish) -> dict[str, list[str]]:
    """Return what is unsound about each task.

    Raises:
        InputError: an unknown task, or one that doesn't load.
    """
    folder = resource_root() / "tasks" if root is None else root
    tasks = {name: find_task(name, root)[0] for name in names} if names else discover_tasks(root)
    problems: dict[str, list[str]] = {}
    for task in tasks.values():
        reference = Solution(id=f"{task.id}/reference", task=task.id, strategy=None, model="", source=task.reference)
        result = _ask(SOUNDNESS, folder / task.id, reference, wish)
        problems[task.id] = [finding.message for finding in result.findings]
        if result.verdict is Verdict.ERROR:
            problems[task.id].append(result.reason or "it could not be checked")
        if not problems[task.id]:
            problems[task.id] = _battery_problems(task, folder / task.id, reference, wish)
    return problems


def _battery_problems(task: Task, folder: Path, reference: Solution, wish: Wish) -> list[str]:
    """The reference passes, or is skipped by, every layer."""
    plan = Plan(layers=LAYERS, settings=Settings(), jobs=1, memory_mib=wish.memory_mib)
    with _provider(wish) as provider:
        pipeline = Pipeline(
            plan,
            tasks={task.id: task},
            task_folders={task.id: folder},
            provider=provider,
            store=NoStore(),
            progress=SilentProgress(),
        )
        results = pipeline.run([reference])[reference.id].results.values()
    return [
        f"the reference does not pass layer {result.layer}: {result.reason or result.findings[0].message}"
        for result in results
        if result.verdict in {Verdict.FAIL, Verdict.ERROR}
    ]


def validate_corpus(wish: Wish) -> dict[str, str | None]:
    """Return, for each seeded solution, why its witness does not show the failure; None where it does.

    Raises:
        CorpusError: the manifest does not validate.
    """
    verdicts: dict[str, str | None] = {}
    tasks = discover_tasks()
    for entry in load_manifest().seeded:
        source = corpus_source(tasks[entry.task], entry.strategy)
        solution = Solution(id=entry.id, task=entry.task, strategy=entry.strategy, model="mock", source=source)
        result = _ask(WITNESS, resource_root() / "tasks" / entry.task, solution, wish)
        verdicts[entry.id] = None if result.verdict is Verdict.PASS else (result.reason or result.findings[0].message)
    return verdicts


def corpus_source(task: Task, strategy: Strategy) -> str:
    """Return the final code of one canned answer.

    Raises:
        CorpusError: the reply is missing.
    """
    return extract(reply_text(task.id, strategy, TURNS[strategy] - 1), task.text.entry_point).code or ""


@contextmanager
def _provider(wish: Wish) -> Iterator[SandboxProvider]:
    choice = choose_sandbox(wish, run_id=secrets.token_hex(8))
    if choice.warning:
        structlog.get_logger().warning(Event.SANDBOX_CHOSEN, sandbox=choice.provider.name, warning=choice.warning)
    provider = choice.provider
    try:
        yield provider
    finally:
        provider.close()


def _ask(job: str, folder: Path, solution: Solution, wish: Wish) -> LayerResult:
    """Have a judge do one job in a sandbox of its own."""
    with _provider(wish) as provider:
        sandbox = provider.open()
        with JudgePool() as judges:
            judge = judges.take(str(folder))
            try:
                judge.open(solution, sandbox)
                return judge.run(Job(layer=job, settings=Settings())).result
            finally:
                judge.close()
                sandbox.close()
