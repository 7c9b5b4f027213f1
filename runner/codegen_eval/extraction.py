"""Find the code in a model's reply.

A reply is hostile text. It is cut at a bound, read line by line in linear time, and never parsed or compiled here:
deep nesting crashes the parser, and whether code compiles is for the sandbox and the analyser to say. So extraction
knows two outcomes, `ok` and `no_code`; who finds later that the code does not compile sets `syntax_error`.

The rules, first match wins, and *last* because models correct themselves:

==============  ====================================================================================
`fence`         the last fenced block, tagged as Python or not at all, that defines the entry point
`fence-other`   the last block that is tagged as Python; else the last that is not tagged at all
`whole-reply`   no fence, and the reply starts and ends with code and defines the entry point
`code-lines`    no fence, and the lines of code around the last definition of the entry point
`none`          nothing of the above
==============  ====================================================================================

`-unclosed` is added to the rule of a block that the reply ends in: it may have been cut.
Blocks tagged as another language never count. Code that stands indented as a whole (in a list) is moved to the left.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from codegen_eval.solution import Outcome

MAX_CHARS = 1_000_000
"""What comes after this many characters of a reply is not looked at."""

_PYTHON_TAGS = frozenset({"python", "py", "python3", "py3", "python2", "ipython", "python-repl"})
_PLAIN_TAGS = frozenset({"", "text", "txt", "plain", "plaintext", "code", "none"})
_INVISIBLE = "\ufeff\u200b\u200c\u200d\u2060"
"""Zero-width characters: dropped from both ends of a line, kept inside it, where they may be data."""
_FENCE = re.compile(r"(?P<indent>[ \t]*)(?P<mark>`{3,}|~{3,})(?P<info>.*)")
_LIST_ITEM = 4
"""A fence indented by so much more than the one that opened the block is part of the code (a docstring's, say)."""
_CODE_LINE = re.compile(
    r"[ \t)\]}#@]|import\b[ \t]+\w|from[ \t]+[\w.]+[ \t]+import\b|(?:async[ \t]+)?def[ \t]+\w|class[ \t]+\w+[ \t]*[:(]"
    r"|(?:if|elif|else|for|while|with|try|except|finally|match)\b[^\n]*:[ \t]*(?:#.*)?$|assert\b|raise\b"
    r"|[A-Za-z_][\w.]*[ \t]*(?:\(|\[|=|:[^=\n]*=|[+*/-]=)|[\"']"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Extraction:
    """What was found in a reply, and by which rule."""

    code: str | None
    """Lines end in `\\n`. None where there is no code."""
    rule: str
    outcome: Outcome


@dataclass(frozen=True, slots=True, kw_only=True)
class _Block:
    tag: str
    code: str
    closed: bool


def extract(reply: str, entry_point: str) -> Extraction:
    """Return the code of a reply that should define `entry_point`."""
    lines = _clean(reply)
    blocks = [block for block in _read_blocks(lines) if block.code.strip()]
    defines = _definition(entry_point)
    if blocks:
        plausible = [b for b in blocks if b.tag in _PYTHON_TAGS or b.tag in _PLAIN_TAGS]
        if found := _last([b for b in plausible if defines.search(b.code)]):
            return _found(found, "fence")
        if found := _last([b for b in plausible if b.tag in _PYTHON_TAGS] or plausible):
            return _found(found, "fence-other")
        return Extraction(code=None, rule="none", outcome=Outcome.NO_CODE)
    return _read_unfenced(lines, defines)


def _clean(reply: str) -> list[str]:
    text = reply[:MAX_CHARS].replace("\r\n", "\n").replace("\r", "\n")
    return [_strip_invisible(line) for line in text.split("\n")]


def _strip_invisible(line: str) -> str:
    """Drop zero-width characters at both ends, also where they stand in the indentation."""
    line = line.rstrip(_INVISIBLE)
    body = line.lstrip(_INVISIBLE + " \t")
    indent = line[: len(line) - len(body)]
    return "".join(char for char in indent if char not in _INVISIBLE) + body


def _definition(entry_point: str) -> re.Pattern[str]:
    """Match a definition of the name at the top level of a module."""
    name = re.escape(entry_point)
    return re.compile(
        rf"^(?:(?:async[ \t]+)?def[ \t]+{name}[ \t]*[\[(]|class[ \t]+{name}\b|{name}[ \t]*(?::[^=\n]*)?=(?!=))",
        re.MULTILINE,
    )


def _read_blocks(lines: list[str]) -> list[_Block]:
    """Return the fenced blocks in their order.

    A fence with a tag inside an open block opens another one: models forget to close, and wrap answers in `markdown`
    blocks, more often than they write fences at the left margin of a Python string.
    """
    blocks: list[_Block] = []
    opened: re.Match[str] | None = None
    body: list[str] = []
    for line in lines:
        fence = _FENCE.fullmatch(line)
        if fence is None or not _is_fence(fence, opened):
            body.append(line)
            continue
        if opened is not None:
            blocks.append(_make_block(opened, body, closed=True))
        opened = fence if opened is None or fence["info"].strip() else None
        body = []
    if opened is not None:
        blocks.append(_make_block(opened, body, closed=False))
    return blocks


def _is_fence(fence: re.Match[str], opened: re.Match[str] | None) -> bool:
    """Say whether a line that looks like a fence opens a block, or ends the one that is open."""
    info = fence["info"].strip()
    if fence["mark"][0] == "`" and "`" in info:
        return False  # code in a line of prose
    if opened is None:
        return True
    deeper = len(fence["indent"].expandtabs()) - len(opened["indent"].expandtabs())
    same = fence["mark"][0] == opened["mark"][0] and len(fence["mark"]) >= len(opened["mark"])
    return same and deeper < _LIST_ITEM


def _make_block(opened: re.Match[str], body: list[str], *, closed: bool) -> _Block:
    margin = len(opened["indent"])
    code = "\n".join(line[min(margin, len(line) - len(line.lstrip(" \t"))) :] for line in body)
    words = re.split(r"[\s:,;}]", opened["info"].strip().lstrip("{."), maxsplit=1)
    return _Block(tag=words[0].lower(), code=_move_left(code), closed=closed)


def _move_left(code: str) -> str:
    """Take away the indentation of the first line from every line, where no line has less."""
    lines = [line for line in code.split("\n") if line.strip()]
    first = lines[0] if lines else ""
    margin = first[: len(first) - len(first.lstrip(" \t"))]
    if not margin or not all(line.startswith(margin) for line in lines):
        return code
    return "\n".join(line[len(margin) :] if line.strip() else "" for line in code.split("\n"))


def _read_unfenced(lines: list[str], defines: re.Pattern[str]) -> Extraction:
    lines = _mend_start(lines)
    hits = [number for number, line in enumerate(lines) if defines.match(line)]
    if not hits:
        return Extraction(code=None, rule="none", outcome=Outcome.NO_CODE)
    start = end = hits[-1]
    while start > 0 and _is_code(lines[start - 1]):
        start -= 1
    while end + 1 < len(lines) and _is_code(lines[end + 1]):
        end += 1
    filled = [line for line in lines if line.strip()]
    if _is_code(filled[0]) and _is_code(filled[-1]):
        return Extraction(code=_tidy("\n".join(lines)), rule="whole-reply", outcome=Outcome.OK)
    return Extraction(code=_tidy("\n".join(lines[start : end + 1])), rule="code-lines", outcome=Outcome.OK)


def _mend_start(lines: list[str]) -> list[str]:
    """Undo the indentation of a reply as a whole, or the stray blank that some models begin with."""
    text = "\n".join(lines)
    moved = _move_left(text)
    return (moved if moved != text else text.lstrip(" \t\n")).split("\n")


def _is_code(line: str) -> bool:
    return not line.strip() or _CODE_LINE.match(line) is not None


def _last(blocks: list[_Block]) -> _Block | None:
    return blocks[-1] if blocks else None


def _found(block: _Block, rule: str) -> Extraction:
    suffix = "" if block.closed else "-unclosed"
    return Extraction(code=_tidy(block.code), rule=rule + suffix, outcome=Outcome.OK)


def _tidy(code: str) -> str:
    """Return code without blank lines round it, ending in one newline."""
    return re.sub(r"\A(?:[ \t]*\n)+", "", code).rstrip() + "\n"
