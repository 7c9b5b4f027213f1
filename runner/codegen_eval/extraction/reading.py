"""All that a reply can be read as, best first."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain

from codegen_eval.solution import Outcome

from .fence import EDIT_TAGS, PLAIN_TAGS, PYTHON_TAGS, Block, is_edit, is_statement, take_apart
from .joining import Neighbours
from .outline import outline
from .run import runs, without_prose
from .version import MOST_UNESCAPED, Version, tidy, versions
from .wrapping import strings_of_json, without_escapes, without_prompts


@dataclass(frozen=True, slots=True, kw_only=True)
class Extraction:
    """What was found in a reply, and by which rule."""

    code: str | None
    """Lines end in `\\n`. None where there is no code."""
    rule: str
    outcome: Outcome


@dataclass(frozen=True, slots=True, kw_only=True)
class _Piece:
    """A block, and the versions of its code."""

    block: Block
    place: int
    versions: tuple[Version, ...]

    @property
    def is_python(self) -> bool:
        """It says that it is Python."""
        return self.block.tag in PYTHON_TAGS

    @property
    def may_be_python(self) -> bool:
        """It doesn't say that it is something else."""
        return self.is_python or self.block.tag in PLAIN_TAGS


class Reading:
    """One reply, read for one entry point."""

    def __init__(self, lines: Sequence[str], entry_point: str) -> None:
        self._name = entry_point
        self._lenient = _definition(entry_point)
        fenced = take_apart(lines)
        self._outside = "\n".join(fenced.outside)
        self._has_blocks = bool(fenced.blocks)
        blocks = [
            block
            for block in fenced.blocks
            if tidy(block.code).strip() and block.tag not in EDIT_TAGS and not is_edit(block.code)
        ]
        self._last_first = [
            _Piece(block=block, place=place, versions=versions(tidy(block.code))) for place, block in enumerate(blocks)
        ][::-1]
        self._neighbours: Neighbours | None = None

    def extractions(self) -> Iterator[Extraction]:
        """Yield every way to read the reply, best first."""
        likely = [piece for piece in self._last_first if piece.may_be_python]
        others = [piece for piece in self._last_first if not piece.may_be_python]
        ways = chain(
            *(self._defining(piece, "fence" if piece.block.opened else "fence-unopened") for piece in likely),
            *(self._defining(piece, "fence-mistagged") for piece in others),
            *(self._with_method(piece) for piece in likely),
            self._in_json(),
            self._unfenced(),
            *(self._doubtful(piece) for piece in likely),
            *(self._defining_other(piece) for piece in sorted(likely, key=lambda piece: not piece.is_python)),
            self._other(),
        )
        return (way for way in ways if way.code is not None and way.code.strip() and not is_edit(way.code))

    def _defining(self, piece: _Piece, rule: str) -> Iterator[Extraction]:
        for version in piece.versions:
            if version.does_define(self._name):
                yield from self._found(piece, version, rule)

    def _with_method(self, piece: _Piece) -> Iterator[Extraction]:
        for version in piece.versions:
            if (adapted := self._adapt(version)) is not None:
                yield from self._found(piece, adapted, "fence")

    def _doubtful(self, piece: _Piece) -> Iterator[Extraction]:
        """Yield a definition that does nothing, or that can't be one as it stands."""
        version = piece.versions[-1]
        if version.outline.definition(self._name) is not None or self._lenient.search(version.code):
            yield from self._found(piece, version, "fence")

    def _defining_other(self, piece: _Piece) -> Iterator[Extraction]:
        if piece.is_python or is_statement(piece.block.code.lstrip("\n").partition("\n")[0]):
            yield from self._found(piece, piece.versions[-1], "fence-other")

    def _adapt(self, version: Version) -> Version | None:
        """Make a method callable as a function, each time on a new object; None where there is no such method."""
        owner = version.outline.class_with(self._name)
        if owner is None or owner.needs_arguments or version.outline.definition(self._name) is not None:
            return None
        adapter = f"def {self._name}(*args, **kwargs):\n    return {owner.name}().{self._name}(*args, **kwargs)\n"
        return replace(version, code=f"{tidy(version.code)}\n\n{adapter}", how=f"{version.how}-method")

    def _found(self, piece: _Piece, version: Version, rule: str) -> Iterator[Extraction]:
        """Yield the code of a block: with the blocks that it needs, then alone."""
        rule += version.how
        outcome = Outcome.OK
        if not piece.block.closed:
            version, outcome, how = self._end(version)
            rule += f"-unclosed{how}"
        if version.outline.missing and len(self._last_first) > 1:
            if self._neighbours is None:
                self._neighbours = Neighbours(
                    {piece.place: piece.versions[0] for piece in self._last_first if piece.may_be_python}
                )
            joined = self._neighbours.join(piece.place, version, but=self._name)
            if joined is not None:
                whole = self._settle(Version(code=joined, outline=outline(joined)))
                yield Extraction(code=tidy(whole.code), rule=f"{rule}-joined{whole.how}", outcome=outcome)
        yield Extraction(code=tidy(version.code), rule=rule, outcome=outcome)

    def _end(self, version: Version) -> tuple[Version, Outcome, str]:
        """Decide how code ends that nothing closes: whole, or whole but for what follows the entry point, or cut."""
        code = without_prose(version.code)
        spoken = version if code == version.code else replace(version, code=code, outline=outline(code))
        if not spoken.outline.is_cut and not spoken.outline.may_be_cut:
            settled = self._settle(spoken)
            return settled, Outcome.OK, settled.how.removeprefix(spoken.how)
        whole = self._drop_last(version)
        if whole is None:
            return version, Outcome.TRUNCATED, ""
        settled = self._settle(whole)
        return settled, Outcome.OK, f"-cut{settled.how.removeprefix(whole.how)}"

    def _settle(self, version: Version) -> Version:
        """Mend what can be mended only now that something was left out or put before it."""
        for mended in versions(tidy(version.code)):
            if mended.does_define(self._name):
                return replace(mended, how=version.how + mended.how)
        return version

    def _drop_last(self, version: Version) -> Version | None:
        """Leave out a last statement that is cut, where it comes after the entry point and nothing needs it."""
        shape = version.outline
        definition = shape.definition(self._name)
        if definition is None or definition.is_stub or shape.last_start <= definition.start:
            return None
        code = version.code[: shape.last_start]
        rest = outline(code)
        if rest.is_cut or not rest.missing <= shape.missing:
            return None
        return replace(version, code=code, outline=rest)

    def _in_json(self) -> Iterator[Extraction]:
        for text in [tidy(piece.block.code) for piece in self._last_first] or [self._outside]:
            for string in strings_of_json(text):
                blocks = [block.code for block in take_apart(string.split("\n")).blocks] or [string]
                for version in chain.from_iterable(versions(tidy(code)) for code in reversed(blocks)):
                    found = version if version.does_define(self._name) else self._adapt(version)
                    if found is not None:
                        yield Extraction(code=found.code, rule=f"json{found.how}", outcome=Outcome.OK)

    def _unfenced(self) -> Iterator[Extraction]:
        """Yield code that stands among prose, or alone; where there is none, what else it may be written as."""
        found = False
        for extraction in self._in_runs(self._outside, ""):
            found = True
            yield extraction
        if found:
            return
        if (typed := without_prompts(self._outside)) is not None:
            yield from self._in_runs(typed, "-repl")
        plain: str | None = self._outside
        for _ in range(MOST_UNESCAPED):
            plain = None if plain is None else without_escapes(plain)
            if plain is not None:
                yield from self._in_runs(plain, "-unescaped")

    def _in_runs(self, text: str, how: str) -> Iterator[Extraction]:
        for run in reversed(runs(text)):
            if self._name not in run.code:
                continue
            rule = ("whole-reply" if run.is_whole and not self._has_blocks else "code-lines") + how
            for version in versions(tidy(run.code)):
                adapted = self._adapt(version)
                if adapted is not None or version.outline.definition(self._name) is not None:
                    yield self._standing(adapted or version, rule, at_end=run.at_end)
            if self._lenient.search(run.code):
                yield self._standing(versions(tidy(run.code))[-1], rule, at_end=run.at_end)

    def _standing(self, version: Version, rule: str, *, at_end: bool) -> Extraction:
        """Return code that no fence encloses; it may be cut where the reply ends with it."""
        rule += version.how
        outcome = Outcome.OK
        if at_end and version.outline.is_cut:
            whole = self._drop_last(version)
            if whole is None:
                outcome = Outcome.TRUNCATED
            else:
                version = self._settle(whole)
                rule += f"-cut{version.how.removeprefix(whole.how)}"
        return Extraction(code=tidy(version.code), rule=rule, outcome=outcome)

    def _other(self) -> Iterator[Extraction]:
        """Yield a reply that is nothing but code and defines something else."""
        for run in () if self._has_blocks else runs(self._outside):
            for version in versions(tidy(run.code)) if run.is_whole else ():
                if any(not definition.is_assignment for definition in version.outline.definitions):
                    yield self._standing(version, "whole-reply-other", at_end=True)


def _definition(name: str) -> re.Pattern[str]:
    """Match what looks like a definition of the name at the left margin."""
    name = re.escape(name)
    return re.compile(
        rf"^(?:(?:async[ \t]+)?def[ \t]+{name}[ \t]*[\[(]|class[ \t]+{name}\b|{name}[ \t]*(?::[^=\n]*)?=(?!=))",
        re.MULTILINE,
    )
