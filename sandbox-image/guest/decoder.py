"""Values from the wire: what the encoder of another program, or the host, has written."""

from __future__ import annotations

import builtins
import collections
from collections.abc import Callable, Iterator
from typing import Any

import foreign


def _cut(items: list[object]) -> Iterator[object]:
    """Yield items, and refuse to say what comes after them."""
    yield from items
    msg = "the other program has sent no more of its iterator than these items"
    raise RuntimeError(msg)


class Decoder:
    """Decode the host's values: arguments, and what callbacks return. The host is trusted."""

    def __init__(self, handles: foreign.Handles, callback: Callable[[int], object] | None) -> None:
        self._handles = handles
        self._callback = callback
        self.unship: Callable[[dict[str, Any], Callable[[Any], object]], object] | None = None
        """Makes an object of what another program has sent."""
        self._foreign: dict[int, foreign.Foreign] = {}
        self.foreign: type[foreign.Foreign] = foreign.Foreign
        """What stands for objects of another program."""
        self.shipped: Callable[[int], object] = handles.get
        """Finds an object that was sent before, by its number."""
        self._classes: dict[tuple[str, tuple[str, ...]], Any] = {}
        """Of named tuples."""
        self._labels: dict[int, object] = {}
        """Containers of the message that are in it more than once."""

    def begin(self) -> None:
        """Begin a message."""
        self._labels = {}

    def name(self, label: int, value: object) -> None:
        """Have a label mean an object that is here already."""
        self._labels[label] = value

    def _named(self, name: str, fields: tuple[str, ...]) -> Any:
        """Return a class of named tuples, the same one for the same names."""
        if (name, fields) not in self._classes:
            make: Any = collections.namedtuple  # noqa: PYI024 - as it was made
            self._classes[name, fields] = make(name, fields, rename=True)
        return self._classes[name, fields]

    def decode(self, value: Any) -> object:
        """Return the value that this JSON stands for."""
        if isinstance(value, list):
            kinds = set(map(type, value))
            return [self.decode(item) for item in value] if list in kinds or dict in kinds else value
        if isinstance(value, dict):
            if value["t"] == "&":
                return self._labels.setdefault(value["n"], self.decode(value["v"]))
            if value["t"] == "=":
                return self._labels[value["v"]]
            if value["t"] == "nt":
                return self._named(value["c"], tuple(value["f"]))(*map(self.decode, value["v"]))
            if value["t"] == "defaultdict":
                factory = vars(builtins)[value["c"]] if "c" in value else None
                return collections.defaultdict(factory, {self.decode(k): self.decode(v) for k, v in value["v"]})
            if value["t"] == "g" and self.unship is not None:
                return self.unship(value, self.decode)
            if value["t"] == "array":
                return __import__("array").array(value["c"], [self.decode(item) for item in value["v"]])
            return self._tagged(value["t"], value.get("v"))
        return value

    def _tagged(self, tag: str, value: Any) -> object:  # noqa: C901, PLR0912 - one branch for each tag
        import datetime

        match tag, value:
            case "i", str():
                return int(value, 16)
            case "f", str():
                return float(value)
            case "t", list():
                return tuple(self.decode(item) for item in value)
            case "s", list():
                return {self.decode(item) for item in value}
            case "fs", list():
                return frozenset(self.decode(item) for item in value)
            case "b", str():
                return bytes.fromhex(value)
            case "ba", str():
                return bytearray.fromhex(value)
            case "d", list():
                return {self.decode(key): self.decode(item) for key, item in value}
            case "c", [str(real), str(imag)]:
                return complex(float(real), float(imag))
            case "r", [start, stop, step]:
                parts: list[Any] = [self.decode(part) for part in (start, stop, step)]
                return range(*parts)
            case (("Counter" | "OrderedDict"), list()):
                plain = {self.decode(key): self.decode(item) for key, item in value}
                return getattr(collections, tag)(plain)
            case "deque", list():
                return collections.deque(self.decode(item) for item in value)
            case (("Decimal" | "Fraction"), str()):
                module = __import__({"Decimal": "decimal", "Fraction": "fractions"}[tag])
                return getattr(module, tag)(value)
            case (("datetime" | "date" | "time"), str()):
                return getattr(datetime, tag).fromisoformat(value)
            case "timedelta", [days, seconds, micros]:
                return datetime.timedelta(days, seconds, micros)
            case "h", int():
                return self._handles.get(value)
            case "gr", int():
                return self.shipped(value)
            case "it", list():
                return iter([self.decode(item) for item in value])
            case "cut", list():
                return _cut([self.decode(item) for item in value])
            case "p" | "pt", [str(name), int(number)]:
                kind = foreign.Foreign if tag == "pt" else self.foreign
                return self._foreign.setdefault(number, kind(name, number))
            case "keys", list():
                return dict.fromkeys(self.decode(item) for item in value).keys()
            case "items", list():
                pairs: list[Any] = [self.decode(item) for item in value]
                return dict(pairs).items()
            case "values", list():
                return dict(enumerate(self.decode(item) for item in value)).values()
            case "ty", str():
                return vars(builtins)[value]
            case "o", str():
                return self.foreign(value)
            case "ot", str():
                return foreign.Foreign(value)
            case "fn", int() if self._callback is not None:
                return self._callback(value)
            case _:
                msg = f"unknown tag {tag}"
                raise ValueError(msg)
