"""What a module defines and lacks, read off its words."""

from __future__ import annotations

import builtins
import keyword
import re
from dataclasses import dataclass
from itertools import pairwise

from .lines import Kind, Line, Word, read_lines, reads_as_prose

_KNOWN = frozenset(dir(builtins)) | {"__name__", "__file__", "self", "cls"}
_IN_FSTRING = re.compile(r"\{\s*+([^\W\d]\w*+)")
_DANGLING = frozenset(keyword.kwlist) - {
    "None",
    "True",
    "False",
    "return",
    "pass",
    "break",
    "continue",
    "raise",
    "yield",
}
"""No statement ends in one of these."""
_ENDING_SIGNS = frozenset({")", "]", "}", ";", "..."})
"""The only signs in which a statement may end."""
_COMPOUND = frozenset(
    ["def", "class", "if", "elif", "else", "for", "while", "with", "try", "except", "finally", "async"]
)
_CONTINUING = frozenset({"elif", "else", "except", "finally"})
_MOST_TARGETS = 64
"""Words at the start of an assignment among which its targets are looked for."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Definition:
    """A statement at the left margin that gives a name its meaning."""

    name: str
    start: int
    is_class: bool = False
    is_assignment: bool = False
    is_stub: bool = False
    """A function with nothing to do: a docstring, `...`, `pass`."""
    methods: tuple[str, ...] = ()
    needs_arguments: bool = False
    """A class whose instances can't be made without arguments."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Outline:
    """What can be said of a module without parsing it."""

    definitions: tuple[Definition, ...]
    bound: frozenset[str]
    """Names that get a value at the left margin."""
    missing: frozenset[str]
    """Names that are used and get a value nowhere."""
    last_start: int
    """Where the last statement at the left margin begins."""
    is_cut: bool
    """It ends inside a string, a bracket or a statement: certain."""
    may_be_cut: bool
    """It ends in a way in which whole code rarely does."""
    ends_oddly: bool
    """Its last statement has two operands side by side, as none can."""
    stray_bracket: bool
    stray_backslash: bool

    def definition(self, name: str) -> Definition | None:
        """Return the last definition of a name."""
        return next((d for d in reversed(self.definitions) if d.name == name), None)

    def class_with(self, method: str) -> Definition | None:
        """Return the last class that has a method of this name."""
        return next((d for d in reversed(self.definitions) if d.is_class and method in d.methods), None)


def outline(code: str) -> Outline:
    """Read the outline of a module."""
    reader = _Reader()
    for line in read_lines(code):
        reader.read(line)
    return reader.finish(code)


@dataclass(slots=True)
class _Top:
    """The statement at the left margin that is being read."""

    start: int
    name: str | None = None
    is_class: bool = False
    does_something: bool = False
    body_indent: int | None = None


class _Reader:
    def __init__(self) -> None:
        self._definitions: list[Definition] = []
        self._bound: set[str] = set()
        self._all_bound: set[str] = set()
        self._used: set[str] = set()
        self._methods: list[str] = []
        self._needs_arguments = False
        self._top = _Top(start=0)
        self._decorated_at: int | None = None
        self._last: Line | None = None
        self._stray_bracket = self._stray_backslash = False

    def read(self, line: Line) -> None:
        """Go on by one logical line."""
        words = line.words
        bound = _bound_names(words)
        self._all_bound |= bound
        self._used |= _used_names(words)
        self._stray_bracket |= line.stray_bracket
        self._stray_backslash |= any(word.text == "\\" for word in words)
        if line.indent or line.first in _CONTINUING:
            self._read_body(line)
        else:
            self._read_top(line, bound)
        self._last = line

    def _read_top(self, line: Line, bound: set[str]) -> None:
        if line.first == "@":
            self._close()
            self._top = _Top(start=line.start)
            self._decorated_at = line.start if self._decorated_at is None else self._decorated_at
            return
        self._close()
        start = line.start if self._decorated_at is None else self._decorated_at
        self._decorated_at = None
        words = line.words
        at = 1 if line.first == "async" else 0
        if len(words) > at + 1 and words[at].text in {"def", "class"} and words[at + 1].kind is Kind.NAME:
            colon = _header_end(words)
            body = words[colon + 1 :] if colon is not None else []
            if colon is not None and not _is_type(body):
                self._top = _Top(start=start, name=words[at + 1].text, is_class=words[at].text == "class")
                self._top.does_something = bool(body) and not _does_nothing(body)
                self._bound.add(words[at + 1].text)
                return
        self._top = _Top(start=start)
        self._bound |= bound
        if line.first not in {"import", "from"}:
            for name in bound:
                if name in {word.text for word in words[:_MOST_TARGETS]} and not words[0].is_keyword:
                    self._definitions.append(Definition(name=name, start=start, is_assignment=True))

    def _read_body(self, line: Line) -> None:
        top = self._top
        if top.body_indent is None:
            top.body_indent = line.indent
        top.does_something |= not _does_nothing(line.words)
        at = 1 if line.first == "async" else 0
        words = line.words
        if (
            top.is_class
            and line.indent == top.body_indent
            and len(words) > at + 1
            and words[at].text == "def"
            and _header_end(words) is not None
        ):
            self._methods.append(words[at + 1].text)
            if words[at + 1].text == "__init__":
                self._needs_arguments = _required_parameters(words) > 1

    def _close(self) -> None:
        top = self._top
        if top.name is not None:
            self._definitions.append(
                Definition(
                    name=top.name,
                    start=top.start,
                    is_class=top.is_class,
                    is_stub=not top.is_class and not top.does_something,
                    methods=tuple(self._methods),
                    needs_arguments=self._needs_arguments,
                )
            )
        self._methods, self._needs_arguments = [], False

    def finish(self, code: str) -> Outline:
        """Return what was read."""
        self._close()
        last = self._last
        missing = self._used - self._all_bound - _KNOWN
        end = code.rstrip().rpartition("\n")[2]
        comment_last = end.startswith((" ", "\t")) and end.lstrip().startswith("#")
        return Outline(
            definitions=tuple(self._definitions),
            bound=frozenset(self._bound),
            missing=frozenset(missing),
            last_start=self._top.start,
            is_cut=last is not None and (_is_cut(last) or self._decorated_at is not None),
            may_be_cut=last is not None and (comment_last or _may_be_cut(last, missing)),
            ends_oddly=last is not None and reads_as_prose(last.words),
            stray_bracket=self._stray_bracket,
            stray_backslash=self._stray_backslash,
        )


def _header_end(words: list[Word]) -> int | None:
    """Return the place of the colon that ends a header; None where there is none, as in other languages."""
    return next((at for at, word in enumerate(words) if word.text == ":" and not word.depth), None)


def _is_type(body: list[Word]) -> bool:
    """Say whether what follows the colon of a header is a type, as in Scala: `Int = ...`."""
    return any(word.text == "=" and not word.depth for word in body) and all(word.text != ";" for word in body)


def _does_nothing(words: list[Word]) -> bool:
    texts = [word.text for word in words if word.text != ";"]
    return (
        all(word.kind is Kind.STRING for word in words)
        or texts in (["pass"], ["..."])
        or texts[:2] == ["raise", "NotImplementedError"]
    )


def _required_parameters(words: list[Word]) -> int:
    """Return how many parameters of a `def` must be given."""
    parts: list[list[str]] = [[]]
    for word in words[2:]:
        if word.depth == 0:
            break
        if word.depth == 1 and word.text == ",":
            parts.append([])
        elif word.text != "(" or word.depth > 1:
            parts[-1].append(word.text)
    return sum(bool(part) and part[0] not in {"*", "**", "/"} and "=" not in part for part in parts)


def _bound_names(words: list[Word]) -> set[str]:
    """Return names that a line gives a value, and some more: what is not missed is not looked for."""
    first = words[0].text
    if first in {"import", "from", "global", "nonlocal", "case", "except", "with", "for", "async", "class", "def"}:
        found = {word.text for word in words if word.kind is Kind.NAME and not word.is_keyword}
        if first in {"import", "from", "global", "nonlocal", "case"}:
            return found
        colon = _header_end(words)
        return _bound_in_header(words if colon is None else words[: colon + 1]) | _bound_within(words)
    found = _bound_within(words)
    last = max((at for at, word in enumerate(words) if word.text == "=" and not word.depth), default=-1)
    end = last if last >= 0 else _annotated(words)
    for at, word in enumerate(words[:end]):
        before, after = words[at - 1].text if at else "", words[at + 1].text if at + 1 < len(words) else ""
        if word.kind is Kind.NAME and before not in {".", ":"} and after not in {".", "(", "["}:
            found.add(word.text)
    return found


def _annotated(words: list[Word]) -> int:
    return 1 if len(words) > 1 and words[0].kind is Kind.NAME and words[1].text == ":" else 0


def _bound_in_header(words: list[Word]) -> set[str]:
    """Return the targets of `for`, `with ... as`, `except ... as`, and the name and parameters of `def` and `class`."""
    found: set[str] = set()
    for left, word in pairwise(words):
        if word.kind is Kind.NAME and left.text in {"def", "class", "(", ",", "*", "**", "as", "for"}:
            found.add(word.text)
    return found


def _bound_within(words: list[Word]) -> set[str]:
    """Return what comprehensions, lambdas, `as`, `:=` and keyword arguments bind inside a line."""
    found: set[str] = set()
    binding = False
    for at, word in enumerate(words):
        if word.text in {"for", "lambda", "as"} and word.kind is Kind.NAME:
            binding = True
        elif word.text in {"in", ":"}:
            binding = False
        elif word.kind is Kind.NAME and not word.is_keyword:
            after = words[at + 1].text if at + 1 < len(words) else ""
            if binding or after == ":=" or (after == "=" and word.depth):
                found.add(word.text)
    return found


def _used_names(words: list[Word]) -> set[str]:
    found: set[str] = set()
    before = ""
    for word in words:
        if word.kind is Kind.NAME and before != "." and not word.is_keyword:
            found.add(word.text)
        elif word.kind is Kind.STRING and "f" in word.text[:2].lower():
            found.update(_IN_FSTRING.findall(word.text))
        before = word.text
    return found


def _is_cut(last: Line) -> bool:
    word = last.words[-1]
    if last.open_brackets or not word.is_whole:
        return True
    if last.first in _COMPOUND and _header_end(last.words) is None:
        return True
    flat = [other.text for other in last.words if not other.depth]
    if last.first not in _COMPOUND and last.first != "case" and flat.count("if") > flat.count("else"):
        return True
    if last.first == "from" and "import" not in flat:
        return True
    if word.kind is Kind.MARK:
        return word.text not in _ENDING_SIGNS
    return word.text in _DANGLING


def _may_be_cut(last: Line, missing: set[str]) -> bool:
    """Say whether the last line is a docstring, a bare name, or ends in a name that nothing defines."""
    words = last.words
    if last.indent and all(word.kind is Kind.STRING for word in words):
        return True
    if len(words) == 1 and words[0].kind is Kind.NAME and not words[0].is_keyword:
        return True
    return words[-1].kind is Kind.NAME and words[-1].text in missing
