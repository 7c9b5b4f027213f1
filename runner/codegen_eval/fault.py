"""What is wrong with a line of somebody's file, said so that they can find and mend it.

A fault never stops the rest of a file. How many there are is counted; so that a file of rubbish costs no memory, only
the first ones are kept.
"""

from __future__ import annotations

from collections.abc import Iterator

from codegen_eval.frozen import Frozen, PathText

MAX_KEPT = 1000
"""Faults that a log keeps; the rest are counted."""


class Fault(Frozen):
    """One thing that is wrong in a file."""

    path: PathText
    line: int | None = None
    """Counted from one. None where the file as a whole is meant."""
    what: str
    hint: str | None = None

    def __str__(self) -> str:
        place = self.path if self.line is None else f"{self.path}:{self.line}"
        text = f"{place}: {self.what}" + (f" ({self.hint})" if self.hint else "")
        return "".join(char if char.isprintable() else ascii(char)[1:-1] for char in text)


class FaultLog:
    """The faults of one reading, in the order in which they were met."""

    def __init__(self) -> None:
        self._kept: list[Fault] = []
        self._count = 0

    def add(self, fault: Fault) -> None:
        """Count a fault, and keep it if it is one of the first."""
        self._count += 1
        if len(self._kept) < MAX_KEPT:
            self._kept.append(fault)

    @property
    def kept(self) -> tuple[Fault, ...]:
        """The first faults."""
        return tuple(self._kept)

    def __len__(self) -> int:
        """Return how many there were, those that were not kept included."""
        return self._count

    def __iter__(self) -> Iterator[Fault]:
        return iter(self.kept)
