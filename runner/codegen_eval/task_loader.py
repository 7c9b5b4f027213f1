"""Read task folders: check everything, report every problem at once with its path, then stop.

`cases.py` and `properties.py` are trusted code and run in this process. `reference.py` is only ever read as text.
"""

from __future__ import annotations

import difflib
import hashlib
import re
import sys
import tomllib
import traceback
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from types import ModuleType
from typing import TypeVar

from pydantic import ValidationError

from codegen_eval.case_fault import case_fields, gather
from codegen_eval.case_lines import read_case_lines
from codegen_eval.closeness import did_you_mean
from codegen_eval.errors import InputError, TaskError
from codegen_eval.resources import resource_root
from codegen_eval.task import PROGRAM, Case, Kind, Parameter, PerformanceCase, Property, Task, TaskText
from codegen_eval.task_fault import Written, check_reference, check_written
from codegen_eval.verdict import FailureClass

_ID = re.compile(r"[a-z0-9][a-z0-9_-]*")
_CASES, _LINES = "cases.py", "cases.jsonl"
_FILES = ("task.toml", _CASES, "properties.py", "reference.py")
_ITEMS_BEFORE_RAISING = 1000
"""How many items are asked for where an iterator has to raise."""
_FILLED_IN = {"entry_point": PROGRAM, "signature": "a program, from standard input to standard output"}
"""What the file of a program need not say."""

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


def find_folders(names: Sequence[str], root: Path | None = None) -> list[Path]:
    """Return the folders of tasks that are meant: ids, folders of one task, folders of tasks; all where none is named.

    Raises:
        InputError: there is no such task or folder, or no task in it.
    """
    base = resource_root() / "tasks" if root is None else root
    if not names:
        return _folders_below(base)
    found: dict[Path, None] = {}
    for name in names:
        known = (base / name / "task.toml").is_file()
        if "/" in name or (not known and Path(name).is_dir()):
            found |= dict.fromkeys(_folders_below(Path(name)))
        else:
            found[_folder_of(name, base)] = None
    return list(found)


def _folders_below(path: Path) -> list[Path]:
    """Return the folders of tasks at a path: the path itself, or those in it."""
    if not path.is_dir():
        raise InputError(f"there is no folder `{path}`")
    path = path.resolve()
    if _looks_like_a_task(path):
        return [path]
    found = [inner for inner in sorted(path.iterdir()) if inner.is_dir() and _looks_like_a_task(inner)]
    if not found:
        raise InputError(f"there is no task in `{path}`", hint="`evalrun tasks new NAME` makes one")
    return found


def _looks_like_a_task(path: Path) -> bool:
    return any((path / name).is_file() for name in ("task.toml", _CASES, _LINES, "properties.py"))


def _folder_of(name: str, base: Path) -> Path:
    """Return the folder of a task that is named by its id."""
    if not base.is_dir():
        raise TaskError(f"there is no folder of tasks `{base}`")
    known = sorted(path.parent.name for path in base.glob("*/task.toml"))
    if name not in known:
        close = difflib.get_close_matches(name, known, 1)
        hint = f"did you mean `{close[0]}`?" if close else f"there are {', '.join(known) or 'none'}"
        if "/" in name and not close:
            hint = f"a problem of a public set needs `--dataset NAME=PATH`; {hint}"
        raise InputError(f"unknown task `{name}`", hint=hint)
    return base / name


def find_task(name: str, root: Path | None = None) -> tuple[Task, Path]:
    """Load one task by its id, from the user's folder or the shipped ones; return it with its folder.

    Raises:
        InputError: there is no such task.
        TaskError: it has problems.
    """
    folder = _folder_of(name, resource_root() / "tasks" if root is None else root)
    return load_task(folder), folder


def load_task(folder: Path) -> Task:
    """Load one task.

    Raises:
        TaskError: naming every problem with its file, and the line where that is known.
    """
    problems = [f"`{name}` is missing" for name in _FILES if name != _CASES and not (folder / name).is_file()]
    has_lines = (folder / _LINES).is_file()
    if not has_lines and not (folder / _CASES).is_file():
        problems.append(f"`{_CASES}` is missing (or `{_LINES}`)")
    if not _ID.fullmatch(folder.name):
        problems.append("the folder's name may hold only a-z, 0-9, `_` and `-`")
    if problems:
        raise _failed(folder, problems)
    text = _read_text(folder / "task.toml", problems)
    defined = _run(folder / _CASES, problems) if (folder / _CASES).is_file() else {}
    written = Written(
        cases=_pick(defined, "CASES", Case, problems, optional=has_lines),
        lines=read_case_lines(folder / _LINES, problems) if has_lines else (),
        performance=_pick(defined, "PERFORMANCE", PerformanceCase, problems, optional=True),
        properties=_pick(_run(folder / "properties.py", problems), "PROPERTIES", Property, problems),
    )
    accepts = _pick_function(defined, "ACCEPTS", problems)
    reference = _read_source(folder / "reference.py", problems)
    kind = None if text is None else text.kind
    if text is not None:
        check_reference(reference, text, problems)
    check_written(folder, written, kind, problems)
    if text is None or problems:
        raise _failed(folder, problems)
    return Task(
        id=folder.name,
        text=text,
        cases=tuple(_fitted(case, kind) for case in (*written.cases, *(case for case, _ in written.lines))),
        performance=written.performance,
        properties=written.properties,
        reference=reference,
        digest=_digest(folder),
        accepts=accepts,
    )


def _fitted(case: Case, kind: Kind | None) -> Case:
    """Return a case with what the kind of the task implies: of an iterator, how many items are asked for."""
    if kind is not Kind.GENERATOR or case.take is not None:
        return case
    return replace(case, take=len(case.returns) + 1 if isinstance(case.returns, list) else _ITEMS_BEFORE_RAISING)


def _failed(folder: Path, problems: list[str]) -> TaskError:
    return TaskError("\n".join(f"task `{folder.name}`: {problem}" for problem in dict.fromkeys(problems)))


def _digest(folder: Path) -> str:
    """Return the SHA-256 over names and contents of what defines the task."""
    total = hashlib.sha256()
    for name in (*_FILES, _LINES):
        if not (folder / name).is_file():
            continue
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
        raw = tomllib.loads(source)
        if raw.get("kind") == Kind.PROGRAM:
            raw = _FILLED_IN | raw
        return TaskText.model_validate(raw)
    except tomllib.TOMLDecodeError as exc:
        problems.append(f"`{path.name}` is not TOML: {exc}")
    except ValidationError as exc:
        for error in exc.errors():
            said = _explain(error["type"], error["msg"], error["input"], tuple(error["loc"]), source)
            problems.append(f"`{path.name}` {said}")
    return None


def _explain(kind: str, message: str, given: object, where: tuple[int | str, ...], source: str) -> str:
    """Say what is wrong with a key, where it stands, and what may have been meant."""
    name = ".".join(map(str, where))
    key = str(where[-1])
    line = next((n for n, text in enumerate(source.splitlines(), 1) if re.match(rf"\s*{re.escape(key)}\s*=", text)), 0)
    place = f" (line {line})" if line else ""
    if kind == "extra_forbidden":
        known = TaskText.model_fields if len(where) == 1 else Parameter.model_fields
        return f"has an unknown key `{name}`{place}{did_you_mean(key, known)}"
    if where == ("kind",):
        kinds = [each.value for each in Kind]
        written = str(given)[:40]
        return (
            f"`kind`: there is no kind `{written}`{place}{did_you_mean(written, kinds)}; there are {', '.join(kinds)}"
        )
    if kind == "missing":
        return f"lacks the key `{name}`"
    if kind == "too_short":
        return f"`{name}` is empty: it needs one item at least{place}"
    return f"`{name}`: {message}{place}"


def _run(path: Path, problems: list[str]) -> dict[str, object]:
    """Run a Python file of the task as a module of a private name; return what it defines."""
    source = _read_source(path, problems)
    module = ModuleType(f"_evalrun_task_{path.parent.name}_{path.stem}")
    module.__file__ = str(path)
    sys.modules[module.__name__] = module  # dataclasses and the like look up the module they are made in
    try:
        with gather(str(path)) as faults:
            exec(compile(source, str(path), "exec", dont_inherit=True), module.__dict__)  # noqa: S102 - a task is trusted
    except (Exception, SystemExit) as exc:  # noqa: BLE001 - whatever the author's file raises is a problem of the file
        lines = [frame.lineno for frame in traceback.extract_tb(exc.__traceback__) if frame.filename == str(path)]
        line = exc.lineno if isinstance(exc, SyntaxError) else (lines[-1] if lines else None)
        place = f" (line {line})" if line else ""
        problems.extend(f"`{path.name}`: {fault} (line {at})" for at, fault in faults)
        said = exc.msg if isinstance(exc, SyntaxError) else str(exc)
        problems.append(f"`{path.name}` raises {type(exc).__name__}: {said}{place}{_meant(exc)}")
        return {}
    finally:
        del sys.modules[module.__name__]
    problems.extend(f"`{path.name}`: {fault} (line {at})" for at, fault in faults)
    return dict(module.__dict__)


def _pick(
    defined: dict[str, object], name: str, kind: type[_T], problems: list[str], *, optional: bool = False
) -> tuple[_T, ...]:
    """Return a tuple that a file of the task defines; `defined` is empty where the file failed."""
    value = defined.get(name)
    where = Path(str(defined.get("__file__", ""))).name
    if value is None:
        if defined and not optional:
            problems.append(f"`{where}` does not define `{name}`")
        return ()
    if not isinstance(value, tuple | list):
        problems.append(f"`{where}`: `{name}` is not a tuple")
        return ()
    wrong = [type(item).__name__ for item in value if not isinstance(item, kind)]
    if wrong:
        problems.append(f"`{where}`: `{name}` holds a {wrong[0]} where a {kind.__name__} is due")
    return tuple(item for item in value if isinstance(item, kind))


def _meant(exc: BaseException) -> str:
    """Return what may have been meant by a class of failures that there is none, or a keyword that no case has."""
    message = str(exc)
    if isinstance(exc, AttributeError) and exc.obj is FailureClass:
        return f"; there are {', '.join(FailureClass.__members__)}"
    found = re.search(r"Case\.__init__\(\) got an unexpected keyword argument '(\w+)'", message)
    return did_you_mean(found[1], case_fields()) if found and "did you mean" not in message.lower() else ""


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
