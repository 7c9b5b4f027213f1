"""The words of Python source, cut in linear time and without recursion, for text that no parser should meet.

It tells names, strings and comments apart, and what stands at the top level. It takes any text; of what is no Python it
only makes no sense. A replacement field of an f-string is part of its string.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator
from typing import NamedTuple

MAX_CHARS = 200_000
"""What comes after this many characters is not looked at."""
TOKEN = re.compile(
    r"""
      (?P<blank> [ \t\f\r]++ | \\\r?\n)
    | (?P<newline> \n)
    | (?P<comment> \#[^\n]*+)
    | (?P<string> [bBfFrRtTuU]{0,2}+
        (?: \"{3} (?: [^"\\]++ | \\. | "(?!"") )*+ (?: \"{3} | \\?\Z )
          | '{3}  (?: [^'\\]++ | \\. | '(?!'') )*+ (?: '{3}  | \\?\Z )
          | "     (?: [^"\\\n]++ | \\. )*+ (?: " | (?=\n) | \\?\Z )
          | '     (?: [^'\\\n]++ | \\. )*+ (?: ' | (?=\n) | \\?\Z ) ) )
    | (?P<name> [^\W\d]\w*+)
    | (?P<number> \.?\d[\w.]*+)
    | (?P<mark> -> | := | (?: \*\* | // | >> | << | [-+*/%@&|^<>=!] )=? | \.\.\. | . )
    """,
    re.VERBOSE | re.DOTALL,
)
"""One word, comment or blank; what has no end goes to the end of its line, or of the text."""
_OPENING = frozenset("([{")
_CLOSING = frozenset(")]}")
_BLOCKS = frozenset({"else", "try", "finally", "lambda"})
_BINDING = frozenset({"for", "as", "def", "class", "lambda"})
"""A name behind one of these is bound there."""
_TELLING = 3
"""How many words of a statement tell what it defines."""


class Word(NamedTuple):
    """A name, number, string, newline or mark of a source. Blanks and comments are none."""

    kind: str
    text: str
    start: int
    first: bool
    """It is the first of a line that no bracket or string goes on into."""
    indented: bool
    """That line begins with a blank."""


class Definition(NamedTuple):
    """A name that a source defines at its top level."""

    name: str
    start: int
    """Where its statement begins, decorators included."""
    is_class: bool = False


def words(source: str) -> Iterator[Word]:
    """Yield the words of a source in their order."""
    depth, first, indented = 0, True, False
    for match in TOKEN.finditer(source, 0, MAX_CHARS):
        kind = match.lastgroup or ""
        if kind == "comment":
            continue
        if kind == "blank":
            indented |= first and not match.group().startswith("\\")
            continue
        text = match.group()
        if kind == "newline":
            if depth == 0:
                first, indented = True, False
            yield Word(kind, text, match.start(), first=False, indented=False)
            continue
        yield Word(kind, text, match.start(), first=first, indented=indented)
        first = False
        if text in _OPENING:
            depth += 1
        elif text in _CLOSING:
            depth = max(0, depth - 1)


def definitions(source: str) -> tuple[Definition, ...]:
    """Return what a source defines at its top level by `def`, `class` or `name =`, in order."""
    found: list[Definition] = []
    line: list[Word] = []
    decorated: int | None = None
    for word in words(source):
        if word.first:
            line = []
        if word.indented or word.kind == "newline" or len(line) == _TELLING:
            continue
        line.append(word)
        if word.first and word.text == "@":
            decorated = word.start if decorated is None else decorated
        if (name := _defined(line)) is not None:
            start = line[0].start if decorated is None else decorated
            found.append(Definition(name, start, is_class=line[0].text == "class"))
            decorated = None
    return tuple(found)


def _defined(line: list[Word]) -> str | None:
    """Return the name that a statement with these first words defines."""
    match [word.text for word in line]:
        case ["async", "def", name] | [("def" | "class"), name]:
            return name
        case [name, "=", _] if line[0].kind == "name":
            return name
        case [name, ":", _] if line[0].kind == "name" and name not in _BLOCKS:
            return name
        case _:
            return None


def defined_names(source: str) -> frozenset[str]:
    """Return the names that a source defines at its top level."""
    return frozenset(item.name for item in definitions(source))


def defined_classes(source: str) -> frozenset[str]:
    """Return the names of the classes that a source defines at its top level."""
    return frozenset(item.name for item in definitions(source) if item.is_class)


def attributes(source: str) -> frozenset[str]:
    """Return the names of the attributes that a source mentions."""
    texts = [word.text for word in words(source)]
    return frozenset(name for dot, name in itertools.pairwise(texts) if dot == ".")


def methods(source: str) -> frozenset[str]:
    """Return the names of the functions that a source defines below its top level."""
    pairs = itertools.pairwise(words(source))
    return frozenset(word.text for before, word in pairs if before.text == "def" and before.indented)


def free_names(source: str) -> list[str]:
    """Return the names that a source mentions and does not bind itself, in order; no attributes and no keywords."""
    found = [*words(source)]
    texts = ["", *(word.text for word in found), ""]
    names: list[str] = []
    own: set[str] = set()
    for before, word, after in zip(texts, found, texts[2:], strict=False):
        if word.kind != "name" or before == ".":
            continue
        if before in _BINDING or (after == "=" and word.first):
            own.add(word.text)
        elif after != "=":
            names.append(word.text)
    return [name for name in names if name not in own]


def mentioned_names(source: str) -> frozenset[str]:
    """Return the names that a source mentions and that are no attributes."""
    found: set[str] = set()
    before = ""
    for word in words(source):
        if word.kind == "name" and before != ".":
            found.add(word.text)
        before = word.text
    return frozenset(found)


def imported_names(source: str) -> frozenset[str]:
    """Return the names that the imports of a source at its top level bind; not those of a star."""
    found: set[str] = set()
    line: list[str] = []
    for word in words(source + "\n"):
        if word.first and not word.indented:
            found |= _bound(line)
            line = []
        if word.kind != "newline":
            line.append(word.text)
    return frozenset(found | _bound(line))


def _bound(line: list[str]) -> set[str]:
    """Return the names that one statement imports."""
    if line[:1] == ["from"] and "import" in line:
        items = " ".join(line[line.index("import") + 1 :]).strip("() ").split(",")
    elif line[:1] == ["import"]:
        items = " ".join(line[1:]).split(",")
    else:
        return set()
    bound = [item.split(" as ")[-1].split(" ")[:1] or [""] if " as " in item else item.split()[:1] for item in items]
    return {names[0] for names in bound if names and names[0].isidentifier()}


def text_before(source: str, name: str) -> str:
    """Return what stands before the last top-level definition of a name: its imports and helpers; empty if none."""
    starts = [item.start for item in definitions(source) if item.name == name]
    return source[: starts[-1]] if starts else ""


def is_markdown(text: str) -> bool:
    """Say whether a text has a fence at the beginning of a line that is not inside a string or a comment of Python."""
    marks = 0
    for word in words(text):
        if word.text == "`" and (word.first or marks):
            marks += 1
            if marks == len("```"):
                return True
        else:
            marks = 0
    return False
