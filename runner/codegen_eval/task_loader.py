"""Read task folders: check everything, report every problem at once with its path, then stop.

`cases.py` and `properties.py` are trusted code and run in this process. `reference.py` is only ever read as text.
"""

from __future__ import annotations

import ast
import difflib
import hashlib
import inspect
import re
import sys
import tomllib
import traceback
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import TypeVar

from pydantic import ValidationError

from codegen_eval.errors import InputError, TaskError
from codegen_eval.resources import resource_root
from codegen_eval.task import Case, PerformanceCase, Property, Task, TaskText

_ID = re.compile(r"[a-z0-9][a-z0-9_-]*")
_FILES = ("task.toml", "cases.py", "properties.py", "reference.py")
_OPTIONAL = frozenset({"PERFORMANCE"})
MIN_PROPERTIES = 2

_T = TypeVar("_T")


def discover_tasks(root: Path | None = None) -> dict[str, Task]:
    """Load every task below a folder (the shipped ones by default), sorted by id.

    Raises:
        TaskError: naming every problem of every task.
    """
    folder = resource_root() / "tasks" if root is None else root
    if not folder.is_dir():
        raise TaskError(f"there is no folder of tasks `{folder}`")
    tasks: dict[str, Task] = {}
    problems: list[str] = []
    for inner in sorted(folder.iterdir()):
        if inner.is_dir() and (inner / "task.toml").is_file():
            try:
                tasks[inner.name] = load_task(inner)
            except TaskError as exc:
                problems.append(exc.message)
    if problems:
        raise TaskError("\n".join(problems))
    if not tasks:
        raise TaskError(f"there is no task in `{folder}`", hint="a task is a folder with a `task.toml`")
    return tasks


def find_task(name: str, root: Path | None = None) -> tuple[Task, Path]:
    """Load one task by its id, from the user's folder or the shipped ones; return it with its folder.

    Raises:
        InputError: there is no such task.
        TaskError: it has problems.
    """
    base = resource_root() / "tasks" if root is None else root
    if not base.is_dir():
        raise TaskError(f"there is no folder of tasks `{base}`")
    known = sorted(path.parent.name for path in base.glob("*/task.toml"))
    if name not in known:
        close = difflib.get_close_matches(name, known, 1)
        hint = f"did you mean `{close[0]}`?" if close else f"there are {', '.join(known) or 'none'}"
        raise InputError(f"unknown task `{name}`", hint=hint)
    return load_task(base / name), base / name


def load_task(folder: Path) -> Task:
    """Load one task.

    Raises:
        TaskError: naming every problem with its file, and the line where that is known.
    """
    problems = [f"`{name}` is missing" for name in _FILES if not (folder / name).is_file()]
    if not _ID.fullmatch(folder.name):
        problems.append("the folder's name may hold only a-z, 0-9, `_` and `-`")
    if problems:
        raise _failed(folder, problems)
    text = _read_text(folder / "task.toml", problems)
    defined = _run(folder / "cases.py", problems)
    cases = _pick(defined, "CASES", Case, problems)
    performance = _pick(defined, "PERFORMANCE", PerformanceCase, problems)
    accepts = _pick_function(defined, "ACCEPTS", problems)
    properties = _pick(_run(folder / "properties.py", problems), "PROPERTIES", Property, problems)
    reference = _read_source(folder / "reference.py", problems)
    if text is not None:
        _check_reference(reference, text.entry_point, problems)
    _check_ids(cases, performance, properties, problems)
    if text is None or problems:
        raise _failed(folder, problems)
    return Task(
        id=folder.name,
        text=text,
        cases=cases,
        performance=performance,
        properties=properties,
        reference=reference,
        digest=_digest(folder),
        accepts=accepts,
    )


def _failed(folder: Path, problems: list[str]) -> TaskError:
    return TaskError("\n".join(f"task `{folder.name}`: {problem}" for problem in dict.fromkeys(problems)))


def _digest(folder: Path) -> str:
    """Return the SHA-256 over names and contents of what defines the task."""
    total = hashlib.sha256()
    for name in _FILES:
        data = (folder / name).read_bytes()
        total.update(f"{name} {len(data)}\n".encode() + data)
    return total.hexdigest()


def _read_source(path: Path, problems: list[str]) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as exc:
        problems.append(f"`{path.name}` can't be read: {exc}")
        return ""


def _read_text(path: Path, problems: list[str]) -> TaskText | None:
    """Read `task.toml`."""
    source = _read_source(path, problems)
    try:
        return TaskText.model_validate(tomllib.loads(source))
    except tomllib.TOMLDecodeError as exc:
        problems.append(f"`{path.name}` is not TOML: {exc}")
    except ValidationError as exc:
        for error in exc.errors():
            problems.append(f"`{path.name}` {_explain(error['type'], error['msg'], tuple(error['loc']), source)}")
    return None


def _explain(kind: str, message: str, where: tuple[int | str, ...], source: str) -> str:
    """Say what is wrong with a key, where it stands, and what may have been meant."""
    name = ".".join(map(str, where))
    key = str(where[-1])
    line = next((n for n, text in enumerate(source.splitlines(), 1) if re.match(rf"\s*{re.escape(key)}\s*=", text)), 0)
    place = f" (line {line})" if line else ""
    if kind == "extra_forbidden":
        close = difflib.get_close_matches(key, TaskText.model_fields, 1)
        meant = f"; did you mean `{close[0]}`?" if close else ""
        return f"has an unknown key `{name}`{place}{meant}"
    if kind == "missing":
        return f"lacks the key `{name}`"
    return f"`{name}`: {message}{place}"


def _run(path: Path, problems: list[str]) -> dict[str, object]:
    """Run a Python file of the task as a module of a private name; return what it defines."""
    source = _read_source(path, problems)
    module = ModuleType(f"_evalrun_task_{path.parent.name}_{path.stem}")
    module.__file__ = str(path)
    sys.modules[module.__name__] = module  # dataclasses and the like look up the module they are made in
    try:
        exec(compile(source, str(path), "exec", dont_inherit=True), module.__dict__)  # noqa: S102 - a task is trusted
    except (Exception, SystemExit) as exc:  # noqa: BLE001 - whatever the author's file raises is a problem of the file
        lines = [frame.lineno for frame in traceback.extract_tb(exc.__traceback__) if frame.filename == str(path)]
        line = exc.lineno if isinstance(exc, SyntaxError) else (lines[-1] if lines else None)
        place = f" (line {line})" if line else ""
        problems.append(f"`{path.name}` raises {type(exc).__name__}: {exc}{place}")
        return {}
    finally:
        del sys.modules[module.__name__]
    return dict(module.__dict__)


def _pick(defined: dict[str, object], name: str, kind: type[_T], problems: list[str]) -> tuple[_T, ...]:
    """Return a tuple that a file of the task defines; `defined` is empty where the file failed."""
    value = defined.get(name)
    where = Path(str(defined.get("__file__", ""))).name
    if value is None:
        if defined and name not in _OPTIONAL:
            problems.append(f"`{where}` does not define `{name}`")
        return ()
    if not isinstance(value, tuple | list):
        problems.append(f"`{where}`: `{name}` is not a tuple")
        return ()
    wrong = [type(item).__name__ for item in value if not isinstance(item, kind)]
    if wrong:
        problems.append(f"`{where}`: `{name}` holds a {wrong[0]} where a {kind.__name__} is due")
    return tuple(item for item in value if isinstance(item, kind))


def _pick_function(defined: dict[str, object], name: str, problems: list[str]) -> Callable[..., bool] | None:
    """Return a function that a file of the task may define."""
    value = defined.get(name)
    if value is None:
        return None
    if not callable(value):
        problems.append(f"`cases.py`: `{name}` is not a function")
        return None

    def accepts(*args: object) -> bool:
        return bool(value(*args))

    return accepts


def _check_reference(source: str, entry_point: str, problems: list[str]) -> None:
    try:
        tree = ast.parse(source)
    except SyntaxError as exc:
        problems.append(f"`reference.py` does not compile: {exc.msg} (line {exc.lineno})")
        return
    names = {node.name for node in tree.body if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)}
    if entry_point not in names:
        problems.append(f"`reference.py` does not define `{entry_point}`")


def _check_ids(
    cases: tuple[Case, ...],
    performance: tuple[PerformanceCase, ...],
    properties: tuple[Property, ...],
    problems: list[str],
) -> None:
    ids = [case.id for case in cases] + [case.id for case in performance] + [law.id for law in properties]
    for name, count in Counter(ids).items():
        if count > 1:
            problems.append(f"the id `{name}` is used {count} times")
        if not _ID.fullmatch(name):
            problems.append(f"the id `{name}` may hold only a-z, 0-9, `_` and `-`")
    if cases and not any(case.shown for case in cases):
        problems.append("`cases.py` has no shown case")
    if cases and all(case.shown for case in cases):
        problems.append("`cases.py` has no hidden case")
    if len(properties) < MIN_PROPERTIES and not any("`properties.py`" in problem for problem in problems):
        problems.append(f"`properties.py` has fewer than {MIN_PROPERTIES} properties")
    for law in properties:
        wanted = list(inspect.signature(law.check).parameters)[1:]
        if sorted(wanted) != sorted(law.strategies):
            problems.append(f"property `{law.id}` takes {wanted} but has strategies for {sorted(law.strategies)}")
