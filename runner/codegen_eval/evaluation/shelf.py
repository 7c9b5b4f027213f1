"""A problem set as the pipeline sees it: suites by problem, and what canonical solutions answered."""

from __future__ import annotations

import contextlib
import hashlib
import threading
from collections import OrderedDict
from collections.abc import Iterator, Mapping
from pathlib import Path

from codegen_eval import __version__
from codegen_eval.datasets import Dataset, Problem
from codegen_eval.datasets.problem import InputTests
from codegen_eval.errors import CodegenEvalError
from codegen_eval.json_file import write_atomic
from codegen_eval.suite import Suite
from codegen_eval.task import Task

_MAX_BYTES = 64 << 20
_MOST_HELD = 64


class SuiteShelf:
    """Suites of one set. Answers are kept in files, so that another evaluation need not ask again."""

    def __init__(self, dataset: Dataset, cache: Path, *, python: str) -> None:
        self._dataset = dataset
        self._cache = cache
        self._python = python
        """Version of the Python that answers: another one may answer otherwise."""

    def suite(self, problem: str) -> Suite:
        """Return a problem with its tests."""
        found, tests = self._dataset.problems[problem], self._dataset.tests(problem)
        suite = Suite(problem=found, tests=tests)
        if not isinstance(tests, InputTests):
            return suite
        answers = self._read(self._path(suite))
        return suite if answers is None else suite.model_copy(update={"expected": answers})

    def keep(self, suite: Suite, answers: str) -> None:
        """Remember what the canonical solution answers."""
        body = answers.encode("ascii")
        data = hashlib.sha256(body).hexdigest().encode("ascii") + b"\n" + body
        if len(data) <= _MAX_BYTES:
            with contextlib.suppress(CodegenEvalError, OSError):  # without a cache it is slower, and that is all
                self._cache.mkdir(parents=True, exist_ok=True)
                write_atomic(self._path(suite), data)

    def _path(self, suite: Suite) -> Path:
        key = hashlib.sha256(f"{__version__} {self._python} {suite.task.digest}".encode()).hexdigest()
        return self._cache / f"{key}.json"

    @staticmethod
    def _read(path: Path) -> str | None:
        """Return what is kept in a file; None where there is none, or none that is whole."""
        try:
            if not path.is_file() or path.stat().st_size > _MAX_BYTES:
                return None
            digest, _, body = path.read_bytes().partition(b"\n")
            whole = digest == hashlib.sha256(body).hexdigest().encode("ascii")
            return body.decode("ascii") if whole else None
        except (OSError, UnicodeDecodeError):
            return None


class SuiteTasks(Mapping[str, Task]):
    """The problems of a set as tasks. Few are held at a time: their statements and tests may be large."""

    def __init__(self, shelf: SuiteShelf, problems: Mapping[str, Problem]) -> None:
        self._shelf = shelf
        self._problems = problems
        self._held: OrderedDict[str, Task] = OrderedDict()
        self._lock = threading.Lock()

    def __getitem__(self, name: str) -> Task:
        with self._lock:
            if name in self._held:
                self._held.move_to_end(name)
                return self._held[name]
        task = self._shelf.suite(name).task
        with self._lock:
            self._held[name] = task
            while len(self._held) > _MOST_HELD:
                self._held.popitem(last=False)
        return task

    def __iter__(self) -> Iterator[str]:
        return iter(self._problems)

    def __len__(self) -> int:
        return len(self._problems)
