"""Objects of one program that another one knows by their numbers."""

from __future__ import annotations

from typing import Any


class Handles:
    """The objects of the solution's own classes that the host may call methods on."""

    def __init__(self) -> None:
        self._objects: list[object] = []
        self._numbers: dict[int, int] = {}
        """By identity, which nothing else can have: the objects are kept."""

    def add(self, value: Any) -> int:
        """Keep an object; return its number."""
        number = self._numbers.setdefault(id(value), len(self._objects))
        if number == len(self._objects):
            self._objects.append(value)
        return number

    def get(self, index: int) -> object:
        """Return the object with this number."""
        if index < 0:
            raise IndexError(index)
        return self._objects[index]


class Foreign:
    """Stands for an object of another program, which is equal to itself alone."""

    def __init__(self, name: str, number: int | None = None) -> None:
        self.__name = name  # the tests are to find no attribute that they would not find on the object itself
        self.__number = number

    def __repr__(self) -> str:
        return f"<{self.__name} object>"

    @staticmethod
    def number_of(value: Foreign) -> int | None:
        """Return the number by which the other program finds an object again; None: it can't."""
        return value.__number


class Unknown(Foreign):
    """Such an object where tests look at it: they can't know whether it is true."""

    def __bool__(self) -> bool:
        msg = f"only the other program knows whether its {self!r} is true"
        raise TypeError(msg)
