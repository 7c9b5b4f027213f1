"""What a run is about: tasks of our own form, or the problems of a public set."""

from __future__ import annotations

import difflib
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Protocol

from codegen_eval.errors import InputError
from codegen_eval.interfaces import Suites
from codegen_eval.resources import resource_root, user_cache
from codegen_eval.strategy import Briefing, Prompts
from codegen_eval.task import Task
from codegen_eval.task_loader import discover_tasks, find_task

if TYPE_CHECKING:
    from codegen_eval.datasets import Dataset, Problem  # imported only where there is a set

_NOT_IN_IDS = frozenset("@#~")
"""What stands in the id of a solution behind the task's."""


class Material(Protocol):
    """Where the tasks of a run come from."""

    @property
    def place(self) -> str | None:
        """How the command line names it; None: the shipped tasks."""

    @property
    def digest(self) -> str | None:
        """SHA-256 of the file; None for tasks, which have one each."""

    @property
    def briefing(self) -> Briefing:
        """What models are told."""

    def choose(self, wanted: Sequence[str], limit: int | None = None) -> tuple[str, ...]:
        """Return the ids that are meant, all where none is named, the first of them up to the limit.

        Raises:
            InputError: one is unknown, or can't be run.
        """

    def tasks(self, ids: Sequence[str]) -> dict[str, Task]:
        """Return tasks by id. What isn't there is left out."""

    def folders(self, ids: Sequence[str]) -> dict[str, Path]:
        """Return where judges find the tasks; empty where the tests come otherwise."""

    def suites(self, python: str | None) -> Suites | None:
        """Return the tests that came with the problems; None where tasks have cases of our own form.

        What canonical solutions answer in this version of Python is kept for later; None: nothing is kept.
        """

    @property
    def left_out(self) -> Mapping[str, str]:
        """What can't be run, whatever the solution, each with the reason."""

    def known_bad(self, ids: Sequence[str]) -> Mapping[str, str]:
        """Return those that are known to be bad, each with the reason."""


class OwnTasks:
    """Tasks of our own form: the shipped ones, or the user's."""

    digest: str | None = None
    left_out: Mapping[str, str] = MappingProxyType({})

    def __init__(self, folder: Path | None = None) -> None:
        """Read the tasks below a folder.

        Raises:
            TaskError: naming every problem of every task.
        """
        self._folder = resource_root() / "tasks" if folder is None else folder
        self._tasks = discover_tasks(folder)
        self.place = None if folder is None else str(folder.absolute())
        self.briefing: Briefing = Prompts()

    def choose(self, wanted: Sequence[str], limit: int | None = None) -> tuple[str, ...]:
        """Return ids, sorted."""
        for name in wanted:
            check_known("task", name, tuple(self._tasks))
        return tuple(name for name in self._tasks if not wanted or name in wanted)[:limit]

    def tasks(self, ids: Sequence[str]) -> dict[str, Task]:
        """Return tasks by id."""
        return {name: self._tasks[name] for name in ids if name in self._tasks}

    def folders(self, ids: Sequence[str]) -> dict[str, Path]:
        """Return the folders."""
        return {name: self._folder / name for name in ids}

    def suites(self, python: str | None) -> None:
        """Return nothing."""

    def known_bad(self, ids: Sequence[str]) -> Mapping[str, str]:  # noqa: ARG002  the seam tells them
        """Return nothing."""
        return {}


class ProblemSet:
    """The problems of a public set."""

    def __init__(self, dataset: Dataset) -> None:
        from codegen_eval.problem_prompts import ProblemPrompts

        self._dataset = dataset
        self.place = f"{dataset.spec.name}={dataset.spec.path.absolute()}"
        self.digest: str | None = dataset.digest
        self.briefing: Briefing = ProblemPrompts(lambda name: dataset.problems[name], dataset.tests)
        self.left_out: Mapping[str, str] = {
            problem.id: why
            for problem in dataset.problems.values()
            if (why := _why_unusable(problem, dataset)) is not None
        }

    def choose(self, wanted: Sequence[str], limit: int | None = None) -> tuple[str, ...]:
        """Return ids in the order of the file; those that can't be run only count where they are named."""
        from codegen_eval.samples.directory import IdDirectory

        directory = IdDirectory(self._dataset.problems)
        meant: set[str] = set()
        for name in wanted:
            found = directory.find(name)
            if found is None:
                raise InputError(f"there is no problem {name!a} in `{self._dataset.spec}`", hint=directory.hint(name))
            if found in self.left_out:
                raise InputError(f"problem `{found}` can't be run: {self.left_out[found]}")
            meant.add(found)
        able = [name for name in self._dataset.problems if name not in self.left_out]
        if not able:
            why = next(iter(self.left_out.values()))
            raise InputError(f"no problem of `{self._dataset.spec}` can be run: {why}")
        return tuple(name for name in able if not meant or name in meant)[:limit]

    def tasks(self, ids: Sequence[str]) -> dict[str, Task]:
        """Return problems as tasks, by id."""
        from codegen_eval.suite import Suite

        problems, tests = self._dataset.problems, self._dataset.tests
        return {name: Suite(problem=problems[name], tests=tests(name)).task for name in ids if name in problems}

    def folders(self, ids: Sequence[str]) -> dict[str, Path]:  # noqa: ARG002  the seam tells them
        """Return nothing."""
        return {}

    def suites(self, python: str | None) -> Suites:
        """Return the tests."""
        from codegen_eval.evaluation.shelf import SuiteShelf

        cache = Path(os.devnull) if python is None else user_cache() / "expected"
        return SuiteShelf(self._dataset, cache, python=python or "")

    def known_bad(self, ids: Sequence[str]) -> Mapping[str, str]:
        """Return those that are known to be bad."""
        found = {name: self._dataset.problems[name].known_bad for name in ids}
        return {name: why for name, why in found.items() if why is not None}


def _why_unusable(problem: Problem, dataset: Dataset) -> str | None:
    """Say why a problem can't be run. Tests that may be large are not looked at."""
    if problem.test_form == "unittest":
        from codegen_eval.datasets.problem import UnittestTests
        from codegen_eval.suite.apart import why_not_apart

        tests = dataset.tests(problem.id)
        if isinstance(tests, UnittestTests) and (why := why_not_apart(problem, tests)) is not None:
            return why
    if problem.entry_point is not None and not problem.entry_point.isascii():
        return "the name of its entry point is not ASCII"
    if set(problem.id) & _NOT_IN_IDS:
        return "its id holds `@`, `#` or `~`, which mean something in the ids of solutions"
    return None


def check_known(what: str, name: str, known: Sequence[str]) -> None:
    """Refuse a name that is none of the known ones.

    Raises:
        InputError: with the one that may be meant.
    """
    if name not in known:
        close = difflib.get_close_matches(name, known, 1)
        hint = f"did you mean `{close[0]}`?" if close else f"there are {', '.join(known)}"
        raise InputError(f"unknown {what} `{name}`", hint=hint)


@contextmanager
def open_material(*, dataset: str | None = None, tasks_dir: Path | None = None) -> Iterator[Material]:
    """Open what the command line names; the shipped tasks, where it names nothing.

    Raises:
        InputError: it names both, or what it names can't be read.
    """
    if dataset is None:
        yield OwnTasks(tasks_dir)
        return
    if tasks_dir is not None:
        raise InputError("`--dataset` and `--tasks-dir` both say what to run", hint="leave one of them out")
    from codegen_eval.datasets import read_dataset

    with read_dataset(dataset) as found:
        yield ProblemSet(found)


@dataclass(frozen=True, slots=True, kw_only=True)
class One:
    """One task, and where its judges find what it is judged by."""

    task: Task
    folder: Path | None = None
    suites: Suites | None = None
    problem: Problem | None = None
    """Where it is one of a public set."""
    known_bad: str | None = None


@contextmanager
def find_one(name: str, *, dataset: str | None = None, tasks_dir: Path | None = None) -> Iterator[One]:
    """Open one task of the user's or the shipped ones, or one problem of a set.

    Raises:
        InputError: there is none of that name, or what the command line names can't be read.
    """
    if dataset is None:
        task, folder = find_task(name, tasks_dir)
        yield One(task=task, folder=folder)
        return
    with open_material(dataset=dataset, tasks_dir=tasks_dir) as material:
        (found,) = material.choose([name])
        suites = material.suites(None)
        yield One(
            task=material.tasks([found])[found],
            suites=suites,
            problem=None if suites is None else suites.suite(found).problem,
            known_bad=material.known_bad([found]).get(found),
        )
