"""Values to the wire: plain JSON, and objects with a tag for everything that JSON lacks.

Encoding goes by exact type and reads through the base class's own methods, so that an object which merely claims to be
a list, or to equal one, travels as what it is: an opaque thing. This is no security border (the solution may write
what it likes to its pipe, and the host decodes strictly); it keeps honest answers honest.
"""

from __future__ import annotations

import builtins
import sys
from collections import OrderedDict
from collections.abc import Callable
from typing import Any

import foreign
import sharing

MAX_DEPTH = 90
MAX_YIELDED = 10_000
"""How many items of an iterator are taken."""
MAX_VALUES = 2_000_000
"""In one message, those inside of others included."""
MAX_REPEATED = 64 << 20
"""Characters in one message that are named instead of written, since they were before."""
MAX_BITS = (1 << 22) - 64
"""Of an integer: about a million digits."""
MAX_DIGITS = 4000
"""Of a Decimal, of each part of a Fraction: they travel as decimal text, which Python itself limits to 4300."""
_MAX_DIGITS_BITS = 13_287
_MAX_EXPONENT_DIGITS = 6
_INT64 = 1 << 63
_NAME_CHARS = 100


def class_name(cls: type) -> str:
    """Return the name of a class, past any metaclass."""
    name = type.__dict__["__name__"].__get__(cls)
    return str.__str__(name)[:_NAME_CHARS]


class TooLargeError(Exception):
    """A value that the host would not read. The text says what it is."""


class Encoder:
    """Encode values of the solution, message by message."""

    def __init__(self, module: str, handles: foreign.Handles) -> None:
        self._module = module
        self._handles = handles
        self.ship: Callable[[Any, str, Callable[[Any], object]], object] | None = None
        """How an object of the program's own classes goes to another program; None: it stays, behind a handle."""
        self.number_of: Callable[[Any], int | None] = lambda _: None
        """The number of an object that came from another program."""
        self.relays = False
        """It goes to another program, to which a value of a class derived from a plain one is such a value."""
        self._left = MAX_VALUES
        self._labels: dict[int, int] = {}
        """Containers that are in the value more than once, by identity: the value holds them while it is encoded."""
        self._sizes: dict[int, int] = {}
        """Of those that were encoded, the values in them."""
        self._weights: dict[int, int] = {}
        """Of the same, the characters."""
        self._room = MAX_REPEATED
        self._open: set[int] = set()
        self._labelled = 0
        """Numbers given in this message."""

    def whole(self, values: list[Any]) -> list[object]:
        """Encode values that go to another program: a container that is in them twice is one there, too.

        Raises:
            TooLargeError: the host would not read it.
        """
        if self.relays:
            shared = sharing.shared_in(values, MAX_DEPTH)
            self._labels = {key: self._labelled + number for key, number in shared.items()}
            self._labelled += len(shared)
        try:
            return [self.encode(value) for value in values]
        finally:
            self._labels = {}

    def encode(self, value: Any, depth: int = 0) -> object:  # noqa: C901, PLR0912 - one branch for each type
        """Return what `json.dumps` writes for this value.

        Raises:
            TooLargeError: the host would not read it.
        """
        self._count(1)
        kind = type(value)
        if value is None or kind is bool or kind is str:
            return value
        if kind is int:
            assert isinstance(value, int)
            if -_INT64 <= value < _INT64:
                return value
            if int.bit_length(value) > MAX_BITS:
                raise TooLargeError("an integer of more than a million digits")
            return {"t": "i", "v": hex(value)}
        if kind is float:
            assert isinstance(value, float)
            return value if value - value == 0 else {"t": "f", "v": repr(value)}
        if depth > MAX_DEPTH:
            return {"t": "o", "c": class_name(kind), "y": "too deep"}
        if self._labels and (label := self._labels.get(id(value))) is not None and label not in self._open:
            return self._once(value, label, depth)
        down = depth + 1
        if kind is list:
            if _sent_as_is(value):
                self._count(len(value))
                return list.copy(value)
            return [self.encode(item, down) for item in list.__iter__(value)]
        if kind in _SEQUENCES:
            return {"t": _SEQUENCES[kind], "v": [self.encode(item, down) for item in kind.__iter__(value)]}
        if kind is dict:
            return {"t": "d", "v": self._pairs(value, down)}
        if kind is bytes or kind is bytearray:
            return {"t": "b" if kind is bytes else "ba", "v": kind.hex(value)}
        if kind is complex:
            assert isinstance(value, complex)
            return {"t": "c", "v": [repr(value.real), repr(value.imag)]}
        if kind is range:
            assert isinstance(value, range)
            return {"t": "r", "v": [self.encode(part) for part in (value.start, value.stop, value.step)]}
        return self._library(value, kind, down)

    def _once(self, value: Any, label: int, depth: int) -> object:
        """Encode a container that is met again: whole the first time, then by its number."""
        if label in self._sizes:
            self._count(self._sizes[label])
            self._room -= self._weights[label]
            if self._room < 0:
                raise TooLargeError("a value that repeats too much")
            return {"t": "=", "v": label}
        self._open.add(label)
        before = self._left
        body = self.encode(value, depth)
        self._open.remove(label)
        self._sizes[label] = before - self._left
        self._weights[label] = sharing.weight_of(body, self._weights)
        return {"t": "&", "n": label, "v": body}

    def begin(self) -> Callable[[], None]:
        """Begin a message; return what goes on with the one before, which this one may have come in between."""
        before = (self._left, self._room, self._labels, self._sizes, self._weights, self._open, self._labelled)

        def go_on() -> None:
            self._left, self._room, self._labels, self._sizes, self._weights, self._open, self._labelled = before

        self._left, self._room, self._labelled = MAX_VALUES, MAX_REPEATED, 0
        self._labels, self._sizes, self._weights, self._open = {}, {}, {}, set()
        return go_on

    def _count(self, values: int) -> None:
        """Take some values off what a message may hold."""
        self._left -= values
        if self._left < 0:
            raise TooLargeError("a value that holds more than two million others")

    def _pairs(self, value: Any, depth: int) -> list[object]:
        items = OrderedDict.items(value) if isinstance(value, OrderedDict) else dict.items(value)
        return [[self.encode(key, depth), self.encode(item, depth)] for key, item in items]

    def _library(self, value: Any, kind: type, depth: int) -> object:
        """Encode what the standard library's own classes make, and what else there is."""
        if (number := self.number_of(value)) is not None:
            return {"t": "gr", "v": number}
        name, module = class_name(kind), sys.modules.get(_HOME.get(class_name(kind), ""))
        if module is not None and getattr(module, name, None) is kind:
            return self._from_library(value, kind, name, depth)
        made = kind.__mro__ if self.relays else kind.__mro__[:1]
        if (named := next(filter(_is_named, made), None)) is not None:
            fields = [field if type(field) is str else "?" for field in named.__dict__["_fields"]]
            items = [self.encode(item, depth) for item in tuple.__iter__(value)]
            return {"t": "nt", "c": name, "f": fields, "v": items}
        if self.relays and (plain := self._derived(value, kind, depth)) is not None:
            return plain
        return self._other(value, kind, name, depth)

    def _from_library(self, value: Any, kind: Any, name: str, depth: int) -> object:
        """Encode what is of a class of the standard library's, or derived from one, as that class reads it."""
        if name in {"Decimal", "Fraction"}:
            return {"t": name, "v": _decimal_text(value) if name == "Decimal" else _fraction_text(value)}
        if name in {"datetime", "date", "time"}:
            return {"t": name, "v": kind.isoformat(value)}
        if name == "timedelta":
            return {"t": name, "v": [value.days, value.seconds, value.microseconds]}
        if name == "deque":
            return {"t": name, "v": [self.encode(item, depth) for item in kind.__iter__(value)]}
        if name == "defaultdict":
            made = class_name(value.default_factory) if isinstance(value.default_factory, type) else ""
            known = made in FACTORIES and vars(builtins)[made] is value.default_factory
            return {"t": name, "v": self._pairs(value, depth), **({"c": made} if known else {})}
        return {"t": name, "v": self._pairs(value, depth)}

    def _derived(self, value: Any, kind: type, depth: int) -> object:
        """Encode what is derived from a plain type as that type's own methods read it; None for anything else."""
        if kind in _VIEWS:
            tag = _VIEWS[kind]
            return {"t": tag, "v": [self.encode(item, depth) for item in iter(value)]}
        for base in kind.__mro__:
            if base in _READ:
                return self.encode(_READ[base](value), depth)
            if (module := sys.modules.get(_HOME.get(base.__name__, ""))) and getattr(module, base.__name__) is base:
                return self._from_library(value, base, base.__name__, depth)
            if base.__module__ == "collections" and base.__name__ in {"UserList", "UserDict", "UserString"}:
                return self.encode(object.__getattribute__(value, "__dict__").get("data"), depth)
            if base is _PROXY or (base.__module__ == "collections" and base.__name__ == "ChainMap"):
                return self.encode(dict(value.items()), depth)
            if base.__module__ == "array" and value.typecode in _TYPECODES:
                return {"t": "array", "c": value.typecode, "v": [self.encode(item, depth) for item in value]}
        return None

    def _other(self, value: Any, kind: type, name: str, depth: int) -> object:
        """Encode enumerations, iterators and objects of the program's own."""
        enum = sys.modules.get("enum")
        if enum is not None and isinstance(kind, enum.EnumMeta):
            return {
                "t": "e",
                "c": name,
                "n": str(getattr(value, "_name_", "")),
                "v": self.encode(getattr(value, "_value_", None), depth),
            }
        if self.relays and isinstance(value, type):
            called = class_name(value)
            if vars(builtins).get(called) is value:
                return {"t": "ty", "v": called}
        if kind in {foreign.Foreign, foreign.Unknown} and (number := foreign.Foreign.number_of(value)) is not None:
            return {"t": "h", "c": "Foreign", "v": number}
        if any("__next__" in base.__dict__ for base in kind.__mro__):
            return self._iterator(value, depth)
        if kind.__module__ == self._module and not isinstance(value, type):
            if self.ship is not None:
                return self.ship(value, name, lambda item: self.encode(item, depth))
            return {"t": "h", "c": name, "v": self._handles.add(value), **self._truth(kind)}
        return {"t": "o", "c": name, **self._truth(kind)}

    def _truth(self, kind: type) -> dict[str, object]:
        """Say whether objects of a class are always true, as what `re.search` finds: nobody's code says so."""
        says = any("__bool__" in base.__dict__ or "__len__" in base.__dict__ for base in kind.__mro__)
        return {"b": True} if self.relays and not says else {}

    def _iterator(self, value: Any, depth: int) -> object:
        """Take what an iterator yields, up to a cap."""
        items: list[object] = []
        for item in value:
            if len(items) == MAX_YIELDED:
                return {"t": "it", "v": items, "x": True}
            items.append(self.encode(item, depth))
        return {"t": "it", "v": items, "x": False}


def _is_named(kind: type) -> bool:
    """Say whether a class is what `namedtuple` makes."""
    return kind.__mro__[1:2] == (tuple,) and type(kind.__dict__.get("_fields")) is tuple


def _decimal_text(value: Any) -> str:
    """Return a Decimal as text, without what a not-a-number may carry."""
    text = str(value)
    if "NaN" in text:
        return text.rstrip("0123456789")
    digits, _, exponent = text.partition("E")
    if len(digits) > MAX_DIGITS or len(exponent.lstrip("+-")) > _MAX_EXPONENT_DIGITS:
        raise TooLargeError("a Decimal of too many digits")
    return text


def _fraction_text(value: Any) -> str:
    """Return a Fraction as text."""
    if max(int.bit_length(value.numerator), int.bit_length(value.denominator)) > _MAX_DIGITS_BITS:
        raise TooLargeError("a Fraction of too many digits")
    return str(value)


def _sent_as_is(items: list[Any]) -> bool:
    """Say whether a list stands for itself: its integers fit 64 bits, the rest is text, booleans and None."""
    kinds = set(map(type, items))
    if not kinds <= _LEAVES:
        return False
    numbers = [item for item in items if type(item) is int] if int in kinds else [0]
    return min(numbers) >= -_INT64 and max(numbers) < _INT64


FACTORIES = frozenset({"bool", "dict", "float", "int", "list", "set", "str", "tuple"})
"""What a missing item of a `defaultdict` may be made by, so that the other program can make it as well."""
_LEAVES = frozenset({str, bool, int, type(None)})
_SEQUENCES: dict[type, str] = {tuple: "t", set: "s", frozenset: "fs"}
_READ: dict[type, Callable[[Any], object]] = {
    int: int.__int__,
    float: float.__float__,
    complex: complex.__pos__,
    str: str.__str__,
    bytes: lambda value: bytes.__getitem__(value, slice(None)),
    bytearray: bytearray.copy,
    list: lambda value: [*list.__iter__(value)],
    tuple: lambda value: (*tuple.__iter__(value),),
    set: lambda value: {*set.__iter__(value)},
    frozenset: lambda value: frozenset(frozenset.__iter__(value)),
    dict: lambda value: dict(dict.items(value)),
}
"""How what is derived from a plain type becomes one, past all that its class says of itself."""
_PROXY = type(type.__dict__)
_TYPECODES = frozenset("bBhHiIlLqQfd")
_VIEWS: dict[type, str] = {
    kind: tag
    for made in (dict[object, object](), OrderedDict[object, object]())
    for kind, tag in ((type(made.keys()), "keys"), (type(made.items()), "items"), (type(made.values()), "values"))
}
_HOME = {
    "Decimal": "decimal",
    "Fraction": "fractions",
    "datetime": "datetime",
    "date": "datetime",
    "time": "datetime",
    "timedelta": "datetime",
    "deque": "collections",
    "Counter": "collections",
    "defaultdict": "collections",
    "OrderedDict": "collections",
}
