"""Where the samples of an evaluation come from: files of somebody's, or the programs that the set itself holds."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from enum import StrEnum
from itertools import islice
from pathlib import Path
from typing import Protocol

from codegen_eval.datasets import Dataset, Problem
from codegen_eval.errors import InputError
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


class SteadySamples:
    """The samples of an evaluation, read as often as it takes: they must be the same each time.

    What is judged in one reading is told in another, and the two are matched by their places.
    """

    def __init__(self, samples: Path | Own, dataset: Dataset, limit: int | None) -> None:
        self._samples = samples
        self._dataset = dataset
        self._limit = limit
        self._first: bytes | None = None
        """The digest of those within the limit, once they have been read."""

    def survey(self) -> Stream:
        """Read all of them, those beyond the limit as well, and return what tells of them.

        Raises:
            InputError: they can't be read at all.
        """
        stream = read_source(self._samples, self._dataset)
        digest = hashlib.sha256()
        for place, sample in enumerate(stream):
            if self._limit is None or place < self._limit:
                _note(digest, sample)
        self._first = digest.digest()
        return stream

    def __iter__(self) -> Iterator[Sample]:
        """Yield those within the limit.

        Raises:
            InputError: they are others than they were; raised when all have been read.
        """
        digest = hashlib.sha256()
        for sample in islice(read_source(self._samples, self._dataset), self._limit):
            _note(digest, sample)
            yield sample
        if self._first is not None and digest.digest() != self._first:
            raise InputError(
                f"`{self._samples}` has changed while it was evaluated",
                hint="nothing is told of it; evaluate it again when nobody writes to it",
            )


def _note(digest: hashlib._Hash, sample: Sample) -> None:
    for part in (sample.task_id, sample.text):
        data = part.encode("utf-8", "surrogatepass")
        digest.update(len(data).to_bytes(8, "big") + data)


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
