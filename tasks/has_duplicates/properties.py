"""Properties of `has_duplicates`."""

from __future__ import annotations

from collections.abc import Callable

from hypothesis import strategies as st

from codegen_eval.task import Property, prop
from codegen_eval.verdict import FailureClass

ITEMS = st.one_of(st.integers(-9, 9), st.text("abAB", max_size=2), st.booleans(), st.none())


@prop(FailureClass.WRONG_LOGIC, items=st.lists(ITEMS, min_size=1, max_size=8), pick=st.integers(0, 7))
def a_repeated_item_is_noticed(candidate: Callable[..., object], items: list[object], pick: int) -> None:
    """Append one of the items once more: the list holds duplicates."""
    assert candidate([*items, items[pick % len(items)]]) is True


@prop(FailureClass.SILENT_TYPE_ERROR, items=st.lists(ITEMS, max_size=8, unique=True))
def different_items_are_no_duplicates(candidate: Callable[..., object], items: list[object]) -> None:
    """Give different items: the list holds no duplicates."""
    assert candidate(items) is False


PROPERTIES: tuple[Property, ...] = (a_repeated_item_is_noticed, different_items_are_no_duplicates)
