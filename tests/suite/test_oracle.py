"""Laws of comparing an answer with the canonical one."""

from __future__ import annotations

import math
from collections import Counter
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from codegen_eval.datasets.problem import InputTests, Oracle
from codegen_eval.judge.values import Handle, Opaque
from codegen_eval.suite.oracle import accepts, as_lists, same_output

_LEAVES = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=5)
VALUES = st.recursive(
    _LEAVES, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=3), inner, max_size=4)
)


def comparing(oracle: Oracle = Oracle.EQUAL, atol: float = 0.0) -> InputTests:
    """Return tests that compare so."""
    return InputTests(base=("[1]",), plus=(), oracle=oracle, atol=atol)


@given(VALUES)
def test_every_value_is_accepted_beside_itself(value: object) -> None:
    """What is equal is accepted, by every oracle that compares."""
    for oracle in (Oracle.EQUAL, Oracle.ZERO, Oracle.PYRAMID, Oracle.PADDED_DIGITS, Oracle.ANY):
        assert accepts(comparing(oracle), [], value, value)


@given(VALUES, VALUES)
def test_without_floats_an_answer_is_accepted_just_where_it_is_equal(one: object, other: object) -> None:
    """Beside floats the comparison is Python's own."""
    if not _holds_floats(one) and not _holds_floats(other):
        assert accepts(comparing(), [], one, other) == (one == other)


def _holds_floats(value: object) -> bool:
    if isinstance(value, list):
        return any(map(_holds_floats, value))
    if isinstance(value, dict):
        return any(map(_holds_floats, value.values()))
    return isinstance(value, float)


@given(st.floats(-1e9, 1e9), st.floats(0, 1), st.floats(1e-9, 1e-3))
def test_floats_may_differ_by_the_tolerance(expected: float, share: float, atol: float) -> None:
    """A float within the tolerances is accepted, one well outside is not."""
    inside, outside = expected + share * atol, expected + 2 * (atol + 1e-7 * abs(expected)) + 1e-6

    assert accepts(comparing(atol=atol), [], expected, inside)
    assert not accepts(comparing(atol=atol), [], expected, outside)


NEVER = [Opaque("E"), Handle("E", 0), [Opaque("E")], {"a": Opaque("E")}, Decimal("sNaN"), [Decimal("sNaN")], math.nan]


@pytest.mark.parametrize("oracle", [oracle for oracle in Oracle if oracle not in {Oracle.ANY, Oracle.NOT_NONE}])
@pytest.mark.parametrize("actual", NEVER, ids=repr)
@pytest.mark.parametrize("expected", [0, 1.5, "a", [1, 2], [1.5], {"a": 1}, (1,), {1, 2}], ids=repr)
def test_no_odd_value_is_accepted_and_none_breaks_the_comparison(
    oracle: Oracle, actual: object, expected: object
) -> None:
    """Objects of the solution's own, and not-a-number in all its forms, equal nothing."""
    assert not accepts(comparing(oracle, 1e-6), [[1.0, 1.0]], expected, actual)


@pytest.mark.parametrize(
    ("oracle", "arguments", "expected", "actual", "accepted"),
    [
        (Oracle.SAME_SET, [], [1, 2], (2, 1, 1), True),
        (Oracle.SAME_SET, [], [1, 2], (2, 3), False),
        (Oracle.SAME_SET, [], [1, 2], [[1], [2]], False),
        (Oracle.NOT_NONE, [], True, "match", True),
        (Oracle.NOT_NONE, [], False, None, True),
        (Oracle.NOT_NONE, [], True, None, False),
        (Oracle.ZERO, [], 7, 0, True),
        (Oracle.ZERO, [], 7, 8, False),
        (Oracle.ROOT, [[-4.0, 0.0, 1.0]], 2.0, -2.0, True),
        (Oracle.ROOT, [[-4.0, 0.0, 1.0]], 2.0, 2.1, False),
        (Oracle.ROOT, [[-4.0, 0.0, 1.0]], 2.0, math.inf, False),
        (Oracle.ROOT, [[-4.0, 0.0, 1.0]], 2.0, 10**400, False),
        (Oracle.PYRAMID, [3, 4], 33, 34.63, False),
        (Oracle.PADDED_DIGITS, [1, 256], 7, 12, True),
        (Oracle.PADDED_DIGITS, [1, 256], 7, 11, False),
        (Oracle.EQUAL, [], Counter("ab"), {"a": 1, "b": 1}, True),
        (Oracle.EQUAL, [], (1, 2), [1, 2], False),
        (Oracle.EQUAL, [], 1e308, 10**400, False),
        (Oracle.EQUAL, [], [1.0, 2.0], [1.0 + 1e-8, 2.0], True),
        (Oracle.EQUAL, [], [1.0, 2.0], (1.0 + 1e-8, 2.0), False),
    ],
)
def test_what_each_oracle_accepts(
    *, oracle: Oracle, arguments: list[object], expected: object, actual: object, accepted: bool
) -> None:
    """Examples of each."""
    assert accepts(comparing(oracle), arguments, expected, actual) is accepted


@pytest.mark.parametrize(
    ("actual", "expected", "same"),
    [
        ("1 2\n", "1 2", True),
        ("1 2 \n3\n\n", "1 2\n3", True),
        ("1.0 2", "1 2.00", True),
        ("1 2", "1 3", False),
        ("1\n2", "1 2", False),
        ("a", "A", False),
        ("", "0", False),
        ("nan", "NaN", False),
        ("sNaN", "1", False),
        (None, "", False),
        (["1"], "1", False),
    ],
)
def test_printed_lines_are_compared_as_texts_and_then_as_numbers(*, actual: object, expected: str, same: bool) -> None:
    """Blanks at the ends don't count, and numbers are equal by value."""
    assert same_output(actual, expected) is same


@pytest.mark.parametrize("oracle", [Oracle.PYRAMID, Oracle.PADDED_DIGITS])
@pytest.mark.parametrize("arguments", [[-1, 2], ["1", "2"], [], [1, 2, 3]])
def test_an_answer_that_can_not_be_worked_out_is_not_accepted_for_none(oracle: Oracle, arguments: list[object]) -> None:
    assert not accepts(comparing(oracle), arguments, 7, None)
    assert accepts(comparing(oracle), arguments, 7, 7)


@given(VALUES)
def test_as_lists_leaves_no_tuple_on_the_outside(value: object) -> None:
    """Tuples in tuples and lists are lists; all else is as it was."""
    assert as_lists((value, [value])) == as_lists([value, [value]])
