"""The strict reader of hostile replies."""

from __future__ import annotations

import collections
import json
import math
import re
from collections.abc import Container, Mapping
from typing import NoReturn

from codegen_eval.judge.tags import (
    READERS,
    RETURNS,
    SHIPMENTS,
    attribute_name,
    handle_number,
    hashable,
    refuse_collisions,
)
from codegen_eval.judge.values import TamperingError

MAX_NESTING = 400
"""Brackets. The guest goes 90 values deep, at up to four brackets each."""
_MAX_DEPTH = 100
"""Values in values: a few more than the guest ever nests, and few enough for our own stack."""
_MAX_INT_DIGITS = 20
_ESCAPED = 12
"""Characters that stand in JSON for one that is not ASCII, at most."""
MAX_REPEATED = 64 << 20
"""Characters that are named in one message instead of written."""
MAX_ITEMS = 2_000_000
_OPENING, _STRING = re.compile(rb"[\[{]|[\]}]"), re.compile(rb'"(?:[^"\\]++|\\.)*+"?', re.DOTALL)


def _tampered(what: str) -> NoReturn:
    raise TamperingError(what)


def _refuse_constant(_: str) -> NoReturn:
    raise ValueError("not a JSON number")


def _parse_int(digits: str) -> int:
    if len(digits) > _MAX_INT_DIGITS:
        raise ValueError("an integer this long is sent in hexadecimal")
    return int(digits)


def _unique(pairs: list[tuple[str, object]]) -> dict[str, object]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("a key occurs twice")
    return found


_DECODE = json.JSONDecoder(parse_constant=_refuse_constant, parse_int=_parse_int, object_pairs_hook=_unique).decode


def _refuse_nesting(frame: bytes) -> None:
    """Refuse brackets that are nested deeper than any worker nests them."""
    depth = 0
    for mark in _OPENING.finditer(_STRING.sub(b"", frame)):
        depth += 1 if mark.group() in b"[{" else -1
        if depth > MAX_NESTING:
            _tampered("brackets nested too deep")


def parse(frame: bytes) -> dict[str, object]:
    """Parse one frame of a worker.

    Raises:
        TamperingError: it is not the JSON that a worker writes.
    """
    if frame.count(b"[") + frame.count(b"{") > MAX_NESTING:  # as a rule there are fewer in all
        _refuse_nesting(frame)
    try:
        message = _DECODE(frame.decode("ascii"))
    except (ValueError, RecursionError) as exc:
        raise TamperingError("a reply that is not the JSON a worker writes") from exc
    if not isinstance(message, dict):
        _tampered("a reply that is not an object")
    return message


LEAVES = frozenset({str, bool, int, type(None)})
"""What stands for itself, so that long lists of it need no look at each item."""


class Reader:
    """Turn the JSON of one reply into values, within a budget of items."""

    def __init__(self, *, ships: bool = False, known: Container[int] = ()) -> None:
        self._left = MAX_ITEMS
        self._depth = 0
        self._ships = ships
        """It reads what a problem set's tests send: objects of their own may be among the values."""
        self._labels: dict[int, tuple[object, int, int]] = {}
        """Containers that are in the values more than once, with the items in them and the values nested in them."""
        self._weights: dict[int, int] = {}
        """Of the same containers, about how many characters they are."""
        self._room = MAX_REPEATED
        self._deepest = 0
        self._known = known
        """Numbers of such objects that may be among the values of a solution, which was sent them."""

    def value(self, raw: object) -> object:
        """Return the value that stands for this JSON.

        Raises:
            TamperingError: an unknown tag, or a tag whose content is not what a worker writes.
        """
        self._left -= 1
        if self._left < 0:
            _tampered("too many items")
        match raw:
            case None | bool() | str() | int():
                return raw
            case float():
                return raw if math.isfinite(raw) else _tampered("a number out of range")
            case list():
                if LEAVES.issuperset(map(type, raw)):
                    self._left -= len(raw)
                    return raw if self._left >= 0 else _tampered("too many items")
                self._descend()
                items = [self.value(item) for item in raw]
                self._depth -= 1
                return items
            case dict() if isinstance(tag := raw.get("t"), str):
                return self._tagged(tag, raw)
            case _:
                return _tampered("a value without a tag")

    def _tagged(self, tag: str, rest: Mapping[str, object]) -> object:
        read = READERS.get(tag) or (SHIPMENTS.get(tag) if self._ships else RETURNS.get(tag))
        if read is None:
            _tampered("an unknown tag")
        self._descend()
        try:
            value = read(self, rest)
        except (ValueError, TypeError, KeyError, ArithmeticError, AttributeError, IndexError) as exc:
            raise TamperingError(f"a malformed value of tag {tag[:20]!r}") from exc
        self._depth -= 1
        return value

    def _descend(self) -> None:
        """Go one value deeper."""
        self._depth += 1
        self._deepest = max(self._deepest, self._depth)
        if self._depth > _MAX_DEPTH:
            _tampered("values nested too deep")

    def items(self, rest: Mapping[str, object]) -> list[object]:
        """Read the list under `v`."""
        raw = rest["v"]
        if not isinstance(raw, list):
            raise TypeError("not a list")
        return [self.value(item) for item in raw]

    def pairs(self, rest: Mapping[str, object]) -> list[tuple[object, object]]:
        """Read the list of pairs under `v`."""
        read: list[tuple[object, object]] = []
        raw = rest["v"]
        if not isinstance(raw, list):
            raise TypeError("not a list")
        for pair in raw:
            key, item = pair
            read.append((hashable(self.value(key)), self.value(item)))
        refuse_collisions([key for key, _ in read])
        return read

    def attributes(self, raw: object) -> tuple[tuple[str, object], ...]:
        """Read the attributes of an object."""
        if not isinstance(raw, list):
            raise TypeError("not a list")
        return tuple((attribute_name(name), self.value(item)) for name, item in raw)

    def members(self, rest: Mapping[str, object]) -> list[object]:
        """Read the list under `v` as things that can be in a set."""
        found = [hashable(item) for item in self.items(rest)]
        refuse_collisions(found)
        return found

    def labelled(self, rest: Mapping[str, object]) -> object:
        """Read a container that is named again further on."""
        number = handle_number(rest["n"])
        if number in self._labels:
            raise ValueError("two containers of one number")
        left, deepest = self._left, self._deepest
        self._deepest = self._depth
        value = self.value(rest["v"])
        if not isinstance(value, list | tuple | dict | set | bytearray | collections.deque):
            raise TypeError("not a container")
        self._labels[number] = value, left - self._left, self._deepest - self._depth
        self._weights[number] = self._weight(rest["v"])
        self._deepest = max(deepest, self._deepest)
        return value

    def again(self, rest: Mapping[str, object]) -> object:
        """Return a container that was read before; what is in it counts once more."""
        number = handle_number(rest["v"])
        value, items, height = self._labels[number]
        self._left -= items
        self._room -= self._weights[number]
        if self._left < 0 or self._room < 0:
            _tampered("too many items")
        self._deepest = max(self._deepest, self._depth + height)
        if self._depth + height > _MAX_DEPTH:
            _tampered("values nested too deep")
        return value

    def _weight(self, raw: object) -> int:
        """Return about how many characters a value is where nothing in it is named instead of written."""
        match raw:
            case str():
                return len(raw) if raw.isascii() else _ESCAPED * len(raw)
            case list():
                return sum(self._weight(item) if isinstance(item, str | list | dict) else 1 for item in raw)
            case {"t": "&", "n": int(number)} | {"t": "=", "v": int(number)}:
                return self._weights[number]
            case dict():
                return sum(map(self._weight, raw.values()))
            case _:
                return 1

    def known(self, raw: object) -> int:
        """Read the number of an object that was sent."""
        number = handle_number(raw)
        if number not in self._known:
            _tampered("an object that it was not given")
        return number
