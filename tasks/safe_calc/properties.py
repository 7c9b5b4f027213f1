"""Laws of `safe_calc`, over well-formed expressions of which the value is known."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

from hypothesis import strategies as st

from codegen_eval.task import Property, prop
from codegen_eval.verdict import FailureClass

_SUM, _PRODUCT, _SIGN, _NUMBER = range(4)
_LEAST_DIVISOR = Fraction(1, 100)
_TOKENS = re.compile(r"[0-9.]+|[-+*/()]")


@dataclass(frozen=True, slots=True)
class _Expression:
    """A text, its exact value, and how tightly its outermost operator binds."""

    text: str
    value: Fraction
    rank: int

    def __repr__(self) -> str:
        return repr(self.text)

    def within(self, rank: int) -> str:
        """Return the text as it stands among operators of a rank."""
        return self.text if self.rank >= rank else f"({self.text})"


def _number(text: str) -> _Expression:
    return _Expression(text, Fraction(text), _NUMBER)


def _signed(operand: _Expression) -> _Expression:
    return _Expression("-" + operand.within(_SIGN), -operand.value, _SIGN)


def _bracketed(inner: _Expression) -> _Expression:
    return _Expression(f"({inner.text})", inner.value, _NUMBER)


def _joined(left: _Expression, operator: str, right: _Expression) -> _Expression:
    if operator == "/" and abs(right.value) < _LEAST_DIVISOR:
        operator = "*"
    rank = _SUM if operator in "+-" else _PRODUCT
    values = {
        "+": lambda: left.value + right.value,
        "-": lambda: left.value - right.value,
        "*": lambda: left.value * right.value,
        "/": lambda: left.value / right.value,
    }
    return _Expression(f"{left.within(rank)}{operator}{right.within(rank + 1)}", values[operator](), rank)


def _larger(inner: st.SearchStrategy[_Expression]) -> st.SearchStrategy[_Expression]:
    return (
        st.builds(_joined, inner, st.sampled_from("+-*/"), inner) | st.builds(_signed, inner) | st.builds(_bracketed, inner)
    )


_whole = st.builds(str, st.integers(0, 120)).map(_number)
_decimal = st.builds("{}.{:02}".format, st.integers(0, 30), st.integers(0, 99)).map(_number)
_expression = st.recursive(_whole | _decimal, _larger, max_leaves=6)
_gap = st.sampled_from(["", " ", "   "])


def _close(actual: object, expected: object) -> bool:
    assert isinstance(actual, float)
    assert isinstance(expected, float)
    return math.isclose(actual, expected, rel_tol=1e-9, abs_tol=1e-9)


@prop(FailureClass.WRONG_LOGIC, expression=_expression)
def computes_the_value(candidate: Callable[[str], object], expression: _Expression) -> None:
    """The value is that of exact arithmetic."""
    assert _close(candidate(expression.text), float(expression.value))


@prop(FailureClass.SILENT_TYPE_ERROR, left=st.integers(0, 99), operator=st.sampled_from("+-*"), right=st.integers(0, 99))
def whole_numbers_give_a_float(candidate: Callable[[str], object], left: int, operator: str, right: int) -> None:
    """Whole numbers make a float, too."""
    assert type(candidate(f"{left}{operator}{right}")) is float


@prop(FailureClass.MISSED_EDGE_CASE, expression=_expression, gap=_gap, outside=_gap)
def spaces_change_nothing(candidate: Callable[[str], object], expression: _Expression, gap: str, outside: str) -> None:
    """Spaces between numbers, operators and parentheses, and around them all, make no difference."""
    spaced = outside + gap.join(_TOKENS.findall(expression.text)) + outside
    assert _close(candidate(spaced), float(expression.value))


@prop(FailureClass.MISSED_EDGE_CASE, expression=_expression, signs=st.integers(1, 4))
def each_sign_negates(candidate: Callable[[str], object], expression: _Expression, signs: int) -> None:
    """Every minus sign before parentheses changes the sign."""
    value = candidate("-" * signs + f"({expression.text})")
    assert _close(value, float(expression.value) * (-1) ** signs)


PROPERTIES: tuple[Property, ...] = (
    computes_the_value,
    whole_numbers_give_a_float,
    spaces_change_nothing,
    each_sign_negates,
)
