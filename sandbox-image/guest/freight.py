"""Objects that the tests of a problem set pass to a solution: by the name of their class and their attributes.

Tests and solution run in sandboxes of their own. An object of a class of the tests goes out as its attributes, once in
a message and by its number wherever it occurs again. The solution gets an object of its own class of that name where it
has one, else of an empty one; what it does to the attributes goes back with its answer. Numbers keep identity.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import foreign


class Outgoing:
    """Objects of the tests' own classes, on the tests' side."""

    def __init__(self, handles: foreign.Handles) -> None:
        self._handles = handles
        self._sent: set[int] = set()

    def begin(self) -> None:
        """Start a message."""
        self._sent.clear()

    def encode(self, value: Any, name: str, encode: Callable[[Any], object]) -> object:
        """Return an object with its attributes; only its number where the message has it already."""
        number = self._handles.add(value)
        if number in self._sent:
            return {"t": "gr", "v": number}
        self._sent.add(number)
        state = getattr(value, "__dict__", {})
        return {"t": "g", "c": name, "n": number, "v": [[key, encode(item)] for key, item in dict.items(state)]}

    def take_back(self, states: list[Any], decode: Callable[[Any], object]) -> None:
        """Give objects the attributes that they have on the solution's side."""
        for number, pairs in states:
            state = getattr(self._handles.get(number), "__dict__", None)
            if state is None:  # its attributes are in slots, and were not sent
                continue
            changed = {name: decode(item) for name, item in pairs}
            state.clear()
            state.update(changed)


class Incoming:
    """The same objects on the solution's side."""

    def __init__(self, names: dict[str, Any]) -> None:
        self._names = names
        """Of the solution's module: its classes are taken where the names agree."""
        self._objects: dict[int, Any] = {}
        self._numbers: dict[int, int] = {}
        self._kinds: dict[str, type] = {}

    def decode(self, message: dict[str, Any], decode: Callable[[Any], object]) -> object:
        """Return the object that a message shows."""
        number = message["n"]
        if number not in self._objects:
            made: Any = object.__new__(self._kind(message["c"]))
            self._objects[number], self._numbers[id(made)] = made, number
        found = self._objects[number]
        for name, item in message["v"]:
            object.__setattr__(found, name, decode(item))
        return found

    def get(self, number: int) -> object:
        """Return an object that came before."""
        return self._objects[number]

    def number_of(self, value: Any) -> int | None:
        """Return the number of an object that came from the tests; None for any other."""
        return self._numbers.get(id(value)) if self._numbers else None

    def states(self, encode: Callable[[Any], object]) -> list[object]:
        """Return the attributes of all objects as they are now."""
        return [
            [number, [[name, encode(item)] for name, item in dict.items(getattr(value, "__dict__", {}))]]
            for number, value in self._objects.items()
        ]

    def _kind(self, name: str) -> type:
        own = self._names.get(name)
        if isinstance(own, type) and own.__mro__[-2:] == (own, object) and own.__dictoffset__:
            return own
        return self._kinds.setdefault(name, type(name, (), {}))
