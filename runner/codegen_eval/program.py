"""The text of a program that is to be changed: bounded, compiled, and found by byte."""

from __future__ import annotations

import ast
import re
import warnings

MAX_SOURCE_BYTES = 256 << 10
"""Far above any answer to a task; parsing stays under a second."""


class Unmutable(Exception):  # noqa: N818 - it says what the source is; it never leaves the layer
    """The source does not compile, or is too large or too deep to mutate."""


def encode(text: str) -> bytes:
    """Return the bytes that positions in a tree count."""
    try:
        data = text.encode()
    except UnicodeEncodeError as exc:
        raise Unmutable("the source is not valid Unicode") from exc
    if len(data) > MAX_SOURCE_BYTES:
        raise Unmutable(f"the source is larger than {MAX_SOURCE_BYTES} bytes")
    return data


def parse(text: str) -> ast.Module:
    """Return the tree of a program that compiles."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # what Python thinks of a solution's style is no concern of ours
            compile(text, "<solution>", "exec", dont_inherit=True)
            return ast.parse(text)
    except (RecursionError, MemoryError) as exc:
        raise Unmutable("the source is nested too deeply") from exc
    except (SyntaxError, ValueError, OverflowError, SystemError) as exc:
        raise Unmutable("the source does not compile") from exc


def line_starts(data: bytes) -> tuple[int, ...]:
    """Return where each line begins."""
    return (0, *(match.end() for match in re.finditer(rb"\n", data)))
