"""The writer of what goes to a worker: arguments, and what one program answers another."""

from __future__ import annotations

import array
import collections
import datetime
import decimal
import fractions
import math
from collections.abc import Callable, ItemsView, Iterable, KeysView, Sequence, ValuesView

from codegen_eval.judge.codec import LEAVES
from codegen_eval.judge.tags import FACTORIES, OpaqueKey
from codegen_eval.judge.values import BuiltinType, EnumMember, Handle, Iterator, NamedTuple, Opaque, Shipped
from codegen_eval.task import SandboxPath

CHANGEABLE = (list, dict, set, bytearray, collections.deque, array.array)
"""What a solution may change where it is an argument."""


class Writer:
    """Turn arguments into JSON for the worker. Functions among them get numbers and are called back."""

    def __init__(self, workdir: str, *, relays: bool = False, to_tests: bool = False, by_number: bool = False) -> None:
        self._workdir = workdir
        self._relays = relays
        """What one program answers is passed on to another, also where no plain value stands for it."""
        self._to_tests = to_tests
        """What a solution answers goes to tests: its own objects are to be told from theirs."""
        self._by_number = by_number
        """Objects of tests are meant by their numbers alone."""
        self.shipped: set[int] = set()
        """Objects of tests that were written with their attributes."""
        self.functions: list[Callable[..., object]] = []
        self._labels: dict[int, int] = {}
        """Containers that are in the values more than once, by identity."""
        self._labelled = 0
        """Numbers given in this message."""
        self._written: set[int] = set()

    def whole(self, values: Sequence[object]) -> list[object]:
        """Return the JSON of values; where they come from another program, what is in them twice is one there, too.

        Raises:
            TypeError: a test passed what can't be sent.
        """
        if self._relays:
            shared = shared_in(values)
            self._labels = {key: self._labelled + number for key, number in shared.items()}
            self._labelled += len(shared)
        try:
            return [self.value(value) for value in values]
        finally:
            self._labels = {}

    def value(self, value: object) -> object:  # noqa: C901, PLR0912 - one branch for each type
        """Return the JSON that stands for this value.

        Raises:
            TypeError: a test passed what can't be sent.
        """
        match value:
            case None | bool() | str():
                return value
            case int():
                return value if -(1 << 63) <= value < 1 << 63 else {"t": "i", "v": hex(value)}
            case float():
                return value if math.isfinite(value) else {"t": "f", "v": repr(value)}
            case SandboxPath(relative):
                return resolve(relative, self._workdir)
            case Handle():
                if self._to_tests:
                    return {"t": "pt" if value.is_true else "p", "v": [value.class_name, value.number]}
                return {"t": "h", "v": value.number}
            case complex():
                return {"t": "c", "v": [repr(value.real), repr(value.imag)]}
            case range():
                return {"t": "r", "v": [self.value(part) for part in (value.start, value.stop, value.step)]}
            case bytes():
                return {"t": "b", "v": value.hex()}
            case decimal.Decimal() | fractions.Fraction():
                return {"t": type(value).__name__, "v": str(value)}
            case datetime.datetime() | datetime.date() | datetime.time():
                return {"t": type(value).__name__, "v": value.isoformat()}
            case datetime.timedelta():
                return {"t": "timedelta", "v": [value.days, value.seconds, value.microseconds]}
        if self._labels and (label := self._labels.get(id(value))) is not None:
            if label in self._written:
                return {"t": "=", "v": label}
            self._written.add(label)
            return {"t": "&", "n": label, "v": self._container(value)}
        return self._container(value)

    def _container(self, value: object) -> object:
        if isinstance(value, collections.defaultdict) and self._relays:
            made = value.default_factory.__name__ if isinstance(value.default_factory, type) else ""
            pairs = [[self.value(key), self.value(item)] for key, item in value.items()]
            return {"t": "defaultdict", "v": pairs, **({"c": made} if made in FACTORIES else {})}
        if isinstance(value, dict):
            tag = type(value).__name__ if isinstance(value, collections.Counter | collections.OrderedDict) else "d"
            return {"t": tag, "v": [[self.value(key), self.value(item)] for key, item in value.items()]}
        if isinstance(value, bytearray):
            return {"t": "ba", "v": value.hex()}
        if type(value) is list:
            return value if _sent_as_is(value) else [self.value(item) for item in value]
        tag = _CONTAINERS.get(type(value), "")
        if tag and isinstance(value, tuple | set | frozenset | collections.deque):
            return {"t": tag, "v": [self.value(item) for item in value]}
        if self._relays and (passed := self._passed_on(value)) is not None:
            return passed
        if callable(value):
            self.functions.append(value)
            return {"t": "fn", "v": len(self.functions) - 1}
        raise TypeError(f"a test can't pass a {type(value).__name__} to a solution")

    def _passed_on(self, value: object) -> object:
        """Return the JSON of what another program answered; None where it is nothing of that kind."""
        match value:
            case Shipped(number, class_name, state):
                if state is None or self._by_number:
                    return {"t": "gr", "v": number}
                self.shipped.add(number)
                return {"t": "g", "c": class_name, "n": number, "v": self.attributes(state)}
            case BuiltinType(name):
                return {"t": "ty", "v": name}
            case Iterator(items, truncated):
                return {"t": "cut" if truncated else "it", "v": [self.value(item) for item in items]}
            case NamedTuple(fields=tuple(fields)):
                return {
                    "t": "nt",
                    "c": value.class_name,
                    "f": list(fields),
                    "v": [self.value(item) for item in value],
                }
            case NamedTuple():
                return {"t": "t", "v": [self.value(item) for item in value]}
            case Opaque() | OpaqueKey() | EnumMember():
                is_true = isinstance(value, Opaque) and value.is_true
                return {"t": "ot" if is_true else "o", "v": value.class_name}
            case array.array():
                return {"t": "array", "c": value.typecode, "v": [self.value(item) for item in value]}
            case KeysView() | ItemsView() | ValuesView() if type(value) in _VIEWS:
                return {"t": _VIEWS[type(value)], "v": [self.value(item) for item in value]}
        return None

    def attributes(self, state: Iterable[tuple[str, object]]) -> list[object]:
        """Return the JSON of an object's attributes."""
        return [[name, self.value(item)] for name, item in state]


def _sent_as_is(items: list[object]) -> bool:
    """Say whether a list stands for itself: its integers fit 64 bits, the rest is text, booleans and None."""
    kinds = set(map(type, items))
    if not kinds <= LEAVES:
        return False
    numbers = [item for item in items if isinstance(item, int)] if int in kinds else [0]
    return min(numbers) >= -(1 << 63) and max(numbers) < 1 << 63


def containers_in(values: Sequence[object]) -> set[int]:
    """Return the identities of the containers in values."""
    return {id(container) for container, _ in _containers(values)}


def shared_in(values: Sequence[object]) -> dict[int, int]:
    """Return a number for each container that is in the values more than once, by its identity: tuples, too."""
    found: dict[int, int] = {}
    for container, is_met_again in _containers(values):
        if is_met_again:
            found.setdefault(id(container), len(found))
    return found


def _containers(values: Sequence[object]) -> Iterable[tuple[object, bool]]:
    """Yield the containers in values, and whether they were met before.

    What is passed on was read from another program, so nothing in it is nested in itself.
    """
    seen: set[int] = set()
    waiting = [iter(values)]
    while waiting:
        for item in waiting[-1]:
            if isinstance(item, Iterator | ItemsView | ValuesView):
                waiting.append(iter(item.items if isinstance(item, Iterator) else item))
                break
            if not isinstance(item, list | dict | tuple | set | bytearray | collections.deque):
                continue
            yield item, id(item) in seen
            if id(item) in seen:
                continue
            seen.add(id(item))
            if isinstance(item, dict):
                waiting.append(iter(item.values()))
            elif not isinstance(item, set | bytearray) and not LEAVES.issuperset(map(type, item)):
                waiting.append(iter(item))
            break
        else:
            waiting.pop()


_VIEWS: dict[type, str] = {type({}.keys()): "keys", type({}.items()): "items", type({}.values()): "values"}
_CONTAINERS: dict[type, str] = {tuple: "t", set: "s", frozenset: "fs", collections.deque: "deque"}


def resolve(relative: str, workdir: str) -> str:
    """Return the absolute path in the sandbox of a path relative to the worker's directory."""
    return f"{workdir}/{relative}" if relative else workdir
