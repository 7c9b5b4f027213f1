"""Exceptions on their way to another program: by their class, its bases and, where they can go along, arguments."""

from __future__ import annotations

import builtins
import contextlib
import importlib
import json
import sys
from collections.abc import Callable
from typing import Any

import codec

_MESSAGE_CHARS = 500
MOST_ARGUMENTS = 8
_ARGUMENT_CHARS = 10_000
"""Of all arguments, encoded."""
_MADE_WITH = {
    "CalledProcessError": ("returncode", "cmd", "output", "stderr"),
    "JSONDecodeError": ("msg", "doc", "pos"),
    "TimeoutExpired": ("cmd", "timeout", "output", "stderr"),
}
"""Exceptions that are made with more than they keep as arguments."""
_BUILTIN_ERRORS = frozenset(
    name for name, kind in vars(builtins).items() if isinstance(kind, type) and issubclass(kind, BaseException)
)
_LIBRARY = frozenset(
    {
        *("asyncio.exceptions", "binascii", "concurrent.futures._base", "configparser", "csv", "_csv", "decimal"),
        *("email.errors", "http.client", "ipaddress", "json.decoder", "queue", "_queue", "re", "re._constants"),
        *("sre_constants", "sqlite3", "statistics", "struct", "subprocess", "tarfile", "urllib.error", "uuid"),
        *("xml.etree.ElementTree", "xml.parsers.expat", "zipfile", "zlib", "zoneinfo._common"),
        *("pickle", "_pickle", "shutil", "copy", "dataclasses", "argparse", "graphlib", "getopt", "threading"),
        "socket",
    }
)
"""Modules of the standard library whose exceptions another program knows as well."""


class OtherProgramError(Exception):
    """Holds what another program has raised, apart from what goes wrong on its way."""

    def __init__(self, error: BaseException) -> None:
        super().__init__()
        self.error = error


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
    if encoder.relays and encoder.ship is None:  # what tests raise is for the host alone
        with contextlib.suppress(BaseException):  # what is asked of a class or an argument may be the solution's own
            said |= _origin(kind)
        with contextlib.suppress(BaseException):
            said |= _made_with(exc, encoder)
    return said


def _origin(kind: type) -> dict[str, object]:
    """Return module and name of the nearest class of the standard library, where another program knows it."""
    for base in kind.__mro__:
        name = codec.class_name(base)
        if base.__module__ in _LIBRARY and getattr(sys.modules.get(base.__module__), name, None) is base:
            return {"l": [base.__module__, name]}
    return {}


def _made_with(exc: BaseException, encoder: codec.Encoder) -> dict[str, object]:
    """Return the arguments of an exception whose class is not the solution's: such a class may say something else."""
    kind = type(exc)
    if kind.__module__ != "builtins" and kind.__module__ not in _LIBRARY:
        return {}
    args = _arguments(exc)
    if len(args) > MOST_ARGUMENTS:
        return {}
    encoded = [encoder.encode(arg) for arg in args]
    return {"a": encoded} if len(json.dumps(encoded)) <= _ARGUMENT_CHARS else {}


def _arguments(exc: BaseException) -> tuple[Any, ...]:
    """Return what an exception of the library's would have to be made with."""
    names = _MADE_WITH.get(codec.class_name(type(exc)))
    if names is not None and all(hasattr(exc, name) for name in names):
        return tuple(getattr(exc, name) for name in names)
    if isinstance(exc, OSError) and exc.filename is not None:
        return exc.errno, exc.strerror, exc.filename
    args: tuple[Any, ...] = BaseException.__dict__["args"].__get__(exc)
    return args


def made_again(message: dict[str, Any], decode: Callable[[Any], object]) -> BaseException:
    """Return the exception that another program has raised."""
    kind: Any = getattr(builtins, message["error"])
    if "from" in message:
        module, name = message["from"]
        found = None
        with contextlib.suppress(ImportError):  # this Python may come without it
            found = getattr(importlib.import_module(module), name, None) if module in _LIBRARY else None
        kind = found if isinstance(found, type) and issubclass(found, BaseException) else kind
    args = [decode(arg) for arg in message["args"]] if "args" in message else [message.get("text", "")]
    try:
        made: BaseException = kind(*args)
    except Exception:  # noqa: BLE001 - it takes other arguments than it keeps
        made = kind.__new__(kind, *args)
        made.args = tuple(args)
    return made
