"""Cases of `moving_average`."""

from __future__ import annotations

import math

from codegen_eval.task import Case, PerformanceCase
from codegen_eval.verdict import FailureClass as F

_TOLERANCE = 1e-6
_PERIOD = 7
_WIDE = 1 << 15
"""A power of two: with small whole numbers each way of adding up gives the very same floats."""


def _wave(size: int) -> tuple[list[float], int]:
    """Return whole numbers that repeat, and a window of about two thirds of them."""
    return [float(i % _PERIOD) for i in range(size)], min(_WIDE, size)


def _means_of_wave(size: int) -> list[float]:
    values, window = _wave(size)
    total = sum(values[:window])
    means = [total / window]
    for old, new in zip(values, values[window:], strict=False):
        total += new - old
        means.append(total / window)
    return means


CASES: tuple[Case, ...] = (
    Case("pairs", ([1, 2, 3, 4], 2), [1.5, 2.5, 3.5], aimed_at=F.WRONG_LOGIC, shown=True, tolerance=_TOLERANCE),
    Case(
        "triples",
        ([10, 20, 30, 40, 80], 3),
        [20.0, 30.0, 50.0],
        aimed_at=F.WRONG_LOGIC,
        shown=True,
        tolerance=_TOLERANCE,
    ),
    Case("floats", ([0.5, 1.5, 4.0], 2), [1.0, 2.75], aimed_at=F.WRONG_LOGIC, shown=True, tolerance=_TOLERANCE),
    # edges that the statement names
    Case("window-one-wider", ([1, 2, 3], 4), [], aimed_at=F.MISSED_EDGE_CASE),
    Case("window-much-wider", ([4.0, 6.0], 100), [], aimed_at=F.MISSED_EDGE_CASE),
    Case("one-value-window-two", ([5.0], 2), [], aimed_at=F.MISSED_EDGE_CASE),
    Case("window-of-all", ([2, 4, 6, 9], 4), [5.25], aimed_at=F.MISSED_EDGE_CASE, tolerance=_TOLERANCE),
    Case("no-values", ([], 1), [], aimed_at=F.MISSED_EDGE_CASE),
    Case("no-values-wide", ([], 3), [], aimed_at=F.MISSED_EDGE_CASE),
    Case("one-value", ([7.5], 1), [7.5], aimed_at=F.MISSED_EDGE_CASE, tolerance=_TOLERANCE),
    Case("window-zero", ([1, 2, 3], 0), raises=ValueError, aimed_at=F.MISSED_EDGE_CASE),
    Case("window-minus-one", ([1, 2, 3], -1), raises=ValueError, aimed_at=F.MISSED_EDGE_CASE),
    Case("window-negative", ([1.0, 2.0], -7), raises=ValueError, aimed_at=F.MISSED_EDGE_CASE),
    Case("window-zero-no-values", ([], 0), raises=ValueError, aimed_at=F.MISSED_EDGE_CASE),
    Case("window-negative-no-values", ([], -2), raises=ValueError, aimed_at=F.MISSED_EDGE_CASE),
    Case("not-rounded", ([1, 1, 2, 3], 3), [4 / 3, 2.0], aimed_at=F.MISSED_EDGE_CASE, tolerance=_TOLERANCE),
    Case("small-means", ([1e-5, 2e-5, 0], 2), [1.5e-5, 1e-5], aimed_at=F.MISSED_EDGE_CASE, tolerance=_TOLERANCE),
    Case(
        "negative-values",
        ([-10_000, 10_000, -3, -4], 2),
        [0.0, 4_998.5, -3.5],
        aimed_at=F.MISSED_EDGE_CASE,
        tolerance=_TOLERANCE,
    ),
    Case(
        "input-unchanged",
        ([3, 1, 2], 2),
        [2.0, 1.5],
        aimed_at=F.MISSED_EDGE_CASE,
        tolerance=_TOLERANCE,
        unchanged=True,
    ),
    # always floats
    Case("window-one-integers", ([3, -1, 0], 1), [3.0, -1.0, 0.0], aimed_at=F.SILENT_TYPE_ERROR, tolerance=_TOLERANCE),
    Case("zeros", ([0, 0, 0], 2), [0.0, 0.0], aimed_at=F.SILENT_TYPE_ERROR, tolerance=_TOLERANCE),
)

PERFORMANCE: tuple[PerformanceCase, ...] = (
    PerformanceCase(id="wide-window", size=50_000, make_args=_wave, returns=_means_of_wave),
)


def ACCEPTS(values: list[float], window: int) -> bool:  # noqa: N802
    """Say whether the statement determines the answer: neither the values nor their number are too large."""
    del window
    return len(values) <= 50_000 and all(math.isfinite(value) and abs(value) <= 10_000 for value in values)
