"""Values of cases in JSON: what JSON lacks is an object with one key that begins with `$`.

`{"$tuple": [1, 2]}` is `(1, 2)`. The same words go for `args`, `kwargs`, `returns` and everything inside of them.
"""

from __future__ import annotations

import datetime
import re
from collections import Counter, OrderedDict, deque
from collections.abc import Callable, Mapping
from decimal import Decimal, InvalidOperation
from fractions import Fraction

from codegen_eval.closeness import did_you_mean
from codegen_eval.task import SandboxPath

MAX_DEPTH = 60
_HEX = re.compile(r"(?:[0-9a-fA-F]{2})*")
_FLOATS = frozenset({"nan", "inf", "-inf"})


class ValueFormError(ValueError):
    """A value that is written in a way that means nothing."""


def read_value(raw: object, depth: int = 0) -> object:
    """Return the value that a piece of JSON stands for.

    Raises:
        ValueFormError: an unknown tag, or one whose content does not fit it.
    """
    if depth > MAX_DEPTH:
        raise ValueFormError(f"it is nested deeper than {MAX_DEPTH} levels")
    if isinstance(raw, list):
        return [read_value(item, depth + 1) for item in raw]
    if not isinstance(raw, dict):
        return raw
    tags = [key for key in raw if key.startswith("$")]
    if not tags:
        return {key: read_value(item, depth + 1) for key, item in raw.items()}
    if len(raw) > 1:
        raise ValueFormError(f"`{tags[0]}` stands beside other keys: a dict with such a key is written as `$dict`")
    return _read_tagged(tags[0], raw[tags[0]], depth + 1)


def _read_tagged(tag: str, raw: object, depth: int) -> object:
    read = _TAGS.get(tag)
    if read is None:
        raise ValueFormError(f"there is no tag `{tag}`{did_you_mean(tag, _TAGS)}")
    due, make = read
    try:
        return make(raw, depth)
    except ValueFormError:
        raise
    except (ValueError, TypeError, ArithmeticError, InvalidOperation, RecursionError) as exc:
        raise ValueFormError(f"`{tag}` needs {due}") from exc


def _items(raw: object, depth: int) -> list[object]:
    if not isinstance(raw, list):
        raise TypeError("not a list")
    return [read_value(item, depth) for item in raw]


def _pairs(raw: object, depth: int) -> dict[object, object]:
    found: dict[object, object] = {}
    for pair in _items(raw, depth):
        if not isinstance(pair, list) or len(pair) != 2:  # noqa: PLR2004 - a pair
            raise TypeError("not a pair")
        found[pair[0]] = pair[1]
    return found


def _text(raw: object) -> str:
    if not isinstance(raw, str):
        raise TypeError("not a text")
    return raw


def _float(raw: object, _: int) -> float:
    if raw not in _FLOATS:
        raise ValueError("not one of them")
    return float(_text(raw))


def _bytes(raw: object, _: int) -> bytes:
    if not _HEX.fullmatch(_text(raw)):
        raise ValueError("not hexadecimal")
    return bytes.fromhex(_text(raw))


def _complex(raw: object, depth: int) -> complex:
    real, imag = _items(raw, depth)
    if not isinstance(real, int | float) or not isinstance(imag, int | float):
        raise TypeError("not numbers")
    return complex(real, imag)


def _range(raw: object, depth: int) -> range:
    parts = _items(raw, depth)
    numbers = [part for part in parts if type(part) is int]
    if len(numbers) != len(parts):
        raise TypeError("not integers")
    return range(*numbers)


def _timedelta(raw: object, _: int) -> datetime.timedelta:
    if isinstance(raw, bool) or not isinstance(raw, int | float):
        raise TypeError("not a number")
    return datetime.timedelta(seconds=raw)


def _path(raw: object, _: int) -> SandboxPath:
    text = _text(raw)
    if text.startswith("/") or ".." in text.split("/"):
        raise ValueError("not below the directory")
    return SandboxPath(text)


_LIST = "a list of values"
_TEXT = "a text"
_TAGS: Mapping[str, tuple[str, Callable[[object, int], object]]] = {
    "$tuple": (_LIST, lambda raw, depth: tuple(_items(raw, depth))),
    "$set": ("a list of values that can be in a set", lambda raw, depth: set(_items(raw, depth))),
    "$frozenset": ("a list of values that can be in a set", lambda raw, depth: frozenset(_items(raw, depth))),
    "$dict": ("a list of pairs [key, value]", _pairs),
    "$deque": (_LIST, lambda raw, depth: deque(_items(raw, depth))),
    "$counter": ("a list of pairs [key, count]", lambda raw, depth: Counter(_pairs(raw, depth))),
    "$ordered": ("a list of pairs [key, value]", lambda raw, depth: OrderedDict(_pairs(raw, depth))),
    "$bytes": ("a text of hexadecimal digits, two for each byte", _bytes),
    "$float": ('"nan", "inf" or "-inf"', _float),
    "$complex": ("two numbers [real, imaginary]", _complex),
    "$decimal": (f'{_TEXT} as "1.50"', lambda raw, _: Decimal(_text(raw))),
    "$fraction": (f'{_TEXT} as "1/3"', lambda raw, _: Fraction(_text(raw))),
    "$range": ("integers [start, stop] or [start, stop, step]", _range),
    "$date": (f'{_TEXT} as "2024-02-29"', lambda raw, _: datetime.date.fromisoformat(_text(raw))),
    "$time": (f'{_TEXT} as "12:30:00"', lambda raw, _: datetime.time.fromisoformat(_text(raw))),
    "$datetime": (f'{_TEXT} as "2024-02-29T12:30:00"', lambda raw, _: datetime.datetime.fromisoformat(_text(raw))),
    "$timedelta": ("a number of seconds", _timedelta),
    "$path": ("a path below the worker's directory", _path),
}
