"""A task to begin with: files that are sound as they are, with comments that teach, for each kind of task."""

from __future__ import annotations

import keyword
import re
from collections.abc import Iterator
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path

from codegen_eval.closeness import did_you_mean
from codegen_eval.errors import InputError

KINDS = ("function", "class", "generator", "async", "callable", "program", "files")
_ID = re.compile(r"[a-z0-9][a-z0-9_-]{0,63}")
_SUFFIX = ".in"


def make_task(name: str, folder: Path, kind: str) -> list[Path]:
    """Write the files of a new task; return their paths.

    Raises:
        InputError: the name or the kind is none, or there is something of that name already.
    """
    if kind not in KINDS:
        raise InputError(f"unknown kind `{kind}`{did_you_mean(kind, KINDS)}", hint=f"there are {', '.join(KINDS)}")
    if not _ID.fullmatch(name):
        hint = "it is the name of a folder; the folder around it is given with `--dir`"
        raise InputError(f"`{name}` can't be the id of a task: it may hold only a-z, 0-9, `_` and `-`", hint=hint)
    target = folder / name
    made: list[Path] = []
    try:
        folder.mkdir(parents=True, exist_ok=True)
        target.mkdir()
        for relative, text in _templates(files("codegen_eval").joinpath("scaffolds", kind)):
            path = target / relative
            path.parent.mkdir(exist_ok=True)
            path.write_text(_filled_in(text, name), encoding="utf-8", newline="\n")
            made.append(path)
    except FileExistsError as exc:
        raise InputError(f"`{target}` is there already", hint="choose another name, or remove it") from exc
    except OSError as exc:
        raise InputError(f"`{target}` can't be written: {exc.strerror or exc}", hint="choose another `--dir`") from exc
    return sorted(made, key=lambda path: (path.parent != target, path.name != "task.toml", path.name))


def _templates(folder: Traversable, inside: str = "") -> Iterator[tuple[str, str]]:
    for entry in folder.iterdir():
        if entry.is_dir():
            yield from _templates(entry, f"{inside}{entry.name}/")
        elif entry.name.endswith(_SUFFIX):
            yield inside + entry.name.removesuffix(_SUFFIX), entry.read_text(encoding="utf-8")


def _filled_in(text: str, name: str) -> str:
    """Put the task's names where they belong."""
    words = [word for word in re.split(r"[-_]+", name) if word]
    function = "_".join(words)
    kind = "".join(word.capitalize() for word in words)
    if function[0].isdigit():
        function, kind = f"task_{function}", f"Task{kind}"
    if keyword.iskeyword(function):
        function = f"{function}_"
    return text.replace("__ID__", name).replace("__NAME__", function).replace("__CLASS__", kind)
