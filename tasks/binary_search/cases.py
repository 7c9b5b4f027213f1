"""Cases of `binary_search`."""

from __future__ import annotations

from itertools import pairwise

from codegen_eval.task import Case
from codegen_eval.verdict import FailureClass

_ODD = [1, 3, 5, 7, 9]

CASES: tuple[Case, ...] = (
    Case("in-the-middle", (_ODD, 5), 2, aimed_at=FailureClass.WRONG_LOGIC, shown=True),
    Case("first", (_ODD, 1), 0, aimed_at=FailureClass.WRONG_LOGIC, shown=True),
    Case("last", (_ODD, 9), 4, aimed_at=FailureClass.WRONG_LOGIC, shown=True),
    Case("absent", (_ODD, 4), -1, aimed_at=FailureClass.WRONG_LOGIC, shown=True),
    Case("empty", ([], 1), -1, aimed_at=FailureClass.MISSED_EDGE_CASE),
    Case("one-element-found", ([7], 7), 0, aimed_at=FailureClass.MISSED_EDGE_CASE),
    Case("one-element-above", ([7], 8), -1, aimed_at=FailureClass.MISSED_EDGE_CASE),
    Case("second-of-two", ([2, 4], 4), 1, aimed_at=FailureClass.MISSED_EDGE_CASE),
    Case("last-of-eight", ([1, 2, 4, 8, 16, 32, 64, 128], 128), 7, aimed_at=FailureClass.MISSED_EDGE_CASE),
    Case("above-all", (_ODD, 10), -1, aimed_at=FailureClass.MISSED_EDGE_CASE),
    Case("below-all", (_ODD, 0), -1, aimed_at=FailureClass.MISSED_EDGE_CASE),
    Case("zero", ([-4, -2, 0, 3, 6, 8], 0), 2, aimed_at=FailureClass.MISSED_EDGE_CASE),
    Case("negative", ([-9, -7, -4, -2, 0, 3], -7), 1, aimed_at=FailureClass.MISSED_EDGE_CASE),
    Case("all-equal", ([2, 2, 2, 2, 2], 2), 0, aimed_at=FailureClass.MISSED_EDGE_CASE),
    Case("run-at-the-start", ([1, 1, 1, 1, 2, 3, 5], 1), 0, aimed_at=FailureClass.MISSED_EDGE_CASE),
    Case("run-in-the-middle", ([1, 2, 2, 2, 2, 2, 2, 3], 2), 1, aimed_at=FailureClass.MISSED_EDGE_CASE),
    Case("run-at-the-end", ([1, 3, 4, 6, 6, 6, 6, 6], 6), 3, aimed_at=FailureClass.MISSED_EDGE_CASE),
    Case("absent-between-runs", ([1, 1, 1, 3, 3, 3], 2), -1, aimed_at=FailureClass.SILENT_TYPE_ERROR),
    Case("list-left-alone", ([1, 3, 5, 7, 9, 11], 11), 5, aimed_at=FailureClass.MISSED_EDGE_CASE, unchanged=True),
)


def ACCEPTS(arr: list[int], target: int) -> bool:  # noqa: N802
    """Say whether the statement determines the answer: the list is sorted."""
    del target
    return all(one <= other for one, other in pairwise(arr))
