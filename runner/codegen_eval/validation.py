"""Are the tasks sound, and is the corpus what its manifest says? Both asked of real sandboxes."""

from __future__ import annotations

import ast
import secrets
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import structlog

from codegen_eval.battery import LAYERS
from codegen_eval.corpus import load_manifest, reply_text
from codegen_eval.errors import CodegenEvalError, InputError, SandboxUnavailableError, TaskError
from codegen_eval.events import Event
from codegen_eval.extraction import extract
from codegen_eval.interfaces import NoStore, SandboxProvider
from codegen_eval.judge.bench import Settings
from codegen_eval.judge.pool import JudgePool
from codegen_eval.judge.server import SOUNDNESS, WITNESS, Job
from codegen_eval.pipeline import Pipeline, Plan
from codegen_eval.progress import Progress
from codegen_eval.resources import resource_root
from codegen_eval.sandbox.choice import Wish, choose_sandbox
from codegen_eval.solution import Solution, Strategy
from codegen_eval.strategy import TURNS
from codegen_eval.task import Task
from codegen_eval.task_loader import discover_tasks, load_task
from codegen_eval.verdict import LayerResult, Verdict


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """What is to say of one task."""

    task: str
    folder: Path
    problems: tuple[str, ...]
    """What is unsound about it, or why it can't be read."""
    loaded: bool = True
    notes: tuple[str, ...] = ()
    """What is worth knowing of a sound task: how many cases it has, how many mutants they kill."""


def validate_tasks(folders: Sequence[Path], wish: Wish, progress: Progress) -> list[Report]:
    """Return what is to say of the tasks in these folders, in their order.

    A task that can't be read is a report like another.

    Raises:
        InputError: two of them have the same id.
        SandboxUnavailableError: there is no sandbox to run them in.
    """
    reports: dict[str, Report] = {}
    sound: dict[str, tuple[Task, Path]] = {}
    for folder in folders:
        if folder.name in reports or folder.name in sound:
            raise InputError(f"there are two tasks `{folder.name}`", hint="validate one after the other")
        loaded = _load(folder)
        if isinstance(loaded, Task):
            sound[folder.name] = loaded, folder
        else:
            reports[folder.name] = loaded
    if sound:
        with _provider(wish) as provider:
            reports |= _Validator(provider, wish, progress).reports(sound)
    return [reports[folder.name] for folder in folders]


def _load(folder: Path) -> Task | Report:
    problems = []
    for bug in sorted((folder / "bugs").glob("*.py")):
        if not bug.is_file():
            problems.append(f"`bugs/{bug.name}` is not a regular file")
            continue
        try:
            ast.parse(bug.read_text(encoding="utf-8"))
        except SyntaxError as exc:
            problems.append(f"`bugs/{bug.name}` does not compile: {exc.msg} (line {exc.lineno})")
        except (OSError, ValueError) as exc:
            problems.append(f"`bugs/{bug.name}` can't be read: {exc}")
    try:
        task = load_task(folder)
    except TaskError as exc:
        prefix = f"task `{folder.name}`: "
        problems = [line.removeprefix(prefix) for line in exc.message.splitlines()] + problems
        return Report(task=folder.name, folder=folder, problems=tuple(problems), loaded=False)
    return Report(task=folder.name, folder=folder, problems=tuple(problems), loaded=False) if problems else task


class _Validator:
    """Validates tasks that can be read, several at a time."""

    def __init__(self, provider: SandboxProvider, wish: Wish, progress: Progress) -> None:
        self._provider = provider
        self._wish = wish
        self._progress = progress

    def reports(self, tasks: Mapping[str, tuple[Task, Path]]) -> dict[str, Report]:
        """Return what is to say of each task: of its own soundness, and where that holds, of its reference."""
        problems: dict[str, list[str]] = {}
        with self._progress:
            self._progress.start(len(tasks))
            with JudgePool() as judges, ThreadPoolExecutor(min(self._wish.jobs, len(tasks))) as executor:
                asked = {
                    name: executor.submit(self._soundness, task, folder, judges)
                    for name, (task, folder) in tasks.items()
                }
                try:
                    problems = {name: future.result() for name, future in asked.items()}
                except BaseException:
                    executor.shutdown(wait=False, cancel_futures=True)
                    raise
        sound = {name: tasks[name] for name, found in problems.items() if not found}
        passed = self._battery(sound) if sound else {}
        notes: dict[str, tuple[str, ...]] = {}
        for name, results in passed.items():
            problems[name] += _battery_problems(results)
            notes[name] = (_counts(tasks[name][0]), _mutation(results["mutation"]))
        return {
            name: Report(task=name, folder=folder, problems=tuple(problems[name]), notes=notes.get(name, ()))
            for name, (_, folder) in tasks.items()
        }

    def _soundness(self, task: Task, folder: Path, judges: JudgePool) -> list[str]:
        self._progress.solution_started(task.id)
        try:
            result = _ask(SOUNDNESS, folder, _reference(task), self._provider, judges)
        except SandboxUnavailableError:
            raise
        except CodegenEvalError as exc:
            return [f"it could not be checked: {exc.message}"]
        finally:
            self._progress.solution_finished(task.id, Verdict.PASS)
        problems = [finding.message for finding in result.findings]
        if result.verdict is Verdict.ERROR:
            problems.append(result.reason or "it could not be checked")
        return list(dict.fromkeys(problems))

    def _battery(self, tasks: Mapping[str, tuple[Task, Path]]) -> dict[str, Mapping[str, LayerResult]]:
        """Run the whole battery on the references."""
        plan = Plan(layers=LAYERS, settings=Settings(), jobs=self._wish.jobs, memory_mib=self._wish.memory_mib)
        pipeline = Pipeline(
            plan,
            tasks={name: task for name, (task, _) in tasks.items()},
            task_folders={name: folder for name, (_, folder) in tasks.items()},
            provider=self._provider,
            store=NoStore(),
            progress=self._progress,
        )
        judged = pipeline.run([_reference(task) for task, _ in tasks.values()])
        return {one.solution.task: one.results for one in judged.values()}


def _battery_problems(results: Mapping[str, LayerResult]) -> list[str]:
    """The reference passes, or is skipped by, every layer."""
    return [
        f"the reference does not pass layer {result.layer}: {result.reason or _first(result)}"
        for result in results.values()
        if result.verdict in {Verdict.FAIL, Verdict.ERROR}
    ]


def _reference(task: Task) -> Solution:
    return Solution(id=f"{task.id}/reference", task=task.id, strategy=None, model="", source=task.reference)


def _first(result: LayerResult) -> str:
    finding = result.findings[0]
    others = [more.message for more in result.findings[1:]] if result.layer == "mutation" else []
    place = f" (line {finding.line} of `reference.py`)" if finding.line else ""
    return "; ".join([finding.message + place, *others])


def _counts(task: Task) -> str:
    parts = [f"{len(task.shown)} shown and {len(task.cases) - len(task.shown)} hidden cases"]
    parts += [f"{len(task.performance)} of performance"] if task.performance else []
    return ", ".join([*parts, f"{len(task.properties)} properties"])


def _mutation(result: LayerResult) -> str:
    """Say how many mutants of the reference its cases kill."""
    facts = result.facts
    if "score_percent" not in facts:
        return f"mutation does not apply: {result.reason}"
    decided = int(facts["killed"]) + int(facts["survived"])
    return f"cases kill {facts['killed']} of {decided} mutants of the reference ({facts['score_percent']} %)"


def validate_corpus(wish: Wish) -> dict[str, str | None]:
    """Return, for each seeded solution, why its witness does not show the failure; None where it does.

    Raises:
        CorpusError: the manifest does not validate.
    """
    verdicts: dict[str, str | None] = {}
    tasks = discover_tasks()
    with _provider(wish) as provider, JudgePool() as judges:
        for entry in load_manifest().seeded:
            source = corpus_source(tasks[entry.task], entry.strategy)
            solution = Solution(id=entry.id, task=entry.task, strategy=entry.strategy, model="mock", source=source)
            result = _ask(WITNESS, resource_root() / "tasks" / entry.task, solution, provider, judges)
            why = result.reason or next((finding.message for finding in result.findings), "")
            verdicts[entry.id] = None if result.verdict is Verdict.PASS else why
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


def _ask(job: str, folder: Path, solution: Solution, provider: SandboxProvider, judges: JudgePool) -> LayerResult:
    """Have a judge do one job in a sandbox of its own."""
    sandbox = provider.open()
    judge = judges.take(str(folder))
    try:
        judge.open(solution, sandbox)
        return judge.run(Job(layer=job, settings=Settings())).result
    finally:
        judge.close()
        sandbox.close()
