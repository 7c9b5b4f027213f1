"""The fields of one record, read by type: what is missing or of another type is said with the closest name there is."""

from __future__ import annotations

import difflib
from collections.abc import Mapping

from codegen_eval.record import json_kind

_MAX_NAME = 60
_MAX_NAMES = 40
_MAX_ID = 200


class BadRecordError(Exception):
    """A record is not what it should be. It never leaves the readers: they make it a fault of its line."""

    def __init__(self, what: str, hint: str | None = None) -> None:
        super().__init__(what)
        self.hint = hint


class Fields:
    """One record of a file."""

    def __init__(self, record: Mapping[str, object]) -> None:
        self._record = record

    def __contains__(self, name: str) -> bool:
        return name in self._record

    def value(self, name: str) -> object:
        """Return what a field holds.

        Raises:
            BadRecordError: there is none of that name.
        """
        if name not in self._record:
            raise BadRecordError(f"the key `{name}` is missing", self._closest(name))
        return self._record[name]

    def text(self, name: str) -> str:
        """Return a text that can be written as UTF-8, its line ends made line feeds.

        Raises:
            BadRecordError: there is none.
        """
        return checked_text(self.value(name), f"`{name}`")

    def text_or(self, name: str, default: str) -> str:
        """Return a text, or the default where the key is missing or null.

        Raises:
            BadRecordError: it is something else.
        """
        return default if self._record.get(name) is None else self.text(name)

    def texts(self, name: str) -> tuple[str, ...]:
        """Return a list of texts.

        Raises:
            BadRecordError: it is something else.
        """
        return tuple(checked_text(item, f"`{name}[{i}]`") for i, item in enumerate(self.items(name)))

    def texts_or_none(self, name: str) -> tuple[str, ...]:
        """Return a list of texts, empty where the key is missing or null.

        Raises:
            BadRecordError: it is something else.
        """
        return () if self._record.get(name) is None else self.texts(name)

    def items(self, name: str) -> list[object]:
        """Return a list.

        Raises:
            BadRecordError: it is something else.
        """
        value = self.value(name)
        if not isinstance(value, list):
            raise BadRecordError(f"`{name}` should be a list, not {json_kind(value)}")
        return value

    def number(self, name: str) -> float:
        """Return a finite number that is not negative.

        Raises:
            BadRecordError: it is something else.
        """
        value = self.value(name)
        if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < float("inf"):
            raise BadRecordError(f"`{name}` should be a number of 0 or more, not {json_kind(value)}")
        return float(value)

    def name(self, name: str) -> str:
        """Return a text that is a Python name.

        Raises:
            BadRecordError: it is something else.
        """
        value = self.text(name)
        if not value.isidentifier() or len(value) > _MAX_ID:
            raise BadRecordError(f"`{name}` should be a Python name, not {ascii(value)[:_MAX_NAME]}")
        return value

    def id(self, name: str) -> str:
        """Return a text, or a whole number as a text, that can stand as an id: short, printable and not empty.

        Raises:
            BadRecordError: it is something else.
        """
        value = self.value(name)
        if isinstance(value, int) and not isinstance(value, bool):
            value = str(value)
        if not isinstance(value, str) or not value.strip() or len(value) > _MAX_ID or not value.isprintable():
            kind = "one that is empty, long or unprintable" if isinstance(value, str) else json_kind(value)
            raise BadRecordError(f"`{name}` should be a short printable text, not {kind}")
        return value

    def _closest(self, name: str) -> str | None:
        """Return a hint that names the key that was meant, or those that are there."""
        there = [key for key in self._record if len(key) <= _MAX_NAME and key.isprintable()][:_MAX_NAMES]
        if close := difflib.get_close_matches(name, there, 1):
            return f"there is `{close[0]}`"
        return f"there are {', '.join(f'`{key}`' for key in there[:8])}" if there else None


def checked_text(value: object, where: str) -> str:
    """Return a text of code or prose, with line feeds only: what Python makes of other line ends, in strings as well.

    Raises:
        BadRecordError: it is none, or can't be written as UTF-8.
    """
    return checked_data(value, where).replace("\r\n", "\n").replace("\r", "\n")


def checked_data(value: object, where: str) -> str:
    """Return a text as it is.

    Raises:
        BadRecordError: it is none, or can't be written as UTF-8.
    """
    if not isinstance(value, str):
        raise BadRecordError(f"{where} should be a text, not {json_kind(value)}")
    try:
        value.encode()
    except UnicodeEncodeError:
        raise BadRecordError(f"{where} holds half a surrogate pair, which no file can hold") from None
    return value
