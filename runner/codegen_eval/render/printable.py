"""Strings of solutions and corpora, made safe to show: whatever they hold, they stay on their line."""

from __future__ import annotations

import re

MAX_CHARS = 200
_MARKUP = re.compile(
    r"[\\`*_\[\]|~$]"  # emphasis, code, links, table cells, strikethrough, formulas
    r"|(?<=:)/(?=/)|(?<=www)\."  # addresses that would become links
    r"|^[#+=:-]",  # headings, lists and rules, where a line starts with it
    re.IGNORECASE,
)
_NUMBERED = re.compile(r"^(\d+)(?=[.)](?:\s|$))")
_REPLACED = {"&": "&amp;", "<": "&lt;", ">": "&gt;", "@": "@&#8203;"}


def printable(text: str) -> str:
    """Return a text without control characters, escape sequences, line ends or direction marks, cut to a line."""
    shown = text if len(text) <= MAX_CHARS else text[: MAX_CHARS - 3] + "..."
    return "".join(c if c.isprintable() else ascii(c)[1:-1] for c in shown)


def escape_markdown(text: str) -> str:
    """Return Markdown that shows the text and nothing else: no table cell, no HTML, no link, no mention."""
    escaped = _MARKUP.sub(r"\\\g<0>", printable(text.strip()))
    return "".join(_REPLACED.get(c, c) for c in _NUMBERED.sub(r"\1\\", escaped))
