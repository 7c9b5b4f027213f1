"""Where a reply fences its code: Markdown fences of every kind, and what models write in their place."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from .lines import StringTracker, read_lines, reads_as_prose

PYTHON_TAGS = frozenset({"python", "py", "python3", "py3", "python2", "ipython", "ipython3", "python-repl", "pycon"})
PLAIN_TAGS = frozenset(
    {"", "text", "txt", "plain", "plaintext", "code", "none", "output", "copy", "solution", "answer"}
)
EDIT_TAGS = frozenset({"diff", "patch"})

_FENCE = re.compile(r"(?P<indent>[ \t]*)(?P<mark>`{3,}|~{3,})(?P<info>.*)")
_AT_END = re.compile(r"(?P<mark>`{3,})[ \t]*(?P<info>[\w+.-]*)[ \t]*")
_ON_ONE_LINE = re.compile(r"[ \t]*(?P<mark>`{3,})[ \t]*(?:python3?|py)[ \t]+(?P<code>[^`]+)(?P=mark)[ \t]*")
_PSEUDO = re.compile(
    r"[ \t]*(?:\[(?P<square>PYTHON)\]|(?:<pre\b[^>]*>[ \t]*)?<(?P<angle>code|source|python)\b[^>]*>(?:python\b)?)"
    r"(?P<rest>.*)",
    re.IGNORECASE,
)
"""`[PYTHON]` of Code Llama, and HTML."""
_LIST_ITEM = 4
"""A fence indented by so much more than the one that opened the block is part of the code (a docstring's, say)."""
_MOST_NESTED = 2
_EDIT = re.compile(r"<{5,9} ?(?:SEARCH|ORIGINAL|HEAD|UPDATED)\b.*|>{5,9} ?(?:REPLACE|UPDATED|HEAD)\b.*|@@ -\d.*")
_STATEMENT = re.compile(
    r"[)\]}#@]|import\b[ \t]+\w|from[ \t]+[\w.]+[ \t]+import\b|(?:async[ \t]+)?def[ \t]+\w|class[ \t]+\w+[ \t]*[:(]"
    r"|(?:if|elif|else|for|while|with|try|except|finally|match)\b[^\n]*:[ \t]*(?:#.*)?$"
    r"|(?:assert|raise|del|global|pass|print)\b"
    r"|[A-Za-z_][\w.]*(?:[ \t]*,[ \t]*[*]?[A-Za-z_][\w.]*)*+[ \t]*(?:\(|\[|=|:[^=\n]*=|[+*/-]=)|[\"']"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    """A piece of a reply that its writer set apart."""

    tag: str
    """The language, in small letters; empty where none is named."""
    code: str
    closed: bool
    opened: bool = True
    """False where the reply begins inside the block, as a completion of a prompt does that ends in a fence."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Fenced:
    """A reply taken apart."""

    blocks: tuple[Block, ...]
    outside: tuple[str, ...]
    """The lines that stand in no block."""


def is_statement(line: str) -> bool:
    """Say whether a line can be code at the left margin, as far as one line tells."""
    if _STATEMENT.match(line) is None:
        return False
    first = next(read_lines(line), None)
    return first is None or not reads_as_prose(first.words)


def is_code(line: str) -> bool:
    """Say whether a line can stand in code: it is a statement, or indented, or blank."""
    return not line.strip() or line[0] in " \t" or is_statement(line)


def is_edit(code: str) -> bool:
    """Say whether a text changes code that is elsewhere: a diff or a SEARCH/REPLACE block."""
    return any(_EDIT.fullmatch(line) for line in code.split("\n"))


def take_apart(lines: Sequence[str]) -> Fenced:
    """Find the blocks of a reply.

    A fence with a tag inside an open block opens another one: models forget to close, and wrap answers in `markdown`
    blocks, more often than they write fences at the left margin of a Python string. Where a string with three quotes
    is open, a fence belongs to it, unless the string then never ends.
    """
    reader = _Reader(heed_strings=True)
    reader.read(lines)
    if reader.ended_in_string:
        reader = _Reader(heed_strings=False)
        reader.read(lines)
    return Fenced(blocks=tuple(reader.blocks), outside=tuple(reader.outside))


@dataclass(slots=True)
class _Open:
    """A block that is being read."""

    tag: str
    indent: str = ""
    mark: str = ""
    """Empty where the reply begins inside it."""
    closer: str = ""
    """What ends it where that is no fence."""
    body: list[str] = field(default_factory=list)
    string: StringTracker = field(default_factory=StringTracker)


class _Reader:
    def __init__(self, *, heed_strings: bool, nesting: int = 0) -> None:
        self.blocks: list[Block] = []
        self.outside: list[str] = []
        self.ended_in_string = False
        self._open: _Open | None = None
        self._heed_strings = heed_strings
        self._ignored_fence = False
        self._nesting = nesting

    def read(self, lines: Sequence[str]) -> None:
        """Read a whole reply."""
        first = next((line for line in lines if line.strip() and not line.startswith("#")), "")
        if not self._nesting and is_statement(first):
            self._open = _Open(tag="")
        for line in lines:
            if self._open is None:
                self._read_outside(line)
            else:
                self._read_inside(self._open, line)
        if self._open is not None:
            self.ended_in_string = self._ignored_fence and self._open.string.is_open
            if self._open.mark or self._open.closer:
                self._close(closed=False)
            else:
                self.outside += self._open.body

    def _read_outside(self, line: str) -> None:
        if one := _ON_ONE_LINE.fullmatch(line):
            self.blocks.append(Block(tag="python", code=one["code"].strip(), closed=True))
        elif (fence := _FENCE.fullmatch(line)) and not _is_in_line(fence):
            self._open_fence(fence)
        elif (late := _fence_at_end(line)) and (not late.info or _tag_of(late.info) in PYTHON_TAGS):
            self.outside.append(late.before)
            self._open = _Open(tag=_tag_of(late.info), mark=late.mark)
        elif pseudo := _PSEUDO.fullmatch(line):
            closer = "[/PYTHON]" if pseudo["square"] else f"</{pseudo['angle'].lower()}>"
            self._open = _Open(tag="python" if pseudo["square"] else "", closer=closer)
            if pseudo["rest"].strip():
                self._read_inside(self._open, pseudo["rest"])
        else:
            self.outside.append(line)

    def _read_inside(self, block: _Open, line: str) -> None:
        if block.closer:
            before, found, after = line.partition(block.closer)
            if before.strip() or not found:
                block.body.append(before)
            if found:
                self._close(closed=True)
                self.outside.append(after)
            return
        fence = _FENCE.fullmatch(line)
        if fence is not None and _counts(fence, block) and not self._is_in_string(block):
            self._end_at(block, fence)
            return
        late = _fence_at_end(line) if block.mark.startswith("`") else None
        if late is not None and late.mark == block.mark and not late.info:
            string = block.string.copy()
            string.read(late.before)
            if not (self._heed_strings and string.is_open):
                block.body.append(late.before)
                self._close(closed=True)
                return
        block.body.append(line)
        block.string.read(line)

    def _is_in_string(self, block: _Open) -> bool:
        ignored = self._heed_strings and block.string.is_open and block.tag in PYTHON_TAGS | PLAIN_TAGS
        self._ignored_fence |= ignored
        return ignored

    def _end_at(self, block: _Open, fence: re.Match[str]) -> None:
        if block.mark:
            self._close(closed=True)
        else:
            self._end_unopened(block, fence)
        if fence["info"].strip():
            self._open_fence(fence)

    def _end_unopened(self, block: _Open, fence: re.Match[str]) -> None:
        """End what a reply began with: a block if a bare fence ends it and it defines something, else no block."""
        self._open = None
        if not fence["info"].strip() and any(re.match(r"(?:async )?def |class ", line) for line in block.body):
            self.blocks.append(Block(tag="", code="\n".join(block.body), closed=True, opened=False))
            return
        self.outside += block.body
        if not fence["info"].strip():
            self._open_fence(fence)

    def _open_fence(self, fence: re.Match[str]) -> None:
        self._open = _Open(tag=_tag_of(fence["info"]), indent=fence["indent"], mark=fence["mark"])

    def _close(self, *, closed: bool) -> None:
        block, self._open = self._open, None
        if block is None:
            return
        margin = len(block.indent)
        code = "\n".join(line[min(margin, len(line) - len(line.lstrip(" \t"))) :] for line in block.body)
        if block.tag not in PYTHON_TAGS and self._nesting < _MOST_NESTED and _holds_fences(code):
            inner = _Reader(heed_strings=self._heed_strings, nesting=self._nesting + 1)
            inner.read(code.split("\n"))
            self.blocks += inner.blocks
        elif code.strip():
            self.blocks.append(Block(tag=block.tag, code=move_left(code), closed=closed))


@dataclass(frozen=True, slots=True)
class _Late:
    """A fence that stands at the end of a line."""

    before: str
    mark: str
    info: str


def _fence_at_end(line: str) -> _Late | None:
    start = line.find("`")
    if start < 1 or not line[:start].strip():
        return None
    fence = _AT_END.fullmatch(line, start)
    return _Late(line[:start], fence["mark"], fence["info"]) if fence else None


def _is_in_line(fence: re.Match[str]) -> bool:
    """Say whether it is code in a line of prose."""
    return fence["mark"][0] == "`" and "`" in fence["info"]


def _holds_fences(code: str) -> bool:
    """Say whether a block is a text with fences of its own, and no code with some in a string."""
    if "```" not in code and "~~~" not in code:
        return False
    lines = [line for line in code.split("\n") if line.strip() and not line.startswith("#")]
    return any(_FENCE.fullmatch(line) for line in lines) and not is_statement(lines[0])


def _counts(fence: re.Match[str], block: _Open) -> bool:
    """Say whether a line that looks like a fence can end or replace the open block."""
    if _is_in_line(fence):
        return False
    if not block.mark:
        return True
    deeper = len(fence["indent"].expandtabs()) - len(block.indent.expandtabs())
    same = fence["mark"][0] == block.mark[0] and len(fence["mark"]) >= len(block.mark)
    return same and deeper < _LIST_ITEM


def _tag_of(info: str) -> str:
    word = re.split(r"[\s:,;}]", info.strip().lstrip("{."), maxsplit=1)[0].lower()
    return "python" if word.endswith(".py") else word


def move_left(code: str) -> str:
    """Take away the indentation of the first line from every line, where no line has less."""
    lines = [line for line in code.split("\n") if line.strip()]
    first = lines[0] if lines else ""
    margin = first[: len(first) - len(first.lstrip(" \t"))]
    if not margin or not all(line.startswith(margin) for line in lines):
        return code
    return "\n".join(line[len(margin) :] if line.strip() else "" for line in code.split("\n"))
