"""The planned examples of the shipped tasks, kept in the user's cache: planning them is a tenth of a short run.

They follow from the task, the seed, and the versions of Hypothesis, Python and this program, all of which the name of
a file stands for. A user's own tasks are planned anew each time: what they import may change without a trace here.
A file is read like a hostile reply, and one that can't be read is planned and written again.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import stat
import sys
from collections.abc import Mapping
from importlib.metadata import version
from pathlib import Path
from typing import TypeAlias

from codegen_eval import __version__
from codegen_eval.errors import CodegenEvalError
from codegen_eval.json_file import write_atomic
from codegen_eval.judge.candidate import Call
from codegen_eval.judge.codec import Reader, parse
from codegen_eval.judge.compare import same
from codegen_eval.judge.examples import EXAMPLES, Example, plan_examples
from codegen_eval.judge.values import TamperingError
from codegen_eval.judge.writer import Writer
from codegen_eval.task import Property, Task

_MAX_FILES = 100
"""Older ones are removed: those of other versions, and of seeds that were tried once."""
_MAX_BYTES = 8 << 20

Planned: TypeAlias = tuple[Example, ...] | None
"""What `plan_examples` returns."""


class ExampleCache:
    """Reads and writes one folder. Whatever is wrong with that, the examples are returned."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def plan(self, task: Task, *, seed: int) -> dict[str, Planned]:
        """Return the planned examples of each property of a task, by its id."""
        path = self._folder / f"{_key(task, seed)}.json"
        known = _read(path)
        if known is None or not all(_fits(known[law.id], law) for law in task.properties if law.id in known):
            planned = {law.id: plan_examples(law, seed=seed, task=task.id) for law in task.properties}
            self._write(path, planned)
            return planned
        return {
            law.id: known[law.id] if law.id in known else plan_examples(law, seed=seed, task=task.id)
            for law in task.properties
        }

    def _write(self, path: Path, planned: Mapping[str, Planned]) -> None:
        """Keep what can be read back exactly; the other laws are planned each time."""
        kept = {name: _told(examples) for name, examples in planned.items() if _survives(examples)}
        body = json.dumps({"laws": kept}).encode("ascii")
        data = hashlib.sha256(body).hexdigest().encode("ascii") + b"\n" + body
        if len(data) > _MAX_BYTES:
            return
        with contextlib.suppress(CodegenEvalError, OSError):  # without a cache it is slower, and that is all
            self._folder.mkdir(parents=True, exist_ok=True)
            write_atomic(path, data)
            files = sorted(self._folder.glob("*.json"), key=lambda file: file.stat().st_mtime)
            for old in files[:-_MAX_FILES]:
                old.unlink(missing_ok=True)


def _key(task: Task, seed: int) -> str:
    versions = (__version__, version("hypothesis"), *sys.version_info[:3])
    return hashlib.sha256(json.dumps([*versions, EXAMPLES, task.id, task.digest, seed]).encode()).hexdigest()


def _read(path: Path) -> dict[str, Planned] | None:
    """Return what is kept in a file; None where there is none, or none that is whole."""
    try:
        file = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)  # a pipe in its place would block
        try:
            if not stat.S_ISREG(os.fstat(file).st_mode):
                return None
            with open(file, "rb", closefd=False) as opened:
                digest, _, body = opened.read(_MAX_BYTES).partition(b"\n")
        finally:
            os.close(file)
        if digest != hashlib.sha256(body).hexdigest().encode("ascii"):
            return None
        return {name: _heard(raw) for name, raw in _mapping(parse(body)["laws"]).items()}
    except (OSError, TamperingError, LookupError, TypeError):
        return None


def _fits(planned: Planned, law: Property) -> bool:
    """Say whether examples can be those of a law."""
    return planned is None or (bool(planned) and all(e.drawn.keys() == law.strategies.keys() for e in planned))


def _survives(planned: Planned) -> bool:
    """Say whether examples come back from JSON as they were, in the same order and with the same types."""
    try:
        told = json.dumps({"one": _told(planned)})
        back = _heard(parse(told.encode("ascii"))["one"])
    except (TamperingError, TypeError):
        return False
    return json.dumps({"one": _told(back)}) == told and same(_values(back), _values(planned))


def _told(planned: Planned) -> object:
    """Return the JSON that stands for examples. Raises TypeError for values that have none."""
    if planned is None:
        return None
    write = Writer("").value
    return [
        {
            "drawn": {name: write(value) for name, value in example.drawn.items()},
            "asked": [
                {
                    "args": [write(arg) for arg in call.args],
                    "kwargs": {name: write(value) for name, value in call.kwargs.items()},
                    "files": {path: write(content) for path, content in call.files.items()},
                }
                for call in example.asked
            ],
        }
        for example in planned
    ]


def _heard(raw: object) -> Planned:
    """Return the examples that JSON stands for.

    Raises:
        TamperingError, TypeError, LookupError: it is not what `_told` returns.
    """
    if raw is None:
        return None
    return tuple(
        Example(
            drawn=_named(_mapping(example)["drawn"]),
            asked=tuple(_call(_mapping(call)) for call in _list(_mapping(example)["asked"])),
        )
        for example in _list(raw)
    )


def _call(raw: Mapping[str, object]) -> Call:
    files: dict[str, str | bytes | None] = {}
    for path, content in _named(raw["files"]).items():
        if not isinstance(content, str | bytes | None):
            raise TypeError("not the content of a file")
        files[path] = content
    return Call(args=tuple(map(Reader().value, _list(raw["args"]))), kwargs=_named(raw["kwargs"]), files=files)


def _named(raw: object) -> dict[str, object]:
    return {name: Reader().value(value) for name, value in _mapping(raw).items()}


def _mapping(raw: object) -> Mapping[str, object]:
    if not isinstance(raw, dict):
        raise TypeError("not an object")
    return raw


def _list(raw: object) -> list[object]:
    if not isinstance(raw, list):
        raise TypeError("not a list")
    return raw


def _values(planned: Planned) -> object:
    """Return all that is in examples, as values that can be compared type by type."""
    return [
        (dict(example.drawn), [(tuple(call.args), dict(call.kwargs), dict(call.files)) for call in example.asked])
        for example in planned or ()
    ]
