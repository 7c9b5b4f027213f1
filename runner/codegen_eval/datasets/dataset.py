"""A problem set in memory: the problems by id, their tests on a shelf, and what was wrong with the file."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType, TracebackType
from typing import Self

from codegen_eval.fault import FaultLog

from .problem import Problem, Tests
from .shelf import Shelf


@dataclass(frozen=True, slots=True)
class DatasetSpec:
    """Which set, and where its file is."""

    name: str
    path: Path

    def __str__(self) -> str:
        return f"{self.name}={self.path}"


class Dataset:
    """The problems of one set. Close it, or use it as a `with` block."""

    def __init__(
        self, spec: DatasetSpec, problems: Mapping[str, Problem], shelf: Shelf, faults: FaultLog, *, digest: str
    ) -> None:
        self.spec = spec
        self.problems: Mapping[str, Problem] = MappingProxyType(dict(problems))
        """By id, in the order of the file."""
        self.faults = faults
        """Lines that gave no problem, each with the reason."""
        self.digest = digest
        """SHA-256 of the file as it is on disk."""
        self._shelf = shelf

    def tests(self, problem: str) -> Tests:
        """Return the tests of a problem.

        Raises:
            KeyError: there is no problem with that id.
        """
        return self._shelf.get(problem)

    def __len__(self) -> int:
        return len(self.problems)

    def close(self) -> None:
        """Let go of the tests."""
        self._shelf.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, exc: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
