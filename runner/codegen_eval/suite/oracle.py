"""Is an answer the one expected? As each public set compares: ordinary `==` on plain values, with its tolerances."""

from __future__ import annotations

import cmath
import math
from collections.abc import Sequence
from decimal import Decimal, InvalidOperation

from codegen_eval.datasets.problem import InputTests, Oracle
from codegen_eval.judge.compare import loosely_same
from codegen_eval.judge.values import Opaque

_FLOAT_TOLERANCE = 1e-6
"""EvalPlus's absolute tolerance where the expected value is made of floats and the set names none."""
_RELATIVE = 1e-7
"""EvalPlus's relative tolerance (the default of `numpy.testing.assert_allclose`)."""
_MOST_TERMS = 1000
_DEPTH = 90


def accepts(tests: InputTests, arguments: Sequence[object], expected: object, actual: object) -> bool:
    """Say whether an answer is accepted beside what the canonical solution answers."""
    match tests.oracle:
        case Oracle.ANY:
            return True
        case Oracle.SAME_SET:
            return _same_set(expected, actual)
        case Oracle.NOT_NONE:
            claimed = actual if isinstance(actual, bool) else actual is not None
            return loosely_same(claimed, expected)
        case Oracle.ROOT:
            return _is_root(arguments, actual, tests.atol or _FLOAT_TOLERANCE)
        case Oracle.ZERO:
            return _equal(tests, expected, actual) or loosely_same(actual, 0)
        case Oracle.PYRAMID:
            other = _pyramid(arguments)
            return _equal(tests, expected, actual) or (other is not None and _close(actual, other, _FLOAT_TOLERANCE))
        case Oracle.PADDED_DIGITS:
            digits = _padded_digits(arguments)
            return _equal(tests, expected, actual) or (digits is not None and loosely_same(actual, digits))
        case Oracle.EQUAL:
            return _equal(tests, expected, actual)


def _equal(tests: InputTests, expected: object, actual: object) -> bool:
    if loosely_same(actual, expected):
        return True
    tolerance = tests.atol
    if not tolerance and _all_floats(expected):
        tolerance = _FLOAT_TOLERANCE
    return bool(tolerance) and type(actual) is type(expected) and _close(actual, expected, tolerance)


def _all_floats(value: object) -> bool:
    """Say whether a value is a float, or a list or tuple that begins with one, as EvalPlus looks at it."""
    if isinstance(value, list | tuple):
        return bool(value) and all(isinstance(item, float) for item in value)
    return isinstance(value, float)


def _close(actual: object, expected: object, tolerance: float, depth: int = 0) -> bool:
    """Say whether numbers, one by one, differ by no more than the tolerances."""
    if depth > _DEPTH or isinstance(actual, Opaque) or isinstance(expected, Opaque):
        return False
    if isinstance(expected, list | tuple):
        return (
            type(actual) is type(expected)
            and isinstance(actual, list | tuple)
            and len(actual) == len(expected)
            and all(_close(one, other, tolerance, depth + 1) for one, other in zip(actual, expected, strict=True))
        )
    if isinstance(expected, dict):
        return (
            isinstance(actual, dict)
            and actual.keys() == expected.keys()
            and all(_close(actual[key], item, tolerance, depth + 1) for key, item in expected.items())
        )
    if not isinstance(expected, int | float | complex) or not isinstance(actual, int | float | complex):
        return loosely_same(actual, expected)
    try:
        if actual == expected:
            return True
        if isinstance(actual, complex) is not isinstance(expected, complex):
            return False
        if not (cmath.isfinite(actual) and cmath.isfinite(expected)):
            return False  # they are equal or they are not, as `numpy.allclose` has it
        return bool(abs(actual - expected) <= tolerance + _RELATIVE * abs(expected))
    except OverflowError:
        return False


def _same_set(expected: object, actual: object) -> bool:
    if not isinstance(expected, list | tuple | set | frozenset) or not isinstance(
        actual, list | tuple | set | frozenset
    ):
        return loosely_same(actual, expected)
    try:
        return set(actual) == set(expected)
    except TypeError:
        return False


def _is_root(arguments: Sequence[object], actual: object, tolerance: float) -> bool:
    """Say whether a number is a root of the polynomial whose coefficients are the argument, lowest power first."""
    terms = arguments[0] if arguments else None
    if not isinstance(terms, list) or len(terms) > _MOST_TERMS or not isinstance(actual, int | float):
        return False
    try:
        at = float(actual)
        return abs(math.fsum(float(term) * at**power for power, term in enumerate(terms))) <= tolerance
    except (OverflowError, ValueError, TypeError):
        return False


def _pyramid(arguments: Sequence[object]) -> float | None:
    """Return the surface of a square pyramid by its base and its perpendicular height, rounded as the set's own."""
    match arguments:
        case [(int() | float()) as base, (int() | float()) as height]:
            return round(math.sqrt((base / 2) ** 2 + height**2) * base * 2 + base**2)
        case _:
            return None


def _padded_digits(arguments: Sequence[object]) -> int | None:
    """Return the sum of the differences of two numbers' digits, the shorter one with zeros before it."""
    match arguments:
        case [int() as one, int() as other] if one >= 0 and other >= 0:
            first, second = str(one), str(other)
            length = max(len(first), len(second))
            pairs = zip(first.zfill(length), second.zfill(length), strict=True)
            return sum(abs(int(a) - int(b)) for a, b in pairs)
        case _:
            return None


def same_output(actual: object, expected: str) -> bool:
    """Say whether a program printed what was expected: line by line, and number by number where lines differ."""
    if not isinstance(actual, str):
        return False
    ours, theirs = (text.strip().split("\n") for text in (actual, expected))
    if len(ours) != len(theirs):
        return False
    return all(_same_line(one.strip(), other.strip()) for one, other in zip(ours, theirs, strict=True))


def _same_line(actual: str, expected: str) -> bool:
    if actual == expected:
        return True
    try:
        return [Decimal(word) for word in actual.split()] == [Decimal(word) for word in expected.split()]
    except (InvalidOperation, ValueError):
        return False


def as_lists(value: object, depth: int = 0) -> object:
    """Return a value with its outer tuples as lists, as sets that are kept in JSON see it."""
    if isinstance(value, tuple) and depth < _DEPTH:
        return [as_lists(item, depth + 1) for item in value]
    if type(value) is list and depth < _DEPTH:
        return [as_lists(item, depth + 1) for item in value]
    return value
