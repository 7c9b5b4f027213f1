"""Values as short, printable Python source: what findings show."""

from __future__ import annotations

import itertools
import re
from array import array
from collections import deque
from collections.abc import ItemsView, KeysView, ValuesView
from types import BuiltinFunctionType, FunctionType, MethodDescriptorType

from codegen_eval.judge.tags import OpaqueKey
from codegen_eval.judge.values import EnumMember, Iterator, NamedTuple, Opaque
from codegen_eval.task import SandboxPath

MAX_CHARS = 300
_MAX_ITEMS = 20
_MAX_DEPTH = 6
_MAX_DIGITS = 60
_ADDRESS = re.compile(r"0x[0-9a-fA-F]{6,16}")


def describe(value: object, *, workdir: str = "", depth: int = 0) -> str:
    """Return bounded ASCII source for a value; the same on every machine."""
    return clip(_describe(value, workdir, depth))


def clean(text: str, *, workdir: str = "") -> str:
    """Return a text of the solution's on one line of printable ASCII, without addresses and our paths."""
    if workdir:
        text = text.replace(workdir, "<workdir>")
    text = _ADDRESS.sub("0x...", text[: 4 * MAX_CHARS])
    return clip(ascii(text)[1:-1])


def clip(text: str) -> str:
    """Shorten a text to what a finding may hold."""
    return text if len(text) <= MAX_CHARS else text[: MAX_CHARS - 3] + "..."


def _describe(value: object, workdir: str, depth: int) -> str:  # noqa: C901, PLR0912 - one branch for each type
    if depth > _MAX_DEPTH:
        return "..."
    match value:
        case str():
            return _string(value, workdir)
        case bool() | None | float() | complex():
            return repr(value)
        case int():
            return _integer(value)
        case bytes() | bytearray():
            text = repr(bytes(value[:200]))
            return f"{text}...({len(value)} bytes)" if len(value) > 200 else text  # noqa: PLR2004 - a cut
        case SandboxPath(relative):
            return f"SandboxPath({relative!a})"
        case Opaque() | OpaqueKey():
            return f"<{ascii(value.class_name)[1:-1]} object>"
        case FunctionType() | BuiltinFunctionType() | MethodDescriptorType() | type():
            return f"<{ascii(value.__qualname__)[1:-1]}>"
        case Iterator():
            return f"<iterator over {_describe(list(value.items), workdir, depth + 1)}>"
        case EnumMember():
            return f"<{ascii(value.class_name)[1:-1]}.{ascii(value.name)[1:-1]}>"
        case dict():
            return _mapping(value, workdir, depth)
        case list() | tuple() | set() | frozenset():
            return _collection(value, workdir, depth)
        case deque() | KeysView() | ValuesView() | ItemsView() | array():
            return f"{type(value).__name__}({_describe(list(value), workdir, depth + 1)})"
        case range():
            parts = [value.start, value.stop, value.step][: 2 if value.step == 1 else 3]
            return f"range({', '.join(map(_integer, parts))})"
    return clip(ascii(value)) if type(value).__module__ in _LIBRARY else f"<{type(value).__name__} object>"


_LIBRARY = frozenset({"decimal", "fractions", "datetime", "collections", "builtins"})


def _string(value: str, workdir: str) -> str:
    if workdir:
        value = value.replace(workdir, "<workdir>")
    text = ascii(value[:MAX_CHARS])
    return f"{text}...({len(value)} characters)" if len(value) > MAX_CHARS else text


def _integer(value: int) -> str:
    if value.bit_length() > 4 * _MAX_DIGITS:
        return f"<int of {value.bit_length()} bits>"
    return str(value)


def _mapping(value: dict[object, object], workdir: str, depth: int) -> str:
    shown = [
        f"{_describe(key, workdir, depth + 1)}: {_describe(item, workdir, depth + 1)}"
        for key, item in itertools.islice(value.items(), _MAX_ITEMS)
    ]
    if len(value) > _MAX_ITEMS:
        shown.append(f"...({len(value)} items)")
    body = "{" + ", ".join(shown) + "}"
    return body if type(value) is dict else f"{type(value).__name__}({body})"


def _collection(
    value: list[object] | tuple[object, ...] | set[object] | frozenset[object], workdir: str, depth: int
) -> str:
    if isinstance(value, set | frozenset):
        parts = sorted(_describe(item, workdir, depth + 1) for item in itertools.islice(value, 1000))
    else:
        parts = [_describe(item, workdir, depth + 1) for item in itertools.islice(value, _MAX_ITEMS)]
    shown = parts[:_MAX_ITEMS]
    if len(value) > _MAX_ITEMS:
        shown.append(f"...({len(value)} items)")
    body = ", ".join(shown)
    match value:
        case list():
            return f"[{body}]"
        case NamedTuple():
            return f"<named tuple ({body})>"
        case tuple():
            return f"({body},)" if len(value) == 1 else f"({body})"
        case frozenset():
            return f"frozenset({{{body}}})"
        case set():
            return f"{{{body}}}" if value else "set()"
