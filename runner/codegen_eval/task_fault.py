"""What is wrong with the files of a task that can each be read: what they say of one another does not fit."""

from __future__ import annotations

import ast
import contextlib
import inspect
import json
import re
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from types import LambdaType

from codegen_eval.case_fault import faults_for_kind
from codegen_eval.closeness import did_you_mean
from codegen_eval.task import Case, Kind, PerformanceCase, Property, TaskText

MIN_PROPERTIES = 2
_ID = re.compile(r"[a-z0-9][a-z0-9_-]*")
_Definition = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef
_DUE: dict[Kind, tuple[tuple[type[_Definition], ...], str]] = {
    Kind.FUNCTION: ((ast.FunctionDef, ast.ClassDef), "a function"),
    Kind.GENERATOR: ((ast.FunctionDef, ast.ClassDef), "a function"),
    Kind.CLASS: ((ast.ClassDef, ast.FunctionDef), "a class"),
    Kind.ASYNC: ((ast.AsyncFunctionDef,), "an async function"),
}
"""What the reference must define for a kind: a class can be called like a function, and the other way round."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Written:
    """What the files of a task define."""

    cases: tuple[Case, ...]
    lines: tuple[tuple[Case, int], ...]
    """Cases of `cases.jsonl`, with their lines."""
    performance: tuple[PerformanceCase, ...]
    properties: tuple[Property, ...]


def check_reference(source: str, text: TaskText, problems: list[str]) -> None:
    """Add what is wrong with the reference beside `task.toml`."""
    try:
        tree = ast.parse(source)
    except SyntaxError as exc:
        problems.append(f"`reference.py` does not compile: {exc.msg} (line {exc.lineno})")
        return
    except ValueError as exc:
        problems.append(f"`reference.py` does not compile: {exc}")
        return
    if text.kind is Kind.PROGRAM:
        return
    found = {node.name: node for node in tree.body if isinstance(node, _Definition)}
    node = found.get(text.entry_point)
    if node is None:
        problems.append(f"`reference.py` does not define `{text.entry_point}`{did_you_mean(text.entry_point, found)}")
        return
    kinds, due = _DUE[text.kind]
    if not isinstance(node, kinds):
        problems.append(f"`reference.py` defines `{text.entry_point}` otherwise than as {due} (line {node.lineno})")
    if text.entry_point not in text.signature:
        problems.append(f"`task.toml` `signature` does not name the entry point `{text.entry_point}`")
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
        takes = [arg.arg for arg in (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs)]
        for parameter in text.parameters:
            if parameter.name not in takes:
                meant = did_you_mean(parameter.name, takes)
                problems.append(f"`task.toml` names a parameter `{parameter.name}` that the reference lacks{meant}")


def check_written(folder: Path, written: Written, kind: Kind | None, problems: list[str]) -> None:
    """Add what is wrong with cases and properties beside one another; and for their kind, where that is known."""
    places = Places(folder)
    cases = (*written.cases, *(case for case, _ in written.lines))
    _check_ids(written, cases, places, problems)
    for case in cases:
        faults = [] if kind is None else faults_for_kind(case, kind)
        problems.extend(f"case `{case.id}` {fault}{places.of(case.id)}" for fault in faults)
        if case.shown and any(_nameless(value) for value in (*case.args, *case.kwargs.values())):
            problems.append(f"case `{case.id}` is shown, so a function in it needs a name{places.of(case.id)}")
    if written.performance and kind in {Kind.CLASS, Kind.GENERATOR}:
        problems.append(f"`cases.py`: `PERFORMANCE` is not for tasks of kind `{kind}`")
    if cases and not any(case.shown for case in cases):
        problems.append("`cases.py` has no shown case" if written.cases else "`cases.jsonl` has no shown case")
    if cases and all(case.shown for case in cases):
        problems.append("`cases.py` has no hidden case" if written.cases else "`cases.jsonl` has no hidden case")
    if not cases and not any("cases." in problem for problem in problems):
        problems.append("there is no case")
    if len(written.properties) < MIN_PROPERTIES and not any("`properties.py`" in problem for problem in problems):
        problems.append(f"`properties.py` has fewer than {MIN_PROPERTIES} properties")
    for law in written.properties:
        wanted = list(inspect.signature(law.check).parameters)[1:]
        if sorted(wanted) != sorted(law.strategies):
            line = law.check.__code__.co_firstlineno if isinstance(law.check, LambdaType) else None
            place = f" (properties.py, line {line})" if line else ""
            problems.append(
                f"property `{law.id}` takes {wanted} but has strategies for {sorted(law.strategies)}{place}"
            )


def _nameless(value: object) -> bool:
    return isinstance(value, LambdaType) and not value.__name__.isidentifier()


def _check_ids(written: Written, cases: tuple[Case, ...], places: Places, problems: list[str]) -> None:
    ids: list[object] = [case.id for case in cases]
    ids += [case.id for case in written.performance] + [law.id for law in written.properties]
    for name, count in Counter(name for name in ids if isinstance(name, str)).items():  # others are told by the case
        if count > 1:
            problems.append(f"the id `{name}` is used {count} times{places.of(name)}")
        if not _ID.fullmatch(name):
            problems.append(f"the id `{name}` may hold only a-z, 0-9, `_` and `-`{places.of(name)}")


class Places:
    """Where the ids of a task stand: in `cases.py` by its text, in `cases.jsonl` by its records."""

    def __init__(self, folder: Path) -> None:
        self._lines: dict[str, list[str]] = {}
        for name in ("cases.py", "properties.py"):
            with contextlib.suppress(OSError, ValueError, SyntaxError, RecursionError):
                for node in ast.walk(ast.parse((folder / name).read_text(encoding="utf-8"))):
                    if isinstance(node, ast.Call) and node.args and isinstance(node.args[0], ast.Constant):
                        self._note(node.args[0].value, f"{name}, line {node.lineno}")
        with contextlib.suppress(OSError, ValueError):
            for number, line in enumerate((folder / "cases.jsonl").read_text(encoding="utf-8-sig").splitlines(), 1):
                with contextlib.suppress(ValueError, RecursionError):
                    record = json.loads(line)
                    self._note(record.get("id") if isinstance(record, dict) else None, f"cases.jsonl, line {number}")

    def _note(self, name: object, place: str) -> None:
        if isinstance(name, str):
            self._lines.setdefault(name, []).append(place)

    def of(self, name: str) -> str:
        """Return file and line of an id in brackets; nothing where they are not known."""
        places = self._lines.get(name, [])
        return f" ({'; '.join(places)})" if places else ""
