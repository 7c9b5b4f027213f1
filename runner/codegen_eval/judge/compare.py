"""Comparison of what came back with what was expected."""

from __future__ import annotations

import math
from collections import deque
from decimal import Decimal

from codegen_eval.judge.values import NotPlainError, Opaque
from codegen_eval.judge.writer import resolve
from codegen_eval.task import SandboxPath

_EXACT = frozenset({str, bool, int, bytes, type(None)})
"""What is equal to what `==` says, given the type."""


_EXACT_BITS = 1000
"""Integers longer than this are compared exactly: a float has no room for them."""


def same(
    actual: object, expected: object, *, tolerance: float = 0.0, relative: float = 0.0, number: bool = False
) -> bool:
    """Say whether two values are equal, type by type at every level.

    1 is not True, a list is not a tuple, an int is not a float unless `number`. NaN equals NaN. Floats may differ by
    `tolerance`, or by the part `relative` of the larger one. An opaque value equals nothing.
    """
    if isinstance(actual, Opaque):
        return False
    if isinstance(expected, float) and (type(actual) is float or (number and type(actual) is int)):
        return _same_float(actual, expected, tolerance, relative)
    if number and type(expected) is int and type(actual) is float:
        return _same_float(actual, expected, tolerance, relative)
    if type(actual) is not type(expected):
        return False
    if isinstance(actual, list | tuple | deque) and isinstance(expected, list | tuple | deque):
        kinds = list(map(type, actual))
        if not number and _EXACT.issuperset(kinds):  # a long list of these needs no look at each item
            return kinds == list(map(type, expected)) and actual == expected
        pairs = zip(actual, expected, strict=False)
        return len(actual) == len(expected) and all(
            same(a, e, tolerance=tolerance, relative=relative, number=number) for a, e in pairs
        )
    if isinstance(actual, dict) and isinstance(expected, dict):
        return _same_mapping(actual, expected, tolerance, relative, number=number)
    if isinstance(actual, set | frozenset) and isinstance(expected, set | frozenset):
        return set(map(_typed, actual)) == set(map(_typed, expected))
    return _same_leaf(actual, expected)


def _same_leaf(actual: object, expected: object) -> bool:
    """Compare what holds no other values; not-a-number equals itself."""
    match actual, expected:
        case complex(), complex():
            return _same_float(actual.real, expected.real, 0) and _same_float(actual.imag, expected.imag, 0)
        case Decimal(), Decimal() if actual.is_nan() or expected.is_nan():
            return actual.is_nan() and expected.is_nan()
    return bool(actual == expected)


def _same_float(actual: float, expected: float, tolerance: float, relative: float = 0.0) -> bool:
    """Compare two numbers, of which one may be an integer too large for a float."""
    if any(type(value) is int and value.bit_length() > _EXACT_BITS for value in (actual, expected)):
        return actual == expected
    if math.isnan(expected) or math.isnan(actual):
        return math.isnan(expected) and math.isnan(actual)
    if actual == expected or abs(actual - expected) <= tolerance:
        return True
    return relative > 0 and math.isclose(actual, expected, rel_tol=relative)


def _typed(value: object) -> object:
    """Return a key that is equal for values that are the same, and for no others. For what can be in a set."""
    match value:
        case tuple():
            return type(value), tuple(map(_typed, value))
        case frozenset():
            return type(value), frozenset(map(_typed, value))
        case float() if math.isnan(value):
            return float, "nan"
    return type(value), value


def _same_mapping(
    actual: dict[object, object], expected: dict[object, object], tolerance: float, relative: float, *, number: bool
) -> bool:
    if len(actual) != len(expected):
        return False
    typed = {_typed(key): item for key, item in actual.items()}
    for key, item in expected.items():
        wanted = _typed(key)
        if wanted not in typed or not same(typed[wanted], item, tolerance=tolerance, relative=relative, number=number):
            return False
    return True


def loosely_same(actual: object, expected: object) -> bool:
    """Say whether two values are equal for Python's own `==`. An opaque value anywhere in them equals nothing."""
    try:
        return bool(actual == expected)
    except (NotPlainError, ArithmeticError, ValueError, TypeError, RecursionError):  # as a signalling not-a-number
        return False


def resolve_paths(value: object, workdir: str) -> object:
    """Replace every `SandboxPath` in an expected value by the path that stands for it."""
    match value:
        case SandboxPath(relative):
            return resolve(relative, workdir)
        case list():
            return [resolve_paths(item, workdir) for item in value]
        case dict():
            return {resolve_paths(key, workdir): resolve_paths(item, workdir) for key, item in value.items()}
        case tuple() if type(value) is tuple:
            return tuple(resolve_paths(item, workdir) for item in value)
    return value
