"""The logical lines of Python and their words, in linear time: never parsed, so that no text is too deep or broken."""

from __future__ import annotations

import keyword
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import Enum
from itertools import pairwise
from typing import NamedTuple, Self

from codegen_eval.lexis import TOKEN

_STATEMENTS_AT_MARGIN = frozenset({"def", "class", "import", "async"})
"""Words that never stand inside brackets: where one begins a line, a bracket before it was forgotten."""
_SOFT_KEYWORDS = frozenset({"match", "case", "type", "print"})
"""Names that may stand before another operand; `print`, since code of old reads so."""


class Kind(Enum):
    """What a word is."""

    NAME = "name"
    NUMBER = "number"
    STRING = "string"
    MARK = "mark"


_KINDS = {kind.value: kind for kind in Kind}


class Word(NamedTuple):
    """One word of code. A tuple, since there are many."""

    kind: Kind
    text: str
    depth: int
    """How many brackets are open around it; an opening one is counted itself, a closing one is not."""

    @property
    def is_keyword(self) -> bool:
        """It is a reserved word."""
        return self.kind is Kind.NAME and keyword.iskeyword(self.text)

    @property
    def is_whole(self) -> bool:
        """It is no string that has no end."""
        if self.kind is not Kind.STRING:
            return True
        body = self.text.lstrip("bBfFrRtTuU")
        quote = body[:3] if body[:3] in {'"""', "'''"} else body[:1]
        if len(body) < 2 * len(quote) or not body.endswith(quote):
            return False
        stem = body[: -len(quote)]
        return (len(stem) - len(stem.rstrip("\\"))) % 2 == 0


@dataclass(slots=True)
class Line:
    """One logical line: it goes on while a bracket or a string is open."""

    start: int
    """Where it begins in the text, indentation included."""
    indent: int = 0
    words: list[Word] = field(default_factory=list)
    open_brackets: int = 0
    """How many are open where it ends: more than none for the last line only, or where one was forgotten."""
    stray_bracket: bool = False
    """It closes a bracket that was not open."""

    @property
    def first(self) -> str:
        """Its first word."""
        return self.words[0].text


def read_lines(code: str) -> Iterator[Line]:  # noqa: C901 - one arm for each kind of word
    """Yield the logical lines that hold words."""
    line = Line(start=0)
    margin = 0
    depth = 0
    for match in TOKEN.finditer(code):
        kind, text = match.lastgroup, match.group()
        if kind == "newline":
            if not depth:
                if line.words:
                    yield line
                line = Line(start=match.end())
            margin = match.end()
        elif kind not in {"blank", "comment"}:
            if depth and match.start() == margin and text in _STATEMENTS_AT_MARGIN:
                line.open_brackets = depth
                yield line
                line, depth = Line(start=margin), 0
            if not line.words:
                line.indent = len(code[margin : match.start()].expandtabs()) if match.start() > margin else 0
            if text in ("(", "[", "{"):
                depth += 1
            elif text in (")", "]", "}"):
                line.stray_bracket |= not depth
                depth = max(depth - 1, 0)
            line.words.append(Word(_KINDS[kind or ""], text, depth))
    if line.words:
        line.open_brackets = depth
        yield line


def reads_as_prose(words: list[Word]) -> bool:
    """Say whether two operands stand side by side, as in no statement: `the list` or `returns 2`."""
    for position, (left, right) in enumerate(pairwise(words)):
        ends = left.text in {")", "]", "}"} if left.kind is Kind.MARK else not left.is_keyword
        begins = right.kind is not Kind.MARK and not right.is_keyword
        both_strings = left.kind is right.kind is Kind.STRING
        soft = position == 0 and left.text in _SOFT_KEYWORDS
        if ends and begins and not both_strings and not soft:
            return True
    return False


class StringTracker:
    """Says, line for line, whether a string with three quotes is open."""

    _OUTSIDE = re.compile(r"""\#.*|(?P<open>\"{3}|'{3})|"(?:[^"\\]++|\\.)*+"?+|'(?:[^'\\]++|\\.)*+'?+|\\.""")
    _INSIDE = {quote: re.compile(rf"\\.|(?P<close>{quote})") for quote in ('"""', "'''")}

    def __init__(self, quote: str | None = None) -> None:
        self._quote = quote

    @property
    def is_open(self) -> bool:
        """A string is open where the last line ended."""
        return self._quote is not None

    def copy(self) -> Self:
        """Return one that is where this one is."""
        return type(self)(self._quote)

    def read(self, line: str) -> None:
        """Go on by one line."""
        place = 0
        while True:
            pattern = self._INSIDE[self._quote] if self._quote else self._OUTSIDE
            for match in pattern.finditer(line, place):
                if mark := match.groupdict().get("open") or match.groupdict().get("close"):
                    self._quote = None if self._quote else mark
                    place = match.end()
                    break
            else:
                return
