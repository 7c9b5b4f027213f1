"""Cases of `has_duplicates`."""

from __future__ import annotations

from codegen_eval.task import Case, PerformanceCase
from codegen_eval.verdict import FailureClass

WRONG = FailureClass.WRONG_LOGIC
EDGE = FailureClass.MISSED_EDGE_CASE
TYPE = FailureClass.SILENT_TYPE_ERROR

CASES: tuple[Case, ...] = (
    Case("side-by-side", ([1, 2, 2, 3],), returns=True, aimed_at=WRONG, shown=True),
    Case("apart", ([1, 2, 3, 1],), returns=True, aimed_at=WRONG, shown=True),
    Case("all-different", ([1, 2, 3, 4],), returns=False, aimed_at=WRONG, shown=True),
    Case("words", (["red", "green", "red"],), returns=True, aimed_at=WRONG, shown=True),
    # fails: too short a list is an error, or is answered by something else than False
    Case("empty", ([],), returns=False, aimed_at=TYPE),
    Case("one", ([7],), returns=False, aimed_at=EDGE),
    Case("two-equal", ([7, 7],), returns=True, aimed_at=EDGE),
    Case("two-different", ([7, 8],), returns=False, aimed_at=EDGE),
    # fails: the first or the last item is left out
    Case("last-two", ([1, 2, 3, 3],), returns=True, aimed_at=WRONG),
    Case("first-two", ([3, 3, 1, 2],), returns=True, aimed_at=WRONG),
    # fails: only pairs are looked for
    Case("three-times", ([5, 5, 5],), returns=True, aimed_at=EDGE),
    # fails: compared as text, by type or by hash
    Case("number-and-text", ([1, "1"],), returns=False, aimed_at=TYPE),
    Case("int-and-float", ([1, 1.0],), returns=True, aimed_at=TYPE),
    Case("int-and-bool", ([0, False],), returns=True, aimed_at=TYPE),
    # fails: sorted by how they are written, where equal items need not be neighbours
    Case("bool-far-from-its-int", ([True, 5, 1],), returns=True, aimed_at=TYPE),
    Case("equal-hashes", ([-1, -2],), returns=False, aimed_at=EDGE),
    Case("two-cases-of-a-letter", (["a", "A"],), returns=False, aimed_at=EDGE),
    # fails: what is false is taken for nothing
    Case("none-twice", ([None, 1, None],), returns=True, aimed_at=TYPE),
    Case("empty-text-twice", (["", "a", ""],), returns=True, aimed_at=TYPE),
    # fails: items are sorted
    Case("unorderable", ([1, "a", None, (1,)],), returns=False, aimed_at=TYPE),
    Case("tuples", ([(1, 2), (2, 1), (1, 2)],), returns=True, aimed_at=EDGE),
    Case("list-is-left-alone", ([3, 1, 2],), returns=False, aimed_at=EDGE, unchanged=True),
)

PERFORMANCE: tuple[PerformanceCase, ...] = (
    PerformanceCase(
        id="many-distinct",
        size=60_000,
        make_args=lambda size: ([number * 7919 for number in range(size)],),
        returns=lambda _: False,
    ),
    # fails: it gives up on a long list, whichever end it begins from
    PerformanceCase(
        id="one-again-far-from-both-ends",
        size=30_000,
        make_args=lambda size: ([(size // 3 if at == 2 * size // 3 else at) * 7919 for at in range(size)],),
        returns=lambda _: True,
    ),
)


def ACCEPTS(items: list[object]) -> bool:  # noqa: N802
    """Say whether the statement determines the answer: the items are hashable, and equal to themselves."""
    return all(hash(item) is not None and item == item for item in items)  # noqa: PLR0124 - NaN is not
