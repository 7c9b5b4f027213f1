"""Code as a reply holds it, and as it may have been before it was escaped, wrapped or typed into a shell."""

from __future__ import annotations

import re
from dataclasses import dataclass

from .fence import move_left
from .outline import Outline, outline
from .wrapping import clean_line, without_escapes, without_html, without_prompts, without_remnant

_BLANK = " \t\n\f\v\x1c\x1d\x1e\x1f\x85\u00a0\u2028\u2029\ufeff\u200b\u200c\u200d\u2060"
MOST_UNESCAPED = 3
"""Times that a text may have been escaped."""
_MOST_STAGES = 6


@dataclass(frozen=True, slots=True, kw_only=True)
class Version:
    """Code as it stands, or mended."""

    code: str
    outline: Outline
    how: str = ""
    """How it was mended: a suffix of the rule."""

    def does_define(self, name: str) -> bool:
        """It gives the name a meaning, and does something where that is a function."""
        definition = self.outline.definition(name)
        return definition is not None and not definition.is_stub


def tidy(code: str) -> str:
    """Return code without blank lines round it and without what is invisible, ending in one newline."""
    lines = (clean_line(line) for line in code.split("\n"))
    return re.sub(r"\A(?:[ \t]*\n)+", "", move_left("\n".join(lines))).rstrip(_BLANK) + "\n"


def versions(code: str) -> tuple[Version, ...]:
    """Return code as it stands, last, and before it what it may have been before it was escaped, wrapped or typed."""
    stages = [Version(code=code, outline=outline(code))]
    while len(stages) < _MOST_STAGES and (mended := _mend(stages[-1])) is not None:
        stages.append(mended)
    return tuple(reversed(stages))


def _mend(version: Version) -> Version | None:
    code = version.code
    if (html := without_html(code)) is not None:
        return _next(version, html, "-html")
    if version.outline.stray_backslash and (plain := _unescape(code)) is not None:
        return _next(version, plain, "-unescaped")
    if (trimmed := _trim(version)) is not None:
        return _next(version, trimmed, "-trimmed")
    if code.startswith((">>>", "In [")) and (typed := without_prompts(code)) is not None:
        return _next(version, typed, "-repl")
    return None


def _next(version: Version, code: str, how: str) -> Version:
    code = tidy(code)
    return Version(code=code, outline=outline(code), how=version.how + ("" if version.how.endswith(how) else how))


def _unescape(code: str) -> str | None:
    for _ in range(MOST_UNESCAPED):
        plain = without_escapes(code)
        if plain is None:
            return None
        if not outline(plain).stray_backslash:
            return plain
        code = plain
    return None


def _trim(version: Version) -> str | None:
    shape = version.outline
    if not (shape.stray_bracket or shape.is_cut or shape.ends_oddly or version.code[:1] in {'"', "'", "`"}):
        return None
    for plain in without_remnant(version.code):
        trimmed = outline(plain)
        if plain.strip() and not (trimmed.stray_bracket or trimmed.is_cut or trimmed.ends_oddly):
            return plain
    return None
