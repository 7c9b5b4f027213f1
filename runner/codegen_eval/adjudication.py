"""What people say of solutions whose truth nobody knows: kept beside the results, bound to the source they saw."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Self

from pydantic import Field, field_validator, model_validator

from codegen_eval.answers import NO_ANSWER, is_caught
from codegen_eval.errors import ResultsError
from codegen_eval.frozen import FormatOne, Frozen
from codegen_eval.json_file import dump_json, load_json, write_atomic
from codegen_eval.results import Results, ScoredSolution
from codegen_eval.verdict import FailureClass

MAX_NOTE = 4000
_MAX_SHOWN = 100
_MAX_FAULTS = 20
_SUFFIX = ".adjudication.json"
RULED_CLASSES = tuple(
    c for c in FailureClass if c not in {FailureClass.FRAGILE_PASS, FailureClass.UNANALYSABLE, FailureClass.NO_ANSWER}
)
"""The classes that a true failure can have: all that say something of the solution itself."""


class Ruling(StrEnum):
    """Whether a solution has a failure."""

    TRUE = "true"
    FALSE = "false"
    UNSURE = "unsure"
    """Counts in nothing."""


class Adjudication(Frozen):
    """What a person says of one solution."""

    solution: str
    digest: str = Field(pattern=r"^[0-9a-f]{64}$")
    """SHA-256 of the source that the person saw."""
    ruling: Ruling
    classes: tuple[FailureClass, ...] = ()
    """Of a true failure, one at least."""
    note: str = Field(default="", max_length=MAX_NOTE)

    @model_validator(mode="after")
    def _is_consistent(self) -> Self:
        if any(c not in RULED_CLASSES for c in self.classes) or len(set(self.classes)) != len(self.classes):
            raise ValueError("a class is given twice, or is none that a solution can have")
        if bool(self.classes) != (self.ruling is Ruling.TRUE):
            raise ValueError("a true failure has a class, and nothing else has one")
        return self


class Adjudications(Frozen):
    """All that was said of the solutions of one run."""

    format: FormatOne = 1
    entries: tuple[Adjudication, ...] = ()
    """Sorted by solution."""

    @field_validator("entries")
    @classmethod
    def _sort(cls, value: tuple[Adjudication, ...]) -> tuple[Adjudication, ...]:
        if len({entry.solution for entry in value}) != len(value):
            raise ValueError("a solution is adjudicated twice")
        return tuple(sorted(value, key=lambda entry: entry.solution))

    def by_solution(self) -> Mapping[str, Adjudication]:
        """Return the entries by solution."""
        return {entry.solution: entry for entry in self.entries}

    def with_entries(self, entries: Iterable[Adjudication]) -> Adjudications:
        """Return the same, with these in place of what was said of the same solutions."""
        return Adjudications(entries=tuple({**self.by_solution(), **{e.solution: e for e in entries}}.values()))

    def without(self, solution: str) -> Adjudications:
        """Return the same, with nothing said of that solution."""
        return Adjudications(entries=tuple(entry for entry in self.entries if entry.solution != solution))


def digest_of(source: str) -> str:
    """Return what binds an adjudication to a source."""
    return hashlib.sha256(source.encode("utf-8", "surrogatepass")).hexdigest()


def adjudication_path(results: Path) -> Path:
    """Return where adjudications of a results file are: `results.adjudication.json` beside `results.json`."""
    return results.with_name(results.name.removesuffix(".json") + _SUFFIX)


def load_adjudications(results_path: Path, results: Results) -> Adjudications:
    """Read what was said of a run so far; nothing where there is no file.

    Raises:
        ResultsError: the file does not validate, or is of other solutions or sources; names every one.
    """
    path = adjudication_path(results_path)
    if not path.exists():
        return Adjudications()
    try:
        found = load_json(path, Adjudications)
    except ResultsError as exc:
        hint = "`evalrun adjudicate` writes them; move the file away to start anew"
        raise ResultsError(exc.message.replace("results file", "adjudications", 1), hint=hint) from exc
    faults = list(_faults(found, results))
    if faults:
        more = f"; and {len(faults) - _MAX_FAULTS} more" if len(faults) > _MAX_FAULTS else ""
        raise ResultsError(
            f"adjudications `{path}` are not of these results: {'; '.join(faults[:_MAX_FAULTS])}{more}",
            hint="move the file away, or name the results that it was made for",
        )
    return found


def _faults(found: Adjudications, results: Results) -> Iterable[str]:
    known = {s.solution.id: s for s in up_for_ruling(results)}
    for entry in found.entries:
        if entry.solution not in known:
            yield f"{entry.solution[:_MAX_SHOWN]!a} is no solution of this run that can be judged"
        elif digest_of(known[entry.solution].solution.source) != entry.digest:
            yield f"{entry.solution[:_MAX_SHOWN]!a} has another source than the one that was judged"


def save_adjudications(results_path: Path, adjudications: Adjudications) -> None:
    """Write them beside the results, whole or not at all.

    Raises:
        InputError, EnvironmentFaultError: they can't be written there.
    """
    write_atomic(adjudication_path(results_path), dump_json(adjudications))


def up_for_ruling(results: Results) -> tuple[ScoredSolution, ...]:
    """Return the solutions that a person can judge: those with a whole source."""
    return tuple(s for s in results.solutions if s.solution.outcome not in NO_ANSWER)


@dataclass(frozen=True, slots=True, kw_only=True)
class Docket:
    """What a person is asked about, in an order that follows from the seed: whoever stops early has a random sample."""

    flagged: tuple[ScoredSolution, ...]
    """Every solution that some layer flags."""
    sampled: tuple[ScoredSolution, ...]
    """A simple random sample of those that no layer flags. A larger one has the smaller one in it."""

    @property
    def all(self) -> tuple[ScoredSolution, ...]:
        """The flagged ones, then the sample."""
        return (*self.flagged, *self.sampled)


def make_docket(results: Results, *, sample: int, seed: int) -> Docket:
    """Return what to ask about."""
    drawn = sorted(
        up_for_ruling(results),
        key=lambda s: hashlib.sha256(f"{seed}\0{s.solution.id}".encode("utf-8", "surrogatepass")).digest(),
    )
    return Docket(
        flagged=tuple(s for s in drawn if is_caught(s)),
        sampled=tuple(s for s in drawn if not is_caught(s))[:sample],
    )
