"""bandit and ruff over bounded batches of solutions. They annotate; they decide nothing.

Comments and configuration that a solution brings along silence nothing: each tool is told to ignore them,
works on files with names of ours in an empty directory, and starts without environment.
"""

from __future__ import annotations

import importlib.metadata
import importlib.util
import re
import shutil
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Protocol

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

from .batch import LintItem, bisect
from .child import ChildLimits, private_directory, run_child

TOOL_LIMITS = ChildLimits(wall_seconds=120.0, cpu_seconds=60, memory_bytes=4 << 30)
"""For one call; a batch takes well under a second. ruff reserves address space per thread."""
MAX_NOTES = 200
"""Notes kept for one solution and tool."""


@dataclass(frozen=True, slots=True, order=True)
class Note:
    """A rule of a tool, and the line that it flags."""

    line: int
    rule: str
    """As `bandit:B307`."""

    def __str__(self) -> str:
        return f"{self.line}:{self.rule}"


class Tool(Protocol):
    """A linter that takes files and writes JSON."""

    @property
    def name(self) -> str:
        """Its name in annotations."""

    @property
    def version(self) -> str:
        """Its version."""

    def command(self, files: Sequence[str]) -> list[str]:
        """Return the command that lints `files`."""

    def read(self, output: bytes) -> list[tuple[str, Note]]:
        """Return file name and note of everything that it flagged.

        Raises:
            ValidationError: that is not the tool's JSON.

        """


class _Foreign(BaseModel):
    """A part of a tool's JSON; keys that we don't read are ignored."""

    model_config = ConfigDict(frozen=True, extra="ignore", strict=True)


_Line = Annotated[int, Field(ge=1)]


class _BanditResult(_Foreign):
    filename: str
    line_number: _Line
    test_id: Annotated[str, Field(pattern=r"^B[0-9]{3}$")]


class _BanditReport(_Foreign):
    results: list[_BanditResult]


_RUFF_RULE = re.compile(r"S[0-9]{3}\Z")


class _Location(_Foreign):
    row: _Line


class _RuffResult(_Foreign):
    filename: str
    location: _Location
    code: Annotated[str, Field(max_length=40)] | None
    """None, or a word in newer versions, for a syntax error."""


@dataclass(frozen=True, slots=True)
class Bandit:
    """bandit, run by the Python that runs us."""

    version: str
    name: str = "bandit"

    def command(self, files: Sequence[str]) -> list[str]:
        """Return the command that lints `files`."""
        options = ("-f", "json", "-q", "--ignore-nosec", "--exit-zero")
        return [sys.executable, "-I", "-m", "bandit", *options, *files]

    def read(self, output: bytes) -> list[tuple[str, Note]]:
        """Return file name and note of everything that it flagged."""
        report = _BanditReport.model_validate_json(output)
        return [(r.filename, Note(r.line_number, f"bandit:{r.test_id}")) for r in report.results]


@dataclass(frozen=True, slots=True)
class Ruff:
    """ruff with its security rules."""

    version: str
    binary: str
    name: str = "ruff"

    def command(self, files: Sequence[str]) -> list[str]:
        """Return the command that lints `files`."""
        options = ("--isolated", "--ignore-noqa", "--no-cache", "--no-respect-gitignore", "--exit-zero", "--quiet")
        return [self.binary, "check", *options, "--select", "S", "--output-format", "json", *files]

    def read(self, output: bytes) -> list[tuple[str, Note]]:
        """Return file name and note of everything that it flagged."""
        results = _RUFF_REPORT.validate_json(output)
        flagged = [r for r in results if r.code is not None and _RUFF_RULE.match(r.code)]
        return [(r.filename, Note(r.location.row, f"ruff:{r.code}")) for r in flagged]


_RUFF_REPORT = TypeAdapter(list[_RuffResult])


def find_tools() -> tuple[Tool, ...]:
    """Return the tools that are installed beside us. One that is missing is no error."""
    tools: list[Tool] = []
    if importlib.util.find_spec("bandit") is not None:
        tools.append(Bandit(_version("bandit")))
    binary = _ruff_binary()
    if binary is not None:
        tools.append(Ruff(_version("ruff"), binary))
    return tuple(tools)


def annotate_with(tool: Tool, items: Sequence[LintItem]) -> tuple[dict[str, tuple[Note, ...]], tuple[str, ...]]:
    """Return the notes of each solution that the tool flags, and the ids of the solutions that it dies on."""
    return bisect(items, lambda batch: _lint(tool, batch))


def _lint(tool: Tool, batch: Sequence[LintItem]) -> dict[str, tuple[Note, ...]] | None:
    with private_directory() as directory:
        place = directory / "solutions"
        place.mkdir()
        owners: dict[str, str] = {}
        for number, item in enumerate(batch):
            file = place / f"s{number:04}.py"
            file.write_bytes(item.source.encode("utf-8", "surrogatepass"))
            owners[file.name] = item.id
        end = run_child(tool.command([str(place / name) for name in owners]), directory, b"", TOOL_LIMITS)
    if not end.clean:
        return None
    try:
        flagged = tool.read(end.output)
    except ValidationError:
        return None
    found: dict[str, set[Note]] = {}
    for filename, note in flagged:
        owner = owners.get(Path(filename).name)
        if owner is not None:
            found.setdefault(owner, set()).add(note)
    return {owner: tuple(sorted(notes)[:MAX_NOTES]) for owner, notes in found.items()}


def _version(package: str) -> str:
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return "unknown"


def _ruff_binary() -> str | None:
    try:
        import ruff  # type: ignore[import-untyped]
    except ImportError:
        return shutil.which("ruff")
    try:
        return str(ruff.find_ruff_bin())
    except FileNotFoundError:
        return shutil.which("ruff")
