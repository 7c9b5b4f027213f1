"""What an honest guest says: the material that mutation starts from."""

from __future__ import annotations

import collections
import datetime
import decimal
import enum
import fractions
import json
from typing import NamedTuple

from codegen_eval.sandbox import wire
from fuzz_target import answer, ended, ready, said, sent_by_guest


class _Colour(enum.Enum):
    RED = 1
    LISTED = [1]


class _Point(NamedTuple):
    x: int
    y: list[int]


VALUES: tuple[object, ...] = (
    None,
    True,
    0,
    -1,
    1 << 63,
    -(1 << 200),
    1.5,
    float("nan"),
    float("-inf"),
    -0.0,
    "",
    "text \ud800 \U0001f600",
    [1, "a", None],
    [1.0, [2, [3]]],
    (1, (2,)),
    {1, "a", (2, 3)},
    frozenset({1, b"x"}),
    {"a": 1, 2: {None: [3]}},
    b"\x00\xff",
    bytearray(b"ab"),
    1 + 2j,
    range(1, 10, 3),
    decimal.Decimal("1.50"),
    decimal.Decimal("sNaN"),
    decimal.Decimal("1E+999999"),
    fractions.Fraction(-1, 3),
    datetime.datetime(2020, 1, 2, 3, 4, 5, 6, tzinfo=datetime.UTC),
    datetime.date(1, 1, 1),
    datetime.time(23, 59, fold=1),
    datetime.timedelta(-1, 2, 3),
    collections.deque([1, 2]),
    collections.Counter("abca"),
    collections.defaultdict(list, a=[1]),
    collections.OrderedDict(b=1, a=2),
    _Point(1, [2]),
    _Colour.RED,
    {_Colour.LISTED},
    iter([1, 2]),
    object(),
)


def reply_seeds() -> list[bytes]:
    """Return honest replies, one for each kind of value, and the other shapes that a reply has."""
    others: list[dict[str, object]] = [
        {"id": 1, "r": {"t": "h", "c": "Own", "v": 0}},
        {"id": 1, "e": {"t": "ValueError", "m": ["ValueError", "Exception"], "s": "why"}},
        {"id": 1, "u": "a value larger than 8 MiB"},
        {"id": 1, "r": 1, "a": [1, {"t": "t", "v": []}]},
        {"id": 1, "cb": 0, "args": [1]},
    ]
    return [sent_by_guest(value) for value in VALUES] + [json.dumps(each).encode() for each in others]


def stream_seeds() -> list[bytes]:
    """Return whole conversations, behind the byte that plans the host's side."""
    replies = reply_seeds()
    seeds: list[bytes] = []
    whole = b""
    for number, reply in enumerate(replies):
        words = wire.UP + answer(b'{"id":0,"r":null}') + answer(reply) + answer(reply.replace(b'"id":1', b'"id":2'))
        whole = said(wire.FROM_WORKER, 1, words) + ended(1, number % len(wire.REASONS))
        cut = number % (len(words) + 1)
        parts = said(wire.FROM_WORKER, 1, words[:cut]) + said(wire.FROM_WORKER, 1, words[cut:]) + ended(1)
        second = said(wire.FROM_WORKER, 2, wire.UP + answer(reply)) + ended(2)
        seeds += [bytes([number % 36]) + talk for talk in (whole, parts, parts + second, second)]
    return [*seeds, b"\xff" + ready() + whole]


def conversation_seeds() -> list[bytes]:
    """Return what workers say, a message a line."""
    loaded = b'{"id":0,"r":null}'
    asked = b'{"id":2,"cb":0,"args":[1]}'
    after = b'{"id":2,"r":1,"a":[1]}'
    return [
        b"\n".join((loaded, reply, *extra))
        for reply in reply_seeds()
        for extra in ((after,), (asked, after), (reply.replace(b'"id":1', b'"id":2'),))
    ]


def seeds_of(target: str) -> list[bytes]:
    """Return the seeds of one target."""
    if target == "reply":
        return reply_seeds()
    return stream_seeds() if target == "stream" else conversation_seeds()
