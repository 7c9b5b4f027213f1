"""What each tag of a reply stands for, checked as strictly as everything that a worker writes."""

from __future__ import annotations

import array
import builtins
import collections
import datetime
import decimal
import fractions
import re
from collections.abc import Callable, Mapping
from keyword import iskeyword
from typing import TYPE_CHECKING

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

if TYPE_CHECKING:
    from codegen_eval.judge.codec import Reader

MAX_NAME = 200
_MAX_HEX_DIGITS = 1 << 20
_MAX_SAME_HASH = 1000
"""How many keys of one collection may have the same hash."""
_NUMBER = re.compile(r"[0-9eE.+\-infnaINFNA_]{1,64}")
_DECIMAL = re.compile(
    r"[+-]?(?:\d{1,4000}(?:\.\d{0,4000})?|\.\d{1,4000})(?:[eE][+-]?\d{1,6})?|[+-]?(?:NaN|sNaN|Infinity)"
)
_FRACTION = re.compile(r"-?\d{1,4000}(?:/\d{1,4000})?")
FACTORIES: dict[str, type] = {kind.__name__: kind for kind in (bool, dict, float, int, list, set, str, tuple)}
"""What a missing item of a `defaultdict` may be made by."""


def attribute_name(name: object) -> str:
    """Return the name of an attribute.

    Raises:
        TypeError: it can't be one.
    """
    if not isinstance(name, str) or len(name) > MAX_NAME or not name.isidentifier():
        raise TypeError("not the name of an attribute")
    return name


def hashable(value: object) -> object:
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


def refuse_collisions(keys: list[object]) -> None:
    """Refuse keys that are made to collide: a set of them would take quadratic time."""
    hashes = sorted(map(hash, keys))
    if any(map(int.__eq__, hashes, hashes[_MAX_SAME_HASH:])):
        raise TamperingError("keys that are made to collide")


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


def _default_dict(reader: Reader, rest: Mapping[str, object]) -> collections.defaultdict[object, object]:
    factory = FACTORIES[_text(rest, "c")] if "c" in rest else None
    return collections.defaultdict(factory, reader.pairs(rest))


def _is_name(text: object) -> bool:
    return isinstance(text, str) and text.isidentifier() and not iskeyword(text)


def _named_tuple(reader: Reader, rest: Mapping[str, object]) -> NamedTuple:
    """Return a named tuple; its fields' names are kept where they could be names."""
    made = NamedTuple(reader.items(rest))
    fields = rest["f"]
    if not isinstance(fields, list):
        raise TypeError("not a list")
    name = _text(rest, "c")
    named = tuple(
        field for field in (name, *fields) if isinstance(field, str) and field.isidentifier() and not iskeyword(field)
    )
    if len(named) == len(fields) + 1 == len(made) + 1 and max(map(len, named)) <= MAX_NAME:
        made.class_name, made.fields = name, named[1:]
    return made


def _counter(pairs: list[tuple[object, object]]) -> collections.Counter[object]:
    counted: collections.Counter[object] = collections.Counter()
    for key, count in pairs:
        dict.__setitem__(counted, key, count)  # type: ignore[misc] # a Counter may hold any value
    return counted


READERS: dict[str, Callable[[Reader, Mapping[str, object]], object]] = {
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
    "defaultdict": _default_dict,
    "OrderedDict": lambda reader, rest: collections.OrderedDict(reader.pairs(rest)),
    "nt": _named_tuple,
    "e": lambda reader, rest: EnumMember(_text(rest, "c"), _text(rest, "n", 10_000), reader.value(rest.get("v"))),
    "it": lambda reader, rest: Iterator(tuple(reader.items(rest)), rest["x"] is True),
    "o": lambda _, rest: Opaque(_text(rest, "c"), is_true=rest.get("b") is True),
    "h": lambda _, rest: Handle(_text(rest, "c"), handle_number(rest["v"]), is_true=rest.get("b") is True),
}


def _shipped(reader: Reader, rest: Mapping[str, object]) -> Shipped:
    return Shipped(handle_number(rest["n"]), _text(rest, "c"), reader.attributes(rest["v"]))


def _builtin(name: str) -> str:
    if not isinstance(vars(builtins).get(name), type):
        raise TypeError("not a builtin class")
    return name


def handle_number(raw: object) -> int:
    """Return the number of an object.

    Raises:
        TypeError: it is none.
    """
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
        found[hashable(key)] = item
    refuse_collisions(list(found))
    return found.items()


_DERIVED: dict[str, Callable[[Reader, Mapping[str, object]], object]] = {
    "&": lambda reader, rest: reader.labelled(rest),
    "=": lambda reader, rest: reader.again(rest),
    "ty": lambda _, rest: BuiltinType(_builtin(_text(rest))),
    "keys": lambda reader, rest: dict.fromkeys(reader.members(rest)).keys(),
    "items": _items,
    "values": lambda reader, rest: dict(enumerate(reader.items(rest))).values(),
    "array": _array,
}
"""What a worker sends where another program looks at it."""
SHIPMENTS: dict[str, Callable[[Reader, Mapping[str, object]], object]] = {
    "g": _shipped,
    "gr": lambda _, rest: Shipped(handle_number(rest["v"])),
    **_DERIVED,
}
RETURNS: dict[str, Callable[[Reader, Mapping[str, object]], object]] = {
    "gr": lambda reader, rest: Shipped(reader.known(rest["v"])),
    **_DERIVED,
}
