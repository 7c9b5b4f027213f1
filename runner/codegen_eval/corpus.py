"""The canned corpus: which solutions are seeded with which failure, and the witness that each failure is real.

Only the scorer and `evalrun corpus validate` read the manifest; no layer does.
"""

from __future__ import annotations

import ast
import hashlib
import tomllib
from enum import StrEnum
from pathlib import Path

from pydantic import Field, ValidationError

from codegen_eval.errors import CorpusError
from codegen_eval.frozen import Frozen
from codegen_eval.resources import resource_root
from codegen_eval.solution import Strategy
from codegen_eval.verdict import SEEDED_CLASSES, FailureClass

_MANIFEST = "manifest.toml"


class WitnessKind(StrEnum):
    """How a failure shows."""

    INPUT = "input"
    """Solution and reference differ on an input."""
    PATTERN = "pattern"
    """The source holds a dangerous construct."""
    GROWTH = "growth"
    """The CPU time grows faster than the size."""


class Witness(Frozen):
    """Evidence that a seeded failure is there."""

    kind: WitnessKind
    args: str | None = None
    """The arguments as a Python list literal, for `input`."""
    files: dict[str, str] = {}
    """Files wanted in the worker's directory, for `input`."""
    rule: str | None = None
    """Short name of the construct, for `pattern`."""
    text: str | None = None
    """Source text that must occur, for `pattern`."""
    sizes: tuple[int, ...] = ()
    """A small and a large size, for `growth`."""

    def arguments(self) -> tuple[object, ...]:
        """Return the arguments of an `input` witness.

        Raises:
            CorpusError: they are not a Python literal.
        """
        try:
            value = ast.literal_eval(self.args or "[]")
        except (ValueError, SyntaxError, RecursionError, MemoryError) as exc:
            raise CorpusError(f"witness arguments {self.args!r} are not a Python literal") from exc
        return tuple(value)


class Seeded(Frozen):
    """One solution with one known failure."""

    task: str
    strategy: Strategy
    failure_class: FailureClass = Field(alias="class")
    summary: str = Field(max_length=300)
    witness: Witness

    @property
    def id(self) -> str:
        """The solution's id in a run."""
        return f"{self.task}/{self.strategy}"


class Manifest(Frozen):
    """The ground truth of the corpus."""

    seeded: tuple[Seeded, ...]
    digest: str = ""
    """SHA-256 over every file of the corpus."""


def load_manifest(root: Path | None = None) -> Manifest:
    """Read and check the ground truth.

    Raises:
        CorpusError: naming every problem.
    """
    folder = (resource_root() / "corpus" if root is None else root) / "mock"
    path = folder / _MANIFEST
    try:
        manifest = Manifest.model_validate(tomllib.loads(path.read_text(encoding="utf-8")))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as exc:
        raise CorpusError(f"`{path}` can't be read: {exc}") from exc
    except ValidationError as exc:
        lines = [f"`{_MANIFEST}` {'.'.join(map(str, e['loc']))}: {e['msg']}" for e in exc.errors()]
        raise CorpusError("\n".join(lines)) from exc
    problems = _problems(manifest, folder)
    if problems:
        raise CorpusError("\n".join(problems))
    return manifest.model_copy(update={"digest": _digest(folder)})


def _problems(manifest: Manifest, folder: Path) -> list[str]:
    problems: list[str] = []
    seen: set[str] = set()
    for entry in manifest.seeded:
        if entry.id in seen:
            problems.append(f"`{entry.id}` is seeded twice")
        seen.add(entry.id)
        if not (folder / entry.task).is_dir():
            problems.append(f"`{entry.id}`: there is no reply in the corpus")
        if entry.failure_class not in SEEDED_CLASSES:
            problems.append(f"`{entry.id}`: `{entry.failure_class}` is not a class that is seeded")
        witness = entry.witness
        has = {
            WitnessKind.INPUT: witness.args is not None,
            WitnessKind.PATTERN: witness.text is not None,
            WitnessKind.GROWTH: len(witness.sizes) > 1,
        }
        if not has[witness.kind]:
            problems.append(f"`{entry.id}`: its witness of kind `{witness.kind}` lacks what it needs")
    return problems


def _digest(folder: Path) -> str:
    total = hashlib.sha256()
    for path in sorted(folder.rglob("*")):
        if path.is_file() and path.suffix in {".md", ".toml"}:
            data = path.read_bytes()
            total.update(f"{path.relative_to(folder).as_posix()} {len(data)}\n".encode() + data)
    return total.hexdigest()
