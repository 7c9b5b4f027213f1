"""Cases of `flatten`."""

from __future__ import annotations

from codegen_eval.task import Case
from codegen_eval.verdict import FailureClass as F

_DEPTH = 50


def _nested(depth: int) -> list[object]:
    """Return lists in lists to a depth, with a number before and after each but the innermost."""
    inner: list[object] = [depth]
    for level in range(depth - 1, 0, -1):
        inner = [level, inner, -level]
    return inner


CASES: tuple[Case, ...] = (
    Case("one-level", ([1, [2, 3], 4],), [1, 2, 3, 4], aimed_at=F.WRONG_LOGIC, shown=True),
    Case("two-levels", ([1, [2, [3, 4]], [5]],), [1, 2, 3, 4, 5], aimed_at=F.WRONG_LOGIC, shown=True),
    Case("lists-only", ([[1, 2], [3], [[4, 5], 6]],), [1, 2, 3, 4, 5, 6], aimed_at=F.WRONG_LOGIC, shown=True),
    Case("nothing-nested", ([3, 1, 2],), [3, 1, 2], aimed_at=F.WRONG_LOGIC, shown=True),
    # edges that the statement names
    Case("empty", ([],), [], aimed_at=F.MISSED_EDGE_CASE),
    Case("empty-lists-inside", ([[], [[]], 1, [[], [2]], []],), [1, 2], aimed_at=F.MISSED_EDGE_CASE),
    Case("only-empty-lists", ([[], [[], [[]]]],), [], aimed_at=F.MISSED_EDGE_CASE),
    Case("four-levels", ([[[[1], 2], 3], 4],), [1, 2, 3, 4], aimed_at=F.MISSED_EDGE_CASE),
    Case("depth-21", (_nested(21),), [*range(1, 22), *range(-20, 0)], aimed_at=F.MISSED_EDGE_CASE),
    Case(
        "depth-50",
        (_nested(_DEPTH),),
        [*range(1, _DEPTH + 1), *range(1 - _DEPTH, 0)],
        aimed_at=F.MISSED_EDGE_CASE,
    ),
    Case("repeated-items", ([1, [2, 1], [[2, 2]], 1],), [1, 2, 1, 2, 2, 1], aimed_at=F.MISSED_EDGE_CASE),
    Case("falsy-items", ([0, [None, [False]], 0.0],), [0, None, False, 0.0], aimed_at=F.MISSED_EDGE_CASE),
    Case("empty-strings", (["", ["", [b""]]],), ["", "", b""], aimed_at=F.MISSED_EDGE_CASE),
    Case("input-unchanged", ([1, [2, [3]], []],), [1, 2, 3], aimed_at=F.MISSED_EDGE_CASE, unchanged=True),
    Case("flat-input-unchanged", ([2, 1],), [2, 1], aimed_at=F.MISSED_EDGE_CASE, unchanged=True),
    # only lists are opened
    Case("strings", (["ab", ["cd", ["e"]]],), ["ab", "cd", "e"], aimed_at=F.SILENT_TYPE_ERROR),
    Case("bytes", ([b"ab", [b"c"]],), [b"ab", b"c"], aimed_at=F.SILENT_TYPE_ERROR),
    Case("tuples", ([(1, 2), [(3,), 4]],), [(1, 2), (3,), 4], aimed_at=F.SILENT_TYPE_ERROR),
    Case("empty-tuple", ([(), [1, ()]],), [(), 1, ()], aimed_at=F.SILENT_TYPE_ERROR),
    Case("list-in-tuple", ([1, (2, [3, [4]])],), [1, (2, [3, [4]])], aimed_at=F.SILENT_TYPE_ERROR),
    Case("dictionaries", ([{"a": 1}, [{"b": [2, [3]]}]],), [{"a": 1}, {"b": [2, [3]]}], aimed_at=F.SILENT_TYPE_ERROR),
    Case("sets", ([{1}, [frozenset({2, 3})]],), [{1}, frozenset({2, 3})], aimed_at=F.SILENT_TYPE_ERROR),
    Case("mixed-types", ([1, ["1", [1.0, True]]],), [1, "1", 1.0, True], aimed_at=F.SILENT_TYPE_ERROR),
)


def ACCEPTS(nested: list[object]) -> bool:  # noqa: N802
    """Say whether the statement determines the answer: lists are nested to a depth of 50."""
    level: list[object] = [nested]
    for _ in range(_DEPTH):
        level = [item for inner in level if isinstance(inner, list) for item in inner]
    return not any(isinstance(item, list) for item in level)
