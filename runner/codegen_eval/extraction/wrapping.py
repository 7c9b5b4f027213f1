"""What stands around code or has changed it on its way: thinking, invisible characters, escapes, prompts of a shell."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from pydantic import JsonValue

from .lines import Kind, read_lines

_INVISIBLE = "\ufeff\u200b\u200c\u200d\u2060"
"""Zero-width characters: dropped from both ends of a line, kept inside it, where they may be data."""
_BLANKS = str.maketrans({"\u00a0": " ", **dict.fromkeys(_INVISIBLE)})
"""For indentation alone, where Python takes no other blanks than its own."""
_QUOTED = re.compile(r">[ \t]?(?!>>)")
_THINK = re.compile(r"[ \t]*<(?P<tag>think|thinking|thought|reasoning|reflection|scratchpad)>", re.IGNORECASE)
_END_OF_THINKING = re.compile(r"[ \t]*</(?:think|thinking|thought|reasoning|scratchpad)>", re.IGNORECASE)
_MARK = re.compile(r"[ \t]*(?P<mark>`{3,}|~{3,})")
_FENCED = re.compile(r"[ \t]*(?:```|~~~)")
_ENTITY = re.compile(r"&(?:amp;)*+(?P<name>lt|gt|quot|apos|#39|#x27|#34|amp);")
_ENTITIES = {"lt": "<", "gt": ">", "quot": '"', "#34": '"', "apos": "'", "#39": "'", "#x27": "'", "amp": "&"}
_ESCAPE = re.compile(r"\\([nrt\"'\\/])")
_ESCAPES = {"n": "\n", "r": "", "t": "\t"}
_PROMPT = re.compile(r"(?:>>>|\.\.\.)(?: |$)|In \[\d+\]: ")
_REMNANTS = (
    re.compile(r"\s*\}[\"'\s}]*\Z"),
    re.compile(r"[\"']\s*\}[\"'\s}]*\Z"),
    re.compile(r"[\"'\s}]*\Z"),
)
_OPENING_QUOTE = re.compile(r"[\"'`]{1,3}(?=(?:from|import|def|class|async|@)\b)")
_MOST_REMNANT = 64
_MAX_JSON_DEPTH = 32
_MAX_JSON_STRINGS = 64


@dataclass(frozen=True, slots=True, kw_only=True)
class Spoken:
    """A reply, cleaned, with the thinking taken out."""

    lines: tuple[str, ...]
    thoughts: tuple[str, ...]
    is_thinking: bool
    """The reply ends before its thinking does."""


def clean(reply: str) -> tuple[str, ...]:
    """Return the lines of a reply without carriage returns, invisible characters at their ends, and quote marks."""
    text = reply.replace("\r\n", "\n").replace("\r", "\n")
    lines = tuple(clean_line(line) for line in text.split("\n"))
    if any(_FENCED.match(line) for line in lines) or not any(
        line.startswith(">") and _FENCED.match(_QUOTED.sub("", line, count=1)) for line in lines
    ):
        return lines
    return tuple(clean_line(_QUOTED.sub("", line, count=1)) for line in lines)


def clean_line(line: str) -> str:
    """Return a line without what is invisible at its ends, and with no other blanks before it than Python takes."""
    line = line.rstrip(_INVISIBLE)
    body = line.lstrip(_INVISIBLE + " \t\u00a0")
    return line[: len(line) - len(body)].translate(_BLANKS) + body


def take_thoughts(lines: Sequence[str]) -> Spoken:
    """Part what a model thinks from what it says. A tag counts at the start of a line and outside fences."""
    spoken: list[str] = []
    thoughts: list[str] = []
    tag: str | None = None
    fence = ""
    last_end: int | None = None
    for line in lines:
        rest = line
        if tag is None and not fence and (opened := _THINK.match(line)):
            tag, rest = f"</{opened['tag'].lower()}>", line[opened.end() :]
        if tag is not None:
            thought, end, rest = _part(rest, tag)
            thoughts.append(thought)
            if not end:
                continue
            tag = None
            if not rest.strip():
                continue
        if not fence and _END_OF_THINKING.match(rest):  # the tag that opens it stood in the prompt
            last_end = len(spoken)
        fence = _fence_after(rest, fence)
        spoken.append(rest)
    if last_end is not None:
        thoughts = spoken[:last_end] + thoughts
        spoken = [_END_OF_THINKING.sub("", spoken[last_end], count=1), *spoken[last_end + 1 :]]
    return Spoken(lines=tuple(spoken), thoughts=tuple(thoughts), is_thinking=tag is not None)


def _part(line: str, tag: str) -> tuple[str, bool, str]:
    at = line.lower().find(tag)
    return (line, False, "") if at < 0 else (line[:at], True, line[at + len(tag) :])


def _fence_after(line: str, fence: str) -> str:
    """Return the mark of the fence that is open after a line, empty where none is."""
    mark = _MARK.match(line)
    if mark is None:
        return fence
    if not fence:
        return mark["mark"]
    closes = mark["mark"].startswith(fence) and not line[mark.end() :].strip()
    return "" if closes else fence


def without_html(code: str) -> str | None:
    """Undo the escapes of HTML where they stand outside strings, and so are no code; None where none do."""
    if not _ENTITY.search(code) or not _has_bare_entity(code):
        return None
    plain = _ENTITY.sub(lambda match: _ENTITIES[match["name"]], code)
    return None if _has_bare_entity(plain) else plain


def _has_bare_entity(code: str) -> bool:
    """Say whether `&lt;` and the like stand where code would have an operator."""
    for line in read_lines(code):
        texts = [word.text for word in line.words if word.kind is not Kind.STRING]
        for left, word, right in zip(texts, texts[1:], texts[2:], strict=False):
            if left == "&" and right == ";" and word in _ENTITIES:
                return True
    return any(_ENTITY.match(line.lstrip()) for line in code.split("\n"))


def without_escapes(code: str) -> str | None:
    r"""Turn `\n` and the like into what they stand for, once; None where there is none."""
    if "\\n" not in code:
        return None
    return _ESCAPE.sub(lambda match: _ESCAPES.get(match[1], match[1]), code).strip("\n") + "\n"


def without_remnant(code: str) -> Iterator[str]:
    """Yield code without the quotes and braces that a JSON string left round it, fewer of them first."""
    plain = code.strip()
    if start := _OPENING_QUOTE.match(plain):
        plain = plain[start.end() :].rstrip("\"'`")
        yield plain + "\n"
    for remnant in _REMNANTS:
        shorter = plain[:-_MOST_REMNANT] + remnant.sub("", plain[-_MOST_REMNANT:])
        if shorter != plain:
            yield shorter.rstrip() + "\n"


def without_prompts(code: str) -> str | None:
    """Return what was typed into an interactive Python; None where nothing was."""
    typed = [_PROMPT.sub("", line, count=1) for line in code.split("\n") if _PROMPT.match(line)]
    return "\n".join(typed) + "\n" if typed else None


def strings_of_json(text: str) -> Iterator[str]:
    """Yield the strings of several lines in a JSON text, the last first; nothing where it is no JSON."""
    text = text.strip()
    if text[:1] not in {"{", "[", '"'} or _depth(text) > _MAX_JSON_DEPTH:
        return
    try:
        value: JsonValue = json.loads(text, strict=False)
    except (ValueError, RecursionError):
        return
    stack, found = [value], 0
    while stack and found < _MAX_JSON_STRINGS:
        match stack.pop():
            case str(string):
                found += 1
                yield string
            case list(items):
                stack += items
            case dict(pairs):
                stack += pairs.values()
            case _:
                pass


def _depth(text: str) -> int:
    depth = most = 0
    for char in text:
        if char in "[{":
            depth += 1
            most = max(most, depth)
        elif char in "]}":
            depth -= 1
    return most
