"""Properties of `flatten`, over nested lists of integers."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from hypothesis import strategies as st

from codegen_eval.task import Property, prop
from codegen_eval.verdict import FailureClass as F

_NUMBERS = st.integers(-9, 9)
_NESTED = st.lists(st.recursive(_NUMBERS, lambda inner: st.lists(inner, max_size=4), max_leaves=12), max_size=4)


def _leaves(value: object) -> Iterator[object]:
    """Yield what is not a list, from left to right."""
    if not isinstance(value, list):
        yield value
        return
    for item in value:
        yield from _leaves(item)


@prop(F.WRONG_LOGIC, nested=_NESTED)
def keeps_all_items_in_order(candidate: Callable[..., object], nested: list[object]) -> None:
    """Each item is there, as often as it was, in the order of reading."""
    assert candidate(nested) == list(_leaves(nested))


@prop(F.MISSED_EDGE_CASE, nested=_NESTED)
def leaves_no_list(candidate: Callable[..., object], nested: list[object]) -> None:
    """Leave no list inside the list that is returned."""
    flat = candidate(nested)
    assert isinstance(flat, list)
    assert not any(isinstance(item, list) for item in flat)


@prop(F.WRONG_LOGIC, left=_NESTED, right=_NESTED)
def flattens_part_by_part(candidate: Callable[..., object], left: list[object], right: list[object]) -> None:
    """Two nested lists in one list give their flattened lists, one after the other."""
    first, second = candidate(left), candidate(right)
    assert isinstance(first, list)
    assert isinstance(second, list)
    assert candidate([left, right]) == first + second


@prop(F.MISSED_EDGE_CASE, numbers=st.lists(_NUMBERS, max_size=5), depth=st.integers(1, 49))
def depth_does_not_matter(candidate: Callable[..., object], numbers: list[int], depth: int) -> None:
    """Take off all the lists round a flat list, up to 50 levels."""
    nested: list[object] = list(numbers)
    for _ in range(depth):
        nested = [nested]
    assert candidate(nested) == numbers


PROPERTIES: tuple[Property, ...] = (
    keeps_all_items_in_order,
    leaves_no_list,
    flattens_part_by_part,
    depth_does_not_matter,
)
