"""Where the samples of an evaluation come from: files of somebody's, or the programs that the set itself holds."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from enum import StrEnum
from pathlib import Path
from typing import Protocol

from codegen_eval.datasets import Dataset, Problem
from codegen_eval.fault import FaultLog
from codegen_eval.frozen import path_text
from codegen_eval.samples import Coverage, Sample, SampleKind, read_samples


class Own(StrEnum):
    """Programs that come with the problems."""

    REFERENCES = "references"
    """The canonical solutions: all of them should pass."""
    BUGGY = "buggy"
    """Programs with a known bug, where the set has any: none of them should pass."""


class Stream(Protocol):
    """Samples one by one. Faults and coverage are whole when all have been read."""

    faults: FaultLog

    def __iter__(self) -> Iterator[Sample]:
        """Read on."""

    @property
    def coverage(self) -> Coverage:
        """Which problems have how many of the samples read so far."""


def read_source(samples: Path | Own, dataset: Dataset) -> Stream:
    """Return the samples to be read one by one.

    Raises:
        InputError: they can't be read at all; raised when reading begins.
    """
    if isinstance(samples, Own):
        return OwnSamples(samples, dataset.problems, dataset.spec.path)
    return read_samples(samples, dataset.problems)


class OwnSamples:
    """The programs of a set as samples, one for a problem."""

    def __init__(self, which: Own, problems: Mapping[str, Problem], path: Path) -> None:
        self._which = which
        self._problems = problems
        self._path = path
        self.faults = FaultLog()

    def __iter__(self) -> Iterator[Sample]:
        for problem in self._problems.values():
            text = self._text(problem)
            if text is not None:
                yield Sample(
                    task_id=problem.id,
                    index=0,
                    text=text,
                    kind=SampleKind.SOLUTION,
                    path=path_text(self._path),
                    line=problem.line,
                )

    @property
    def coverage(self) -> Coverage:
        """Which problems have such a program."""
        missing = tuple(problem.id for problem in self._problems.values() if self._text(problem) is None)
        count = len(self._problems) - len(missing)
        return Coverage(
            problems=len(self._problems),
            sampled=count,
            samples=count,
            fewest=min(count, 1),
            most=min(count, 1),
            missing=missing,
        )

    def _text(self, problem: Problem) -> str | None:
        return problem.canonical if self._which is Own.REFERENCES else problem.buggy
