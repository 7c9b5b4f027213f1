"""Laws of comparing: tolerance, not-a-number and paths mean the same at every level of a value."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Callable
from decimal import Decimal

import pytest

from codegen_eval.judge.compare import loosely_same, resolve_paths, same
from codegen_eval.judge.values import Opaque
from codegen_eval.task import SandboxPath

LEVELS: dict[str, Callable[[object], object]] = {
    "bare": lambda value: value,
    "list": lambda value: [0, value],
    "tuple": lambda value: (value,),
    "deque": lambda value: deque([value]),
    "mapping": lambda value: {"k": value},
    "nested": lambda value: {"k": [(value, "x")]},
}
at_every_level = pytest.mark.parametrize("level", LEVELS.values(), ids=LEVELS)


@at_every_level
def test_floats_may_differ_by_the_tolerance_and_no_more(level: Callable[[object], object]) -> None:
    """The tolerance is absolute, both ways, its end included, and nothing unless a case says so."""
    assert same(level(1.5), level(1.25), tolerance=0.25)
    assert same(level(1.25), level(1.5), tolerance=0.25)
    assert not same(level(1.5), level(1.25), tolerance=0.125)
    assert not same(level(1.5), level(1.25))
    assert not same(level("a"), level("b"), tolerance=9.0)
    assert not same(level(2), level(1), tolerance=9.0)


@at_every_level
def test_an_int_stands_for_a_float_only_where_the_case_says_so(level: Callable[[object], object]) -> None:
    """With `number` the types may differ, within the tolerance; without it they may not."""
    for actual, expected in ((1, 1.0), (1.0, 1)):
        assert same(level(actual), level(expected), number=True)
        assert not same(level(actual), level(expected))
    assert same(level(1), level(1.25), number=True, tolerance=0.25)
    assert same(level(1.25), level(1), number=True, tolerance=0.25)
    assert not same(level(1.25), level(1), number=True)
    assert not same(level(True), level(1), number=True)


@at_every_level
@pytest.mark.parametrize(
    ("nan", "other"),
    [
        (math.nan, 1.0),
        (complex(math.nan, 1), complex(math.nan, 2)),
        (complex(1, math.nan), complex(2, math.nan)),
        (Decimal("nan"), Decimal(1)),
        (Decimal("snan"), Decimal(1)),
    ],
)
def test_not_a_number_is_itself_and_nothing_else(level: Callable[[object], object], nan: object, other: object) -> None:
    """NaN equals NaN, whatever `==` says, and no number at any tolerance."""
    assert same(level(nan), level(nan))
    assert not same(level(nan), level(other), tolerance=math.inf)
    assert not same(level(other), level(nan), tolerance=math.inf)


@pytest.mark.parametrize("other", [1 + 2j, 2 + 1j, 1.5 + 1j, 1 + 1.5j])
def test_complex_numbers_are_compared_exactly(other: complex) -> None:
    """Both parts count, and no tolerance applies to them."""
    assert same(1 + 1j, 1 + 1j)
    assert not same(1 + 1j, other, tolerance=9.0)


@pytest.mark.parametrize(
    ("short", "long"), [([1], [1, 2]), ((), (1,)), (deque[int](), deque([1])), ({}, {1: 1}), ({1: 1}, {1: 1, 2: 2})]
)
def test_a_part_is_not_the_whole(short: object, long: object) -> None:
    """What has more items is something else, even where those of the other are all there."""
    assert not same(short, long)
    assert not same(long, short)


def test_loose_comparison_is_pythons_own_but_for_opaque_values() -> None:
    """`==` decides, and where only the solution could answer it the values differ."""
    assert loosely_same(1, True)
    assert loosely_same([1.0], [1])
    assert not loosely_same([1], [2])
    assert not loosely_same(Opaque("Anything"), 1)
    assert not loosely_same([Opaque("Anything")], [1])


@pytest.mark.slow
@pytest.mark.parametrize("inside", [False, True])
def test_what_can_not_be_compared_is_not_the_same(*, inside: bool) -> None:
    """A value that raises when it is compared equals nothing, and ends no judge."""
    deep: list[object] = []
    other: list[object] = []
    for _ in range(100_000):
        deep, other = [deep], [other]

    for one, two in ((Decimal("sNaN"), 1), (deep, other), (Decimal("sNaN"), Decimal("sNaN"))):
        assert not loosely_same([one] if inside else one, [two] if inside else two)


def test_paths_are_resolved_wherever_they_stand() -> None:
    """A path in a list, a tuple, or a key or value of a mapping becomes that of the worker; all else stays."""
    path = SandboxPath("a.txt")
    value = {"list": [path, 1], path: (SandboxPath(), ["deep", path]), "other": "a.txt"}

    resolved = resolve_paths(value, "/w")

    assert resolved == {"list": ["/w/a.txt", 1], "/w/a.txt": ("/w", ["deep", "/w/a.txt"]), "other": "a.txt"}


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ({(1,)}, {(True,)}),
        ({frozenset({1})}, {frozenset({1.0})}),
        ({(0, (1, 2))}, {(0, (1, 2.0))}),
        ({(1,): "a"}, {(True,): "a"}),
        ({1}, {True}),
    ],
)
def test_types_count_inside_keys_and_items_of_sets(one: object, other: object) -> None:
    """What is in a set or a key is compared type by type, at every level, as what is in a list."""
    assert same(one, one)
    assert not same(one, other)
    assert not same(other, one)


def test_not_a_number_is_found_in_sets_and_keys() -> None:
    """Two NaNs are the same thing in a set, too, whichever objects they are."""
    assert same({float("nan"), 1.0}, {1.0, float("nan")})
    assert same({(float("nan"),): 1}, {(float("nan"),): 1})
    assert not same({float("nan")}, {1.0})


@pytest.mark.parametrize("huge", [10**400, -(10**400), 1 << 1000, (1 << 1000) + 1])
def test_integers_too_large_for_a_float_are_compared_exactly(huge: int) -> None:
    """However large an integer is, it has an answer: equal, or not."""
    assert same(huge, huge, number=True)
    assert not same(1.0, huge, number=True)
    assert not same(huge, 1.0, number=True, tolerance=1e300)
    assert same(2.0**1000, 1 << 1000, number=True)
    assert not same(2.0**1000, (1 << 1000) + 1, number=True)
