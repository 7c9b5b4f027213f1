"""Properties of `safe_calc`: over well-formed expressions."""

from __future__ import annotations

import math

from hypothesis import strategies as st

from codegen_eval.judge.candidate import Candidate
from codegen_eval.task import prop
from codegen_eval.verdict import FailureClass as F

numbers = st.integers(0, 99)


@prop(F.WRONG_LOGIC, a=numbers, b=numbers, c=numbers)
def products_before_sums(candidate: Candidate, a: int, b: int, c: int) -> None:
    """A product binds tighter than a sum, on either side."""
    assert math.isclose(candidate(f"{a} + {b} * {c}"), a + b * c)  # type: ignore[arg-type] # a number
    assert math.isclose(candidate(f"{a} * {b} - {c}"), a * b - c)  # type: ignore[arg-type] # a number


@prop(F.WRONG_LOGIC, a=numbers, b=numbers, c=numbers)
def left_to_right(candidate: Candidate, a: int, b: int, c: int) -> None:
    """Operators of the same strength are applied from left to right."""
    assert math.isclose(candidate(f"{a} - {b} - {c}"), a - b - c)  # type: ignore[arg-type] # a number


@prop(F.WRONG_LOGIC, a=numbers, b=numbers, d=st.integers(1, 9))
def parentheses_first(candidate: Candidate, a: int, b: int, d: int) -> None:
    """What stands in parentheses is evaluated first, a minus before them included."""
    assert math.isclose(candidate(f"-({a} + {b}) / {d}"), -(a + b) / d)  # type: ignore[arg-type] # a number


PROPERTIES = (products_before_sums, left_to_right, parentheses_first)
