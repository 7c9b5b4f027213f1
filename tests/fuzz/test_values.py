"""Laws of values on their way: what is sent to a solution and returned as it is comes back as it was."""

from __future__ import annotations

import collections
import datetime
import decimal
import enum
import fractions
import json
import math
import os
from typing import Any, NamedTuple

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from codegen_eval.judge import codec
from codegen_eval.judge.compare import same
from codegen_eval.judge.describe import describe
from codegen_eval.judge.values import Iterator
from fuzz_target import CODEC, DECODER, FOREIGN, WORKDIR, sent_by_guest, there_and_back

MANY = settings(max_examples=int(os.environ.get("EVALRUN_FUZZ", "200")))

keys = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text()
    | st.binary()
    | st.decimals(allow_nan=False)
    | st.fractions()
    | st.dates()
    | st.timedeltas()
    | st.complex_numbers(allow_nan=False),
    lambda inner: st.lists(inner, max_size=3).map(tuple) | st.frozensets(inner, max_size=3),
    max_leaves=5,
)
ranges = st.builds(range, st.integers(), st.integers(), st.integers().filter(bool))
# whole seconds: `fromisoformat` takes an offset of a few microseconds for none
offsets = st.integers(-23 * 3600, 23 * 3600).map(lambda seconds: datetime.timedelta(seconds=seconds))
zones = st.none() | offsets.map(datetime.timezone)
leaves = (
    keys
    | st.integers(-(1 << 64), 1 << 64)
    | st.text(st.characters(codec=None), max_size=5)
    | st.binary().map(bytearray)
    | ranges
    | st.decimals()
    | st.datetimes(timezones=zones)
    | st.times()
)
values = st.recursive(
    leaves,
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.lists(inner, max_size=4).map(tuple)
        | st.lists(inner, max_size=4).map(collections.deque)
        | st.sets(keys, max_size=4)
        | st.frozensets(keys, max_size=4)
        | st.dictionaries(keys, inner, max_size=4)
        | st.dictionaries(keys, inner, max_size=4).map(collections.OrderedDict)
        | st.dictionaries(keys, st.integers(), max_size=4).map(collections.Counter)
    ),
    max_leaves=12,
)


@MANY
@given(values)
def test_a_value_comes_back_as_it_was_sent(value: object) -> None:
    """Host to guest to host, type by type."""
    back = there_and_back(value)

    assert same(back, value), describe(back, workdir=WORKDIR)


class Colour(enum.Enum):
    """A member of it can be a key, whatever its value is."""

    RED = 1
    LISTED = [1]


class Access(enum.Flag):
    """Its members' names grow when they are combined."""

    READ, WRITE, EXECUTE = enum.auto(), enum.auto(), enum.auto()


class Wordy(enum.Flag):
    """The name of a combination is as long as its members' names together."""

    THE_FIRST_OF_TWO_WHOSE_NAMES_ARE_LONGER_THAN_ONE_WOULD_EVER_CHOOSE_TO_CALL_A_MEMBER_OF_AN_ENUMERATION = 1
    THE_OTHER_OF_TWO_WHOSE_NAMES_ARE_LONGER_THAN_ONE_WOULD_EVER_CHOOSE_TO_CALL_A_MEMBER_OF_AN_ENUMERATION = 2


class Own:
    """An object of the solution's."""


class Pair(NamedTuple):
    """A named tuple that can be a key with a list inside."""

    left: int
    right: list[int]

    def __hash__(self) -> int:
        return self.left


def _own() -> Own:
    made = Own()
    Own.__module__ = "solution"
    return made


HONEST: tuple[object, ...] = (
    {(_own(), 1)},
    {frozenset({_own()}): 1},
    {Colour.LISTED},
    {(Colour.LISTED,): [1]},
    {iter([[1]])},
    {Pair(1, [2])},
    {Own: 1},
    Access.READ | Access.WRITE,
    ~Wordy(0),
    collections.Counter({"a": None}),
    collections.defaultdict(list, {(_own(),): [1]}),
    {float("nan"), float("nan")},
    {decimal.Decimal("NaN")},
    math.nan,
    fractions.Fraction(1, 10**3000),
    fractions.Fraction(-(2**13_287) + 1, 2**13_287 - 2),
    decimal.Decimal("1e-6000"),
    decimal.Decimal("-NaN123"),
    decimal.Decimal("sNaN7"),
    decimal.Decimal("1E+999999"),
    decimal.Decimal((1, (9,) * 3998, -5)),
    [0] * 1_999_997,
    [[0] * 999_998] * 2,
)


@pytest.mark.parametrize("number", range(len(HONEST)))
def test_what_an_honest_solution_may_return_is_no_tampering(number: int) -> None:
    """Whatever can be a key in the guest can be read on our side, if only as an opaque thing."""
    read = codec.Reader().value(codec.parse(sent_by_guest(HONEST[number]))["r"])

    assert type(read) in {set, dict, collections.Counter, collections.defaultdict} or not isinstance(read, set)
    describe(read, workdir=WORKDIR)


TOO_LARGE: tuple[object, ...] = (
    1 << (1 << 22),
    fractions.Fraction(10**4000 + 1, 3),
    fractions.Fraction(1, 10**5000),
    decimal.Decimal((0, (1,) * 4001, 0)),
    decimal.Decimal("1E+1000000"),
    decimal.Decimal("-1E-1000000"),
    [[0] * 1_000_000, [None] * 1_000_000],
    {"of": ((1.5,) * 2_000_000,)},
)


@pytest.mark.parametrize("number", range(len(TOO_LARGE)))
def test_what_is_too_large_is_told_and_never_sent(number: int) -> None:
    """What our side would not read is no tampering: the guest says what it is instead of sending it."""
    with pytest.raises(CODEC.TooLargeError, match=r"^an? .*(million|too many)"):
        sent_by_guest(TOO_LARGE[number])


def scaled(number: int, exponent: int) -> decimal.Decimal:
    """Return a Decimal with all the digits of a number."""
    return decimal.Decimal((0, tuple(map(int, str(number))), exponent))


@MANY
@given(st.decimals() | st.fractions() | st.builds(scaled, st.integers(10**3994, 10**4004), st.integers(-4010, 10)))
def test_a_number_is_sent_in_a_form_that_is_read_or_not_at_all(value: object) -> None:
    """Whatever a Decimal or a Fraction is, no honest answer is taken for tampering."""
    try:
        sent = sent_by_guest(value)
    except CODEC.TooLargeError:
        return

    assert same(codec.Reader().value(codec.parse(sent)["r"]), value)


def nested(how: str, depth: int) -> object:
    """Return a value of this depth."""
    value: Any = 1.5
    for _ in range(depth):
        match how:
            case "list":
                value = [value]
            case "dict":
                value = {"a": value}
            case "key":
                value = {(value,): value}
            case "iterator":
                value = iter([value])
            case _:
                value = collections.OrderedDict(a=(value,))
    return value


@pytest.mark.parametrize("how", ["list", "dict", "iterator", "pairs"])
@pytest.mark.parametrize("depth", [1, 44, 45, 89, 90, 91, 92, 150])
def test_the_deepest_that_a_guest_sends_is_read(how: str, depth: int) -> None:
    """Both sides agree on how deep values go: what is deeper arrives as an opaque thing inside."""
    read = codec.Reader().value(codec.parse(sent_by_guest(nested(how, depth)))["r"])

    assert isinstance(read, list | dict | Iterator)


hostile = st.recursive(
    st.builds(Own)
    | st.just(Own)
    | st.sampled_from([*Colour, Access.READ, len, print, ..., NotImplemented, type, math]),
    lambda inner: st.lists(inner, max_size=3) | st.lists(inner, max_size=3).map(tuple) | st.lists(inner).map(iter),
    max_leaves=6,
)


@MANY
@given(hostile)
def test_the_guest_encodes_any_object(value: object) -> None:
    """What no plain value stands for is sent as an opaque thing, a handle or an enumeration's member."""
    message = json.loads(sent_by_guest(value))

    codec.Reader().value(message["r"])


@MANY
@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
        lambda inner: (
            st.lists(inner, max_size=3)
            | st.fixed_dictionaries(
                {"t": st.sampled_from(["i", "f", "t", "s", "d", "b", "c", "r", "Decimal", "date", "h", "fn", "no"])},
                optional={"v": inner},
            )
        ),
        max_leaves=6,
    )
)
def test_the_guest_refuses_what_no_host_sends(raw: object) -> None:
    """The host is trusted, so anything else ends in an ordinary exception and nothing worse."""
    decoder = DECODER.Decoder(FOREIGN.Handles(), None)
    try:
        decoder.decode(raw)
    except (ValueError, TypeError, KeyError, IndexError, ArithmeticError):
        return
