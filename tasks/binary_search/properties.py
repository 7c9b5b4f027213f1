"""Laws of `binary_search`."""

from __future__ import annotations

from collections.abc import Callable

from hypothesis import strategies as st

from codegen_eval.task import Property, prop
from codegen_eval.verdict import FailureClass

_distinct = st.sets(st.integers(-30, 30), min_size=1, max_size=12).map(sorted)
_even = st.lists(st.integers(-10, 10).map(lambda half: 2 * half), max_size=10).map(sorted)
_gaps = st.lists(st.integers(1, 5), max_size=6)


@prop(FailureClass.WRONG_LOGIC, arr=_distinct, place=st.integers(0, 11))
def every_element_is_found(candidate: Callable[[list[int], int], int], arr: list[int], place: int) -> None:
    """Any of several different elements is found where it stands."""
    index = place % len(arr)
    assert candidate(arr, arr[index]) == index


@prop(FailureClass.MISSED_EDGE_CASE, below=_gaps, value=st.integers(-20, 20), copies=st.integers(2, 7), above=_gaps)
def the_first_of_equal_elements_is_found(
    candidate: Callable[[list[int], int], int], below: list[int], value: int, copies: int, above: list[int]
) -> None:
    """Of a run of equal elements the first is found, whatever stands before and behind."""
    arr = sorted(value - gap for gap in below) + [value] * copies + sorted(value + gap for gap in above)
    assert candidate(arr, value) == len(below)


@prop(FailureClass.WRONG_LOGIC, arr=_even, half=st.integers(-11, 11))
def what_is_absent_gives_minus_one(candidate: Callable[[list[int], int], int], arr: list[int], half: int) -> None:
    """No odd number is in a list of even ones, and the answer to that is the int -1."""
    answer = candidate(arr, 2 * half + 1)
    assert type(answer) is int
    assert answer == -1


PROPERTIES: tuple[Property, ...] = (
    every_element_is_found,
    the_first_of_equal_elements_is_found,
    what_is_absent_gives_minus_one,
)
