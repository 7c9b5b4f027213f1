"""Exceptions on their way to another program: by their class, its bases and, where they are plain, their arguments."""

from __future__ import annotations

import builtins
import importlib
import sys
from collections.abc import Callable
from typing import Any

import codec

_MESSAGE_CHARS = 500
_MOST_ARGUMENTS = 8
_ARGUMENT_CHARS = 10_000
_INT64 = 1 << 63
_PLAIN = frozenset({int, float, bool, type(None)})
_BUILTIN_ERRORS = frozenset(
    name for name, kind in vars(builtins).items() if isinstance(kind, type) and issubclass(kind, BaseException)
)
LIBRARY = frozenset(
    {
        *("asyncio.exceptions", "binascii", "concurrent.futures._base", "configparser", "csv", "_csv", "decimal"),
        *("email.errors", "http.client", "ipaddress", "json.decoder", "queue", "_queue", "re", "re._constants"),
        *("sre_constants", "sqlite3", "statistics", "struct", "subprocess", "tarfile", "urllib.error", "uuid"),
        *("xml.etree.ElementTree", "xml.parsers.expat", "zipfile", "zlib", "zoneinfo._common"),
    }
)
"""Modules of the standard library whose exceptions another program knows as well."""


def described(exc: BaseException, encoder: codec.Encoder) -> dict[str, object]:
    """Return the class, the builtin classes above it, and the text of an exception."""
    kind = type(exc)
    above = [codec.class_name(base) for base in kind.__mro__ if base.__module__ == "builtins"]
    try:
        text = str.__str__(str(exc))[:_MESSAGE_CHARS]
    except BaseException:  # noqa: BLE001 - its __str__ is the solution's
        text = ""
    said: dict[str, object] = {
        "t": codec.class_name(kind),
        "m": [name for name in above if name in _BUILTIN_ERRORS],
        "s": text,
    }
    if encoder.relays:
        args: Any = BaseException.__dict__["args"].__get__(exc)
        if len(args) <= _MOST_ARGUMENTS and all(map(_is_short, args)):
            said["a"] = [encoder.encode(arg) for arg in args]
        for base in kind.__mro__:
            name = codec.class_name(base)
            if base.__module__ in LIBRARY and getattr(sys.modules.get(base.__module__), name, None) is base:
                said["l"] = [base.__module__, name]
                break
    return said


def _is_short(argument: Any) -> bool:
    kind = type(argument)
    if kind in {str, bytes}:
        return len(argument) <= _ARGUMENT_CHARS
    return kind in _PLAIN and (kind is not int or abs(argument) < _INT64)


def made_again(message: dict[str, Any], decode: Callable[[Any], object]) -> BaseException:
    """Return the exception that another program has raised."""
    kind: Any = getattr(builtins, message["error"])
    if "from" in message:
        module, name = message["from"]
        found = getattr(importlib.import_module(module), name, None)
        kind = found if isinstance(found, type) and issubclass(found, BaseException) else kind
    args = [decode(arg) for arg in message["args"]] if "args" in message else [message.get("text", "")]
    try:
        made: BaseException = kind(*args)
    except Exception:  # noqa: BLE001 - it takes other arguments than it keeps
        made = kind.__new__(kind, *args)
        made.args = tuple(args)
    return made
