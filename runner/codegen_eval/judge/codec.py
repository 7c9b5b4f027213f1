"""The strict reader of hostile replies."""

from __future__ import annotations

import array
import builtins
import collections
import datetime
import decimal
import fractions
import json
import math
import re
from collections.abc import Callable, Container, Mapping
from typing import NoReturn

from codegen_eval.judge.values import (
    BuiltinType,
    EnumMember,
    Handle,
    Iterator,
    NamedTuple,
    Opaque,
    Shipped,
    TamperingError,
)

MAX_NESTING = 400
"""Brackets. The guest goes 90 values deep, at up to four brackets each."""
_MAX_DEPTH = 100
"""Values in values: a few more than the guest ever nests, and few enough for our own stack."""
_MAX_INT_DIGITS = 20
_MAX_HEX_DIGITS = 1 << 20
_MAX_ITEMS = 2_000_000
_MAX_NAME = 200
_MAX_SAME_HASH = 1000
"""How many keys of one collection may have the same hash."""
_NUMBER = re.compile(r"[0-9eE.+\-infnaINFNA_]{1,64}")
_DECIMAL = re.compile(
    r"[+-]?(?:\d{1,4000}(?:\.\d{0,4000})?|\.\d{1,4000})(?:[eE][+-]?\d{1,6})?|[+-]?(?:NaN|sNaN|Infinity)"
)
_FRACTION = re.compile(r"-?\d{1,4000}(?:/\d{1,4000})?")
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
        self._left = _MAX_ITEMS
        self._depth = 0
        self._ships = ships
        """It reads what a problem set's tests send: objects of their own may be among the values."""
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
        read = _READERS.get(tag) or (_SHIPMENTS.get(tag) if self._ships else _RETURNS.get(tag))
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
            read.append((_hashable(self.value(key)), self.value(item)))
        _refuse_collisions([key for key, _ in read])
        return read

    def attributes(self, raw: object) -> tuple[tuple[str, object], ...]:
        """Read the attributes of an object."""
        if not isinstance(raw, list):
            raise TypeError("not a list")
        return tuple((_attribute(name), self.value(item)) for name, item in raw)

    def members(self, rest: Mapping[str, object]) -> list[object]:
        """Read the list under `v` as things that can be in a set."""
        found = [_hashable(item) for item in self.items(rest)]
        _refuse_collisions(found)
        return found

    def known(self, raw: object) -> int:
        """Read the number of an object that was sent."""
        number = _number(raw)
        if number not in self._known:
            _tampered("an object that it was not given")
        return number


def _attribute(name: object) -> str:
    if not isinstance(name, str) or len(name) > _MAX_NAME or not name.isidentifier():
        raise TypeError("not the name of an attribute")
    return name


def _hashable(value: object) -> object:
    """Return a value that may be a key or a set's item.

    What could be one on the solution's side and can't be one here, as a tuple of its own objects, becomes a key that
    equals nothing else.

    Raises:
        TypeError: a value of a plain type that can be no key anywhere.
    """
    if isinstance(value, Opaque):
        return OpaqueKey(value.class_name)
    try:
        hash(value)
    except TypeError:
        if isinstance(value, list | dict | set | bytearray | collections.deque):
            raise
        return OpaqueKey(type(value).__name__)
    return value


def _refuse_collisions(keys: list[object]) -> None:
    """Refuse keys that are made to collide: a set of them would take quadratic time."""
    hashes = sorted(map(hash, keys))
    if any(map(int.__eq__, hashes, hashes[_MAX_SAME_HASH:])):
        _tampered("keys that are made to collide")


class OpaqueKey:
    """An opaque value where something hashable is needed: equal to nothing but itself."""

    def __init__(self, class_name: str) -> None:
        self.class_name = class_name

    def __repr__(self) -> str:
        return f"<{self.class_name} object>"


def _text(rest: Mapping[str, object], key: str = "v", limit: int = 200) -> str:
    raw = rest[key]
    if not isinstance(raw, str) or len(raw) > limit:
        raise TypeError("not a short text")
    return raw


def _matching(pattern: re.Pattern[str], rest: Mapping[str, object], limit: int = 10_000) -> str:
    text = _text(rest, limit=limit)
    if not pattern.fullmatch(text):
        raise ValueError("not of this form")
    return text


def _integers(rest: Mapping[str, object], count: int) -> list[int]:
    raw = rest["v"]
    if not isinstance(raw, list) or len(raw) != count or any(type(part) is not int for part in raw):
        raise TypeError("not integers")
    return raw


def _big_int(rest: Mapping[str, object]) -> int:
    text = _text(rest, limit=_MAX_HEX_DIGITS)
    if not re.fullmatch(r"-?0x[0-9a-f]+", text):
        raise ValueError("not hexadecimal")
    return int(text, 16)


def _range(reader: Reader, rest: Mapping[str, object]) -> range:
    start, stop, step = reader.items(rest)
    if not (type(start) is type(stop) is type(step) is int):
        raise TypeError("not integers")
    return range(start, stop, step)


def _complex(rest: Mapping[str, object]) -> complex:
    raw = rest["v"]
    if not isinstance(raw, list):
        raise TypeError("not a pair")
    real, imag = (_matching(_NUMBER, {"v": part}) for part in raw)
    return complex(float(real), float(imag))


def _default_dict(pairs: list[tuple[object, object]]) -> collections.defaultdict[object, object]:
    return collections.defaultdict(None, pairs)


def _counter(pairs: list[tuple[object, object]]) -> collections.Counter[object]:
    counted: collections.Counter[object] = collections.Counter()
    for key, count in pairs:
        dict.__setitem__(counted, key, count)  # type: ignore[misc] # a Counter may hold any value
    return counted


_READERS: dict[str, Callable[[Reader, Mapping[str, object]], object]] = {
    "i": lambda _, rest: _big_int(rest),
    "f": lambda _, rest: float(_matching(_NUMBER, rest)),
    "t": lambda reader, rest: tuple(reader.items(rest)),
    "s": lambda reader, rest: set(reader.members(rest)),
    "fs": lambda reader, rest: frozenset(reader.members(rest)),
    "d": lambda reader, rest: dict(reader.pairs(rest)),
    "b": lambda _, rest: bytes.fromhex(_text(rest, limit=1 << 24)),
    "ba": lambda _, rest: bytearray.fromhex(_text(rest, limit=1 << 24)),
    "c": lambda _, rest: _complex(rest),
    "r": _range,
    "Decimal": lambda _, rest: decimal.Decimal(_matching(_DECIMAL, rest)),
    "Fraction": lambda _, rest: fractions.Fraction(_matching(_FRACTION, rest)),
    "datetime": lambda _, rest: datetime.datetime.fromisoformat(_text(rest)),
    "date": lambda _, rest: datetime.date.fromisoformat(_text(rest)),
    "time": lambda _, rest: datetime.time.fromisoformat(_text(rest)),
    "timedelta": lambda _, rest: datetime.timedelta(*_integers(rest, 3)),
    "deque": lambda reader, rest: collections.deque(reader.items(rest)),
    "Counter": lambda reader, rest: _counter(reader.pairs(rest)),
    "defaultdict": lambda reader, rest: _default_dict(reader.pairs(rest)),
    "OrderedDict": lambda reader, rest: collections.OrderedDict(reader.pairs(rest)),
    "nt": lambda reader, rest: NamedTuple(reader.items(rest)),
    "e": lambda reader, rest: EnumMember(_text(rest, "c"), _text(rest, "n", 10_000), reader.value(rest.get("v"))),
    "it": lambda reader, rest: Iterator(tuple(reader.items(rest)), rest["x"] is True),
    "o": lambda _, rest: Opaque(_text(rest, "c"), is_true=rest.get("b") is True),
    "h": lambda _, rest: Handle(_text(rest, "c"), _number(rest["v"]), is_true=rest.get("b") is True),
}


def _shipped(reader: Reader, rest: Mapping[str, object]) -> Shipped:
    return Shipped(_number(rest["n"]), _text(rest, "c"), reader.attributes(rest["v"]))


def _builtin(name: str) -> str:
    if not isinstance(vars(builtins).get(name), type):
        raise TypeError("not a builtin class")
    return name


def _number(raw: object) -> int:
    if type(raw) is not int or raw < 0:
        raise TypeError("not a number")
    return raw


def _array(reader: Reader, rest: Mapping[str, object]) -> object:
    code, items = _text(rest, "c", 1), reader.items(rest)
    if code in "fd":
        return array.array("d" if code == "d" else "f", [item for item in items if isinstance(item, float)])
    if code not in "bBhHiIlLqQ":
        raise TypeError("not the type of an array")
    made = array.array(code)
    made.extend(item for item in items if isinstance(item, int))
    return made


def _items(reader: Reader, rest: Mapping[str, object]) -> object:
    found: dict[object, object] = {}
    for pair in reader.items(rest):
        if not isinstance(pair, tuple):
            raise TypeError("not a pair")
        key, item = pair
        found[_hashable(key)] = item
    _refuse_collisions(list(found))
    return found.items()


_DERIVED: dict[str, Callable[[Reader, Mapping[str, object]], object]] = {
    "ty": lambda _, rest: BuiltinType(_builtin(_text(rest))),
    "keys": lambda reader, rest: dict.fromkeys(reader.members(rest)).keys(),
    "items": _items,
    "values": lambda reader, rest: dict(enumerate(reader.items(rest))).values(),
    "array": _array,
}
"""What a worker sends where another program looks at it."""
_SHIPMENTS: dict[str, Callable[[Reader, Mapping[str, object]], object]] = {
    "g": _shipped,
    "gr": lambda _, rest: Shipped(_number(rest["v"])),
    **_DERIVED,
}
_RETURNS: dict[str, Callable[[Reader, Mapping[str, object]], object]] = {
    "gr": lambda reader, rest: Shipped(reader.known(rest["v"])),
    **_DERIVED,
}
