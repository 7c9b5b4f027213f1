"""Figures, targets, and the tables that show both."""

from __future__ import annotations

import math
import statistics
from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """What a figure should be, and what it is."""

    what: str
    figure: float
    bound: float
    unit: str
    at_least: bool = False

    @property
    def met(self) -> bool:
        """Say whether the figure is on the right side of its bound."""
        return self.figure >= self.bound if self.at_least else self.figure <= self.bound

    def line(self) -> str:
        """Return one line of a report."""
        sign = ">=" if self.at_least else "<="
        told = f"{self.figure:.4g} {self.unit}".strip()
        wanted = f"{sign} {self.bound:g} {self.unit}".strip()
        return f"{self.what:58} {told:>14}   target {wanted:14} {'met' if self.met else 'MISSED'}"


def percentile(values: Sequence[float], share: float) -> float:
    """Return the smallest value that this share of all values does not exceed."""
    ordered = sorted(values)
    return ordered[max(0, math.ceil(share * len(ordered)) - 1)] if ordered else math.nan


def median(values: Sequence[float]) -> float:
    """Return the median, NaN of nothing."""
    return statistics.median(values) if values else math.nan


def median_ratio(above: Sequence[float], below: Sequence[float]) -> float:
    """Return the median of the ratios round by round, which drift of the machine leaves alone."""
    return median([one / other for one, other in zip(above, below, strict=False) if other])


def table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Return a plain table: the first column to the left, figures to the right."""
    widths = [max(len(row[column]) for row in (header, *rows)) for column in range(len(header))]
    lines = [
        "  ".join(cell.rjust(width) if column else cell.ljust(width) for column, (cell, width) in enumerate(cells))
        for cells in (list(zip(row, widths, strict=True)) for row in (header, *rows))
    ]
    lines.insert(1, "─" * len(lines[0]))
    return "\n".join(line.rstrip() for line in lines)
