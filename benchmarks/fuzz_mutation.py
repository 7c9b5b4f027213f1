"""Mutation of bytes, by chance from a seed, and by what was reached before."""

from __future__ import annotations

import contextlib
import json
import random
import re
import struct
import sys
from collections.abc import Callable, Iterator, Sequence
from types import CodeType, FrameType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from _typeshed import TraceFunction

_MOST_BYTES = 1 << 16
_WORDS: tuple[bytes, ...] = (
    *(f'"{tag}"'.encode() for tag in ("t", "v", "r", "e", "a", "u", "cb", "id", "args", "c", "n", "x", "m", "s", "f")),
    *(f'{{"t":"{tag}","v":'.encode() for tag in ("i", "f", "t", "s", "fs", "d", "b", "ba", "c", "r", "it", "nt", "h")),
    *(f'{{"t":"{tag}","v":'.encode() for tag in ("Decimal", "Fraction", "datetime", "timedelta", "Counter", "deque")),
    *(b'{"t":"e","c":"E","n":"A","v":', b'{"t":"o","c":"O"}', b"[[", b"]]", b"}", b'{"', b'":', b",", b"null", b"true"),
    *(b"1e999", b"-0", b"0x", b"1_0", b"NaN", b"Infinity", b'"\\ud800"', b"\\u0000", b"\\", b"9" * 21, b"1" * 5000),
    *(b"\xff\xff\xff\xff", b"\x00\x00\x00\x00", b"\x00\x00\x00\x08", b"\x01", b"\x02", b"\x03", b'{"up":1}'),
)
_TAGS = (
    *("i", "f", "t", "s", "fs", "d", "b", "ba", "c", "r", "nt", "e", "it", "o", "h", "fn", "Decimal", "Fraction"),
    *("datetime", "date", "time", "timedelta", "deque", "Counter", "defaultdict", "OrderedDict"),
)
_LEAVES: tuple[object, ...] = (
    *(None, True, False, 0, -1, 1, 1 << 63, 10**19, 10**20, 0.5, 1e308, "", "a", "\ud800", "\0", "9" * 5000, "0x"),
    *("-0x1", "nan", "sNaN", "1e999999", "1/0", "0001-01-01", "23:59:60", "ff", "f f", "ValueError", "SystemExit"),
    *([], {}, [[]], {"t": "s", "v": [[1]]}, {"t": "d", "v": [[1]]}, {"t": "e", "c": "E", "n": "A", "v": [1]}),
    *({"t": "it", "v": [[1]], "x": False}, {"t": "o", "c": "O"}, {"t": "h", "c": "O", "v": 0}),
)
_STILL_JSON = 0.5
"""The share of inputs that get past the parser."""
_NUMBER = re.compile(rb"-?\d+")


def _places(node: object) -> Iterator[tuple[dict[object, object], object]]:
    """Yield every place of a tree that holds a value, as a container and a key."""
    if isinstance(node, dict | list):
        for key in list(node) if isinstance(node, dict) else range(len(node)):
            yield node, key  # type: ignore[misc] # a list takes a key and gives a value as a dict does
            yield from _places(node[key])


class Mutator:
    """Make new inputs out of a growing corpus; the same seed makes the same inputs."""

    def __init__(self, corpus: Sequence[bytes], seed: int) -> None:
        self.corpus = list(corpus)
        self._random = random.Random(seed)  # noqa: S311 - to be repeated, not to be secret
        self._ways: tuple[Callable[[bytearray], None], ...] = (
            self._flip,
            self._word,
            self._cut,
            self._double,
            self._number,
            self._splice,
            self._nest,
            self._length,
            self._swap,
        )

    def make(self) -> bytes:
        """Return one input."""
        chance = self._random
        data = bytearray(chance.choice(self.corpus))
        for _ in range(chance.choice((0, 1, 1, 2, 5))):
            self._graft(data)
            del data[_MOST_BYTES:]
        if chance.random() < _STILL_JSON:
            return bytes(data)
        for _ in range(1 + min(int(chance.expovariate(0.5)), 12)):
            chance.choice(self._ways)(data)
            del data[_MOST_BYTES:]
        return bytes(data)

    def _spot(self, data: bytearray) -> int:
        return self._random.randrange(len(data) + 1)

    def _graft(self, data: bytearray) -> None:
        """Replace one value in a line of JSON, which stays JSON."""
        lines = bytes(data).split(b"\n")
        at = self._random.randrange(len(lines))
        with contextlib.suppress(ValueError, RecursionError):
            tree = {"whole": json.loads(lines[at])}
            places = list(_places(tree))
            container, key = self._random.choice(places)
            match self._random.randrange(6):
                case 0:
                    container[key] = self._random.choice(_LEAVES)
                case 1:
                    container[key] = [container[key]] * self._random.choice((1, 2, 30))
                case 2:
                    container[key] = {"t": self._random.choice(_TAGS), "v": container[key]}
                case 3:
                    other, place = self._random.choice(places)
                    container[key] = json.loads(json.dumps(other[place]))
                case 4:
                    donor = json.loads(self._random.choice(self.corpus).split(b"\n")[-1])
                    other, place = self._random.choice(list(_places({"whole": donor})))
                    container[key] = other[place]
                case _:
                    del container[key]
            lines[at] = json.dumps(tree.get("whole"), separators=(",", ":")).encode()
            data[:] = b"\n".join(lines)

    def _flip(self, data: bytearray) -> None:
        if data:
            data[self._random.randrange(len(data))] = self._random.randrange(256)

    def _word(self, data: bytearray) -> None:
        at = self._spot(data)
        data[at : at + self._random.choice((0, 1, 4))] = self._random.choice(_WORDS)

    def _cut(self, data: bytearray) -> None:
        at = self._spot(data)
        del data[at : at + self._random.choice((1, 2, 9, len(data)))]

    def _double(self, data: bytearray) -> None:
        start, stop = sorted((self._spot(data), self._spot(data)))
        data[stop:stop] = data[start:stop] * self._random.choice((1, 2, 30))

    def _number(self, data: bytearray) -> None:
        if found := list(_NUMBER.finditer(data)):
            start, stop = self._random.choice(found).span()
            data[start:stop] = str(self._random.choice((0, -1, 1, 2, 255, 1 << 31, -(1 << 63), 1 << 64))).encode()

    def _splice(self, data: bytearray) -> None:
        other = self._random.choice(self.corpus)
        data[self._spot(data) :] = other[self._random.randrange(len(other) + 1) :]

    def _nest(self, data: bytearray) -> None:
        """Put what there is deep into brackets of one kind."""
        left, right = self._random.choice(
            ((b"[", b"]"), (b'{"t":"t","v":[', b"]}"), (b'{"t":"e","c":"","n":"","v":', b"}"))
        )
        depth = self._random.choice((1, 50, 95, 101, 250, 399, 401, 2000))
        start = data.find(b'"r":') + 4
        stop = data.rfind(b"}") if start > 3 else len(data)
        if 3 < start < stop:
            data[start:stop] = left * depth + bytes(data[start:stop]) + right * depth

    def _length(self, data: bytearray) -> None:
        """Write a number where a length may stand."""
        if len(data) > 4:
            at = self._random.randrange(len(data) - 3)
            value = self._random.choice(
                (0, 1, 8, 13, 1 << 16, (1 << 16) + 1, 1 << 17, (1 << 17) + 1, 1 << 31, (1 << 32) - 1)
            )
            struct.pack_into("!I", data, at, value)

    def _swap(self, data: bytearray) -> None:
        """Exchange two stretches."""
        one, two, three = sorted((self._spot(data), self._spot(data), self._spot(data)))
        data[one:three] = data[two:three] + data[one:two]


class Coverage:
    """Which lines follow which in some files. An input that reaches a new pair is worth keeping."""

    def __init__(self, files: Sequence[str]) -> None:
        self._files = frozenset(files)
        self._seen: set[tuple[CodeType, int, int]] = set()
        self._fresh = False

    def __len__(self) -> int:
        return len(self._seen)

    def reaches_more(self, run: Callable[[], object]) -> bool:
        """Run something; say whether it went where nothing had gone before."""
        self._fresh = False
        before = sys.gettrace()
        sys.settrace(self._call)
        try:
            run()
        finally:
            sys.settrace(before)
        return self._fresh

    def _call(self, frame: FrameType, event: str, argument: object) -> TraceFunction | None:
        del event, argument
        if frame.f_code.co_filename not in self._files:
            return None
        last = 0

        def line(inner: FrameType, event: str, argument: object) -> TraceFunction:
            nonlocal last
            del argument
            if event == "line":
                pair = inner.f_code, last, inner.f_lineno
                last = inner.f_lineno
                if pair not in self._seen:
                    self._seen.add(pair)
                    self._fresh = True
            return line

        return line
