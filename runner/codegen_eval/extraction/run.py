"""Code that stands among prose: lines that go together, read without any fence."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from .fence import is_statement, move_left
from .lines import StringTracker


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """Lines that may be code, from a statement at the left margin on."""

    code: str
    is_whole: bool
    """There is nothing else in the text."""
    at_end: bool
    """The text ends with it."""


def runs(text: str) -> tuple[Run, ...]:
    """Return the runs of a text in their order."""
    lines = _mend_start(text).split("\n")
    spans = list(_spans(lines))
    while lines and not lines[-1].strip():
        lines.pop()
    alone = len(spans) == 1 and not any(line.strip() for line in lines[: spans[0][0]])
    return tuple(
        Run(
            code="\n".join(lines[start:end]),
            is_whole=alone and end >= len(lines),
            at_end=end >= len(lines),
        )
        for start, end in spans
    )


def without_prose(code: str) -> str:
    """Leave out the prose that follows code."""
    lines = code.split("\n")
    spans = list(_spans(lines))
    if not spans or any(line.strip() for line in lines[: spans[0][0]]):
        return code
    end = spans[-1][1]
    tail = [line for line in lines[end:] if line.strip()]
    return "\n".join(lines[:end]) + "\n" if len(spans) == 1 and tail else code


def _spans(lines: list[str]) -> Iterator[tuple[int, int]]:
    """Yield where runs begin and end. A string with three quotes goes on over any line."""
    start: int | None = None
    string = StringTracker()
    for number, line in enumerate(lines):
        goes_on = string.is_open or not line.strip() or line[0] in " \t"
        if start is not None and not goes_on and not is_statement(line):
            yield start, number
            start = None
        elif start is None and line.strip() and is_statement(line):
            start, string = number, StringTracker()
        if start is not None:
            string.read(line)
    if start is not None:
        yield start, len(lines)


def _mend_start(text: str) -> str:
    """Undo the indentation of a reply as a whole, or the stray blank that some models begin with."""
    moved = move_left(text)
    return moved if moved != text else text.lstrip(" \t\n")
