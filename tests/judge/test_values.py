"""Laws of the value codec: what honest workers send arrives, what they don't send is tampering."""

from __future__ import annotations

import collections
import datetime
import decimal
import fractions
import json
import sys
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from codegen_eval.judge import codec
from codegen_eval.judge.compare import same
from codegen_eval.judge.describe import clean, describe
from codegen_eval.judge.values import Iterator, NotPlainError, Opaque, TamperingError
from codegen_eval.judge.writer import Writer
from guest_modules import guest_module

CODEC, DECODER, FOREIGN = map(guest_module, ("codec", "decoder", "foreign"))

scalars = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text()
    | st.binary()
    | st.complex_numbers()
    | st.decimals()
    | st.fractions()
    | st.dates()
    | st.datetimes()
    | st.times()
    | st.timedeltas()
)
hashables = st.none() | st.booleans() | st.integers() | st.text() | st.binary() | st.tuples(st.integers(), st.text())
values = st.recursive(
    scalars,
    lambda inner: (
        st.lists(inner)
        | st.lists(inner).map(tuple)
        | st.dictionaries(hashables, inner)
        | st.sets(hashables)
        | st.frozensets(hashables)
        | st.lists(inner).map(collections.deque)
        | st.dictionaries(hashables, inner).map(collections.OrderedDict)
    ),
    max_leaves=20,
)


def through_the_wire(value: object) -> object:
    """Send a value as the guest would and read it as the host does."""
    encoder = CODEC.Encoder("solution", FOREIGN.Handles())
    return codec.Reader().value(codec.parse(json.dumps({"r": encoder.encode(value)}).encode())["r"])


@given(values)
def test_a_plain_value_arrives_as_it_was(value: object) -> None:
    """Whatever plain value a solution returns is the value that tests see, type by type."""
    assert same(through_the_wire(value), value)


@pytest.mark.slow
@given(values)
def test_an_argument_arrives_as_it_was(value: object) -> None:
    """Whatever plain value a test passes is the value that the solution gets."""
    sent = json.loads(json.dumps(Writer("/w").value(value)))
    received = DECODER.Decoder(FOREIGN.Handles(), None).decode(sent)

    assert same(received, value)


@given(values)
def test_a_description_is_short_and_printable(value: object) -> None:
    """Whatever came back, what a finding shows of it is bounded printable ASCII."""
    text = describe(through_the_wire(value))

    assert text.isascii()
    assert text.isprintable()
    assert len(text) <= 300


@given(st.text())
def test_a_message_is_short_and_printable(text: str) -> None:
    """Whatever a solution's exception says, a finding shows bounded printable ASCII."""
    cleaned = clean(text)

    assert cleaned.isascii()
    assert cleaned.isprintable() or not cleaned
    assert len(cleaned) <= 300


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(
            st.sampled_from(["t", "v", "c", "n", "f", "x"]),
            inner
            | st.sampled_from(
                ["d", "s", "i", "f", "e", "h", "it", "nt", "Decimal", "datetime", "timedelta", "r", "c", "Counter"]
            ),
            max_size=4,
        )
    ),
    max_leaves=15,
)


@given(json_values)
def test_any_json_is_a_value_or_tampering(raw: object) -> None:
    """The reader either understands a reply or says that it was tampered with; nothing else."""
    try:
        value = codec.Reader().value(raw)
    except TamperingError:
        return
    describe(value)


@given(st.binary(max_size=60))
def test_any_bytes_are_a_message_or_tampering(frame: bytes) -> None:
    """The parser either understands a frame or says that it was tampered with; nothing else."""
    try:
        message = codec.parse(frame)
    except TamperingError:
        return
    assert isinstance(message, dict)


@pytest.mark.parametrize(
    "frame",
    [
        b'{"r":' + b"[" * 5000 + b"]" * 5000 + b"}",
        b'{"r":' + b'{"t":"t","v":[' * 500 + b"]}" * 500 + b"}",
        b'{"r":NaN}',
        b'{"r":1e999}',
        b'{"r":' + b"9" * 5000 + b"}",
        b'{"r":1,"r":2}',
        '{"r":"é"}'.encode(),
        b"[]",
        b'{"r":{"t":"s","v":[[1]]}}',
        b'{"r":{"t":"d","v":[[[1],2]]}}',
        b'{"r":{"t":"Decimal","v":"1e999999999"}}',
        b'{"r":{"t":"Fraction","v":"1/0"}}',
        b'{"r":{"t":"i","v":"0x' + b"f" * 2_000_000 + b'"}}',
        b'{"r":{"t":"nope","v":1}}',
        b'{"r":{"v":1}}',
        b'"' + b'\\"' * 3_900_000,  # an unclosed string of escapes: linear time, or this never ends
        b'{"r":{"t":"s","v":[' + b",".join(b'{"t":"i","v":"%#x"}' % (n * (2**61 - 1)) for n in range(100_000)) + b"]}}",
        b'{"r":{"t":"d","v":['
        + b",".join(b'[{"t":"i","v":"%#x"},1]' % (n * (2**61 - 1)) for n in range(100_000))
        + b"]}}",
    ],
)
def test_what_no_worker_sends_is_tampering(frame: bytes) -> None:
    """Depth, size, duplicates, unknown tags and unhashable keys are refused without harm."""
    with pytest.raises(TamperingError):
        codec.Reader().value(codec.parse(frame)["r"])


class AlwaysEqual:
    """Claims to equal everything."""

    def __eq__(self, other: object) -> bool:
        return True

    def __hash__(self) -> int:
        return 0


class Liar(int):
    """An int that claims to equal everything."""

    def __eq__(self, other: object) -> bool:
        return True

    def __hash__(self) -> int:
        return 0


@pytest.mark.parametrize("forged", [AlwaysEqual(), Liar(1), [AlwaysEqual()], {"a": Liar(3)}, (Liar(1),)])
def test_an_object_that_equals_everything_equals_nothing(forged: object) -> None:
    """Comparison is ours: an object's own `__eq__` never decides."""
    arrived = through_the_wire(forged)

    for expected in (1, [1], {"a": 3}, (1,), True, None):
        assert not same(arrived, expected)


def test_an_opaque_value_answers_nothing() -> None:
    """bool, ==, <, len, iter and hash of an opaque value raise, whichever side it stands on."""
    opaque = Opaque("Thing")
    questions: list[Callable[[], object]] = [
        lambda: bool(opaque),
        lambda: opaque == 1,
        lambda: 1 == opaque,  # noqa: SIM300 - the other side
        lambda: opaque != 1,
        lambda: opaque < 1,
        lambda: len(opaque),
        lambda: list(opaque),
        lambda: hash(opaque),
        lambda: [opaque] == [1],
        lambda: {opaque},
    ]
    for question in questions:
        with pytest.raises(NotPlainError):
            question()


def test_an_iterator_equals_no_list() -> None:
    """A generator of the right items is not the list of them."""
    arrived = through_the_wire(iter([1, 2]))

    assert arrived == Iterator((1, 2), truncated=False)
    assert not same(arrived, [1, 2])


@pytest.mark.parametrize(
    ("one", "other"),
    [(1, True), (1, 1.0), ([1], (1,)), ({1}, frozenset({1})), ("1", 1), ({1: 2}, {True: 2}), ({1}, {True})],
)
def test_comparison_is_by_type(one: object, other: object) -> None:
    """Values of different types are different, at every level."""
    assert same(one, one)
    assert not same(one, other)
    assert not same([one], [other])


def test_numbers_may_be_interchangeable_but_bools_are_not_numbers() -> None:
    """`number` lets int and float stand for one another, never a bool."""
    assert same(1, 1.0, number=True)
    assert same(1.0, 1, number=True)
    assert not same(True, 1.0, number=True)
    assert not same(True, 1, number=True)
    assert not same(10**400, 1.0, number=True)


def test_library_values_are_values() -> None:
    """What the standard library's own classes make is compared as what it is."""
    for value in (
        decimal.Decimal("1.10"),
        fractions.Fraction(1, 3),
        datetime.timedelta(days=-1, microseconds=3),
        collections.Counter("aab"),
        collections.defaultdict(int, {"a": 1}),
        range(3),
        1j,
    ):
        arrived = through_the_wire(value)
        assert arrived == value
        assert type(arrived) is type(value)
    assert sys.version_info >= (3, 11)
