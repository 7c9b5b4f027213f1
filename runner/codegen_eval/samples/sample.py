"""One answer of somebody's model to one problem, as it stands in a file."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from pydantic import Field

from codegen_eval.frozen import Frozen


class SampleKind(StrEnum):
    """What the text is."""

    COMPLETION = "completion"
    """What a model wrote after the prompt: as a rule the body of a function."""
    SOLUTION = "solution"
    """A program."""
    RAW = "raw"
    """A reply with prose and fences, from which a program has to be extracted."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Sample:
    """One sample. Its text is hostile, and may hold what no file can: halves of surrogate pairs."""

    task_id: str
    """The id of the problem, as the problem set writes it."""
    index: int
    """Its number among the samples of its problem, from 0, in the order of the file."""
    text: str
    kind: SampleKind
    path: str
    line: int | None = None
    """Where its record begins, from 1. None for a file of its own."""
    sub: int | None = None
    """Its place, from 0, in the list of its record."""
    record: Mapping[str, object] | None = field(default=None, repr=False, compare=False)
    """The whole record, where it holds this sample alone."""

    @property
    def origin(self) -> str:
        """Return where it stands, for people."""
        place = self.path if self.line is None else f"{self.path}:{self.line}"
        return place if self.sub is None else f"{place}[{self.sub}]"


class Coverage(Frozen):
    """Which problems have how many samples: what a rate is a rate of."""

    problems: int
    """In the problem set."""
    sampled: int
    """Of them, those with a sample or more."""
    samples: int = Field(ge=0)
    fewest: int
    """Samples of a problem that has any. 0 where none has."""
    most: int
    missing: tuple[str, ...]
    """Ids of the problems without a sample, in the order of the set."""
