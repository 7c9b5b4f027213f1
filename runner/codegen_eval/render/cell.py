"""Cells and tables: what every report is made of before it is laid out."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import ROUND_HALF_EVEN, Decimal
from enum import Enum, auto

from codegen_eval.stats import wilson

NOTHING = "-"
"""A cell for which there is nothing to count."""
TEXT_HEADINGS = frozenset({"class", "failure", "now", "reason"})
"""Columns beside the first that hold words, not figures."""
_USD_SHOWN = Decimal("0.000001")


class Tone(Enum):
    """What a cell says, beside its text; colour only repeats it."""

    PLAIN = auto()
    GOOD = auto()
    BAD = auto()
    QUIET = auto()
    HEAD = auto()


@dataclass(frozen=True, slots=True)
class Cell:
    """One cell. The text may be hostile; who lays it out escapes it."""

    text: str
    tone: Tone = Tone.PLAIN


Row = tuple[Cell, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """A title, a heading for each column, rows, and notes below. The first column is a label."""

    title: str
    headings: tuple[str, ...]
    rows: tuple[Row, ...]
    notes: tuple[str, ...] = ()
    named: bool = False
    """The headings after the first are names, to be shown as they are; they may be hostile."""


def blank(n: int) -> Row:
    """Return so many empty cells."""
    return (Cell(""),) * n


def number(n: int, tone: Tone = Tone.PLAIN) -> Cell:
    """Return a count, quiet where it is 0."""
    return Cell(str(n), tone if n else Tone.QUIET)


def rate(hits: int, total: int, tone: Tone, *, intervals: bool) -> Cell:
    """Return hits of a total and their percentage; 100 % and 0 % only where it is exact."""
    if total == 0:
        return Cell(NOTHING, Tone.QUIET)
    percent = min(max(round(100 * hits / total), 1 if hits else 0), 100 if hits == total else 99)
    text = f"{hits}/{total}  {percent}%"
    if intervals:
        text += f" ({interval(wilson(hits, total))})"
    return Cell(text, tone if hits else Tone.QUIET)


def interval(ends: tuple[float, float] | None) -> str:
    """Return an interval of rates in percent."""
    return NOTHING if ends is None else f"{round(100 * ends[0])}-{round(100 * ends[1])}%"


def usd(amount: Decimal | None) -> str:
    """Return an amount of money."""
    return "unknown" if amount is None else f"{amount.quantize(_USD_SHOWN, ROUND_HALF_EVEN):f}"


def count(n: int, noun: str) -> str:
    """Return a number and its noun."""
    return f"{n} {noun}" if n == 1 else f"{n} {noun}s"
