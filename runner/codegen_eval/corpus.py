"""The canned corpus: its replies, which solutions are seeded with which failure, and the witness that each is real.

Only the scorer and `evalrun corpus validate` read the manifest; no layer does.
"""

from __future__ import annotations

import ast
import difflib
import hashlib
import re
import tomllib
from collections import Counter
from enum import StrEnum
from pathlib import Path

from pydantic import Field, ValidationError

from codegen_eval.errors import CorpusError
from codegen_eval.frozen import Frozen
from codegen_eval.resources import resource_root
from codegen_eval.solution import Strategy
from codegen_eval.strategy import TURNS
from codegen_eval.verdict import SEEDED_CLASSES, FailureClass

MAX_REPLY_BYTES = 1 << 20
"""A canned reply larger than this is a defect of the corpus."""
_MANIFEST = "manifest.toml"
_TASK_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]*")


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
    files: dict[str, str] = Field(default_factory=dict)
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
            CorpusError: they are not the literal of a list.
        """
        try:
            value = ast.literal_eval(self.args or "[]")
        except (ValueError, SyntaxError, TypeError, RecursionError, MemoryError) as exc:
            raise CorpusError(f"witness arguments {self.args!r} are not a Python literal") from exc
        if not isinstance(value, list):
            raise CorpusError(f"witness arguments {self.args!r} are not a list")
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
    counts: dict[Strategy, dict[FailureClass, int]] = Field(default_factory=dict)
    """How many failures of each class each strategy is designed to have; not checked where empty."""
    digest: str = ""
    """SHA-256 over every file of the corpus."""


def load_manifest(root: Path | None = None) -> Manifest:
    """Read and check the ground truth, and that every reply is there.

    Raises:
        CorpusError: naming every problem.
    """
    corpus = resource_root() / "corpus" if root is None else root
    path = corpus / "mock" / _MANIFEST
    try:
        manifest = Manifest.model_validate(tomllib.loads(path.read_text(encoding="utf-8")))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as exc:
        raise CorpusError(f"`{path}` can't be read: {exc}") from exc
    except ValidationError as exc:
        lines = [f"`{_MANIFEST}` {'.'.join(map(str, e['loc']))}: {e['msg']}" for e in exc.errors()]
        raise CorpusError("\n".join(lines)) from exc
    tasks = sorted(inner.name for inner in path.parent.iterdir() if inner.is_dir())
    problems = [*_missing(corpus, tasks), *_counts(manifest)]
    seen: Counter[str] = Counter(entry.id for entry in manifest.seeded)
    problems += [f"`{name}` is seeded {count} times" for name, count in sorted(seen.items()) if count > 1]
    for entry in manifest.seeded:
        problems += [f"`{entry.id}`: {problem}" for problem in _problems(entry, tasks)]
    if problems:
        raise CorpusError("\n".join(problems))
    return manifest.model_copy(update={"digest": _digest(path.parent)})


def reply_text(task: str, strategy: Strategy, turn: int, root: Path | None = None, *, sample: int = 0) -> str:
    """Return one canned reply as a model would give it, from `<root>/mock/<task>/<strategy>.md`.

    A strategy of several turns (the first is 0) has one file for each: `self-review.1.md`, `self-review.2.md`.
    Sample n > 0 has `@n` before the suffix: `bare@1.md`.

    Raises:
        CorpusError: there is none, or it is not text.
    """
    path = _reply_path(resource_root() / "corpus" if root is None else root, task, strategy, turn, sample)
    try:
        with path.open("rb") as file:
            raw = file.read(MAX_REPLY_BYTES + 1)
    except OSError as exc:
        raise CorpusError(
            f"mock corpus: no reply for task `{task}`, strategy `{strategy}`, turn {turn}, sample {sample} "
            f"(`{path}`: {exc.strerror})",
            hint="add the file, or leave the task or the strategy out with `--tasks` or `--strategies`",
        ) from exc
    if len(raw) > MAX_REPLY_BYTES:
        raise CorpusError(f"mock corpus: `{path}` is larger than {MAX_REPLY_BYTES} bytes")
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError as exc:
        raise CorpusError(f"mock corpus: `{path}` is not UTF-8 (byte {exc.start})") from exc


def _reply_path(root: Path, task: str, strategy: Strategy, turn: int, sample: int) -> Path:
    turns = TURNS[strategy]
    if not _TASK_ID.fullmatch(task) or not 0 <= turn < turns:
        raise CorpusError(f"mock corpus: no reply for task {task!r}, strategy `{strategy}`, turn {turn}")
    numbered = f".{turn + 1}" if turns > 1 else ""
    sampled = f"@{sample}" if sample else ""
    return root / "mock" / task / f"{strategy}{numbered}{sampled}.md"


def _missing(corpus: Path, tasks: list[str]) -> list[str]:
    """Look for the replies of every strategy to every task."""
    problems: list[str] = []
    for task in tasks:
        for strategy in Strategy:
            for turn in range(TURNS[strategy]):
                try:
                    reply_text(task, strategy, turn, corpus)
                except CorpusError as exc:
                    problems.append(exc.message)
    return problems


def _counts(manifest: Manifest) -> list[str]:
    """Compare the number of failures with the design."""
    if not manifest.counts:
        return []
    found = Counter((entry.strategy, entry.failure_class) for entry in manifest.seeded)
    return [
        f"`{strategy}` has {found[strategy, kind]} seeded failures of class `{kind}`, not {wanted}"
        for strategy in Strategy
        for kind in FailureClass
        if found[strategy, kind] != (wanted := manifest.counts.get(strategy, {}).get(kind, 0))
    ]


def _problems(entry: Seeded, tasks: list[str]) -> list[str]:
    problems: list[str] = []
    if entry.task not in tasks:
        close = difflib.get_close_matches(entry.task, tasks, 1)
        problems.append("there is no such task in the corpus" + (f"; did you mean `{close[0]}`?" if close else ""))
    if entry.failure_class not in SEEDED_CLASSES:
        problems.append(f"`{entry.failure_class}` is not a class that is seeded")
    witness = entry.witness
    has = {
        WitnessKind.INPUT: witness.args is not None,
        WitnessKind.PATTERN: bool(witness.text),
        WitnessKind.GROWTH: len(set(witness.sizes)) > 1,
    }
    if not has[witness.kind]:
        problems.append(f"its witness of kind `{witness.kind}` lacks what it needs")
    try:
        witness.arguments()
    except CorpusError as exc:
        problems.append(exc.message)
    return problems


def _digest(folder: Path) -> str:
    total = hashlib.sha256()
    for path in sorted(folder.rglob("*")):
        if path.is_file() and path.suffix in {".md", ".toml"}:
            data = path.read_bytes()
            total.update(f"{path.relative_to(folder).as_posix()} {len(data)}\n".encode() + data)
    return total.hexdigest()
