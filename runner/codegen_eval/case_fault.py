"""What is wrong with a case as somebody wrote it.

A case that is made on its own raises. While a task's file is read, what is wrong with all of its cases is gathered,
each with its line, so that people can mend them together.
"""

from __future__ import annotations

import dataclasses
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING

from codegen_eval.verdict import FailureClass

if TYPE_CHECKING:
    from codegen_eval.task import Case, Kind

MAX_TAKEN = 10_000
"""Items that a worker takes of an iterator."""
_MAX_STEPS = 1000
_GATHERED: ContextVar[tuple[str, list[tuple[int, str]]] | None] = ContextVar("gathered", default=None)
_WANTED: tuple[tuple[str, type | tuple[type, ...], str], ...] = (
    ("args", tuple, "a tuple: write `(3,)` for one argument"),
    ("kwargs", dict, "a dict"),
    ("aimed_at", FailureClass, "a FailureClass"),
    ("shown", bool, "True or False"),
    ("loose", bool, "True or False"),
    ("number", bool, "True or False"),
    ("unchanged", bool, "True or False"),
    ("tolerance", (float, int), "a number"),
    ("files", dict, "a dict of path to content"),
    ("steps", tuple, "a tuple of steps"),
    ("stdin", (str, type(None)), "a text"),
    ("stdout", (str, type(None)), "a text"),
)


@contextmanager
def gather(path: str) -> Iterator[list[tuple[int, str]]]:
    """Gather what is wrong with the cases that are made in a file, with their lines, instead of raising."""
    found: list[tuple[int, str]] = []
    token = _GATHERED.set((path, found))
    try:
        yield found
    finally:
        _GATHERED.reset(token)


def complain(name: object, faults: list[str]) -> None:
    """Raise what is wrong with a case, or have it gathered.

    Raises:
        ValueError: nobody gathers.
    """
    if not faults:
        return
    gathered = _GATHERED.get()
    if gathered is None:
        raise ValueError(f"case `{name}` {faults[0]}")
    path, found = gathered
    frame = sys._getframe()  # noqa: SLF001 - the way to the line of the author's own
    line = 0
    while frame is not None:
        if frame.f_code.co_filename == path:
            line = frame.f_lineno
            break
        if frame.f_back is None:
            break
        frame = frame.f_back
    found.extend((line, f"case `{name}` {fault}") for fault in faults)


def faults_of_case(case: Case) -> list[str]:
    """Return all that is wrong with a case, whatever the kind of its task."""
    from codegen_eval.task import UNSET

    faults = [] if isinstance(case.id, str) else ["has an id that is not a text"]
    faults += [
        f"has `{name}` that is not {due}" for name, kind, due in _WANTED if not isinstance(getattr(case, name), kind)
    ]
    if faults:
        return faults
    if (case.stdin is None) and case.stdout is not None:
        faults.append("has `stdout` but no `stdin`")
    if case.steps and (case.returns is not UNSET or case.raises is not None):
        faults.append("has `steps`, so what is returned or raised stands in them")
    elif not case.steps and (case.raises is None) == (case.returns is UNSET):
        faults.append("needs exactly one of `returns` and `raises`")
    faults += _raises(case.raises) + _take(case.take, case.returns)
    if case.tolerance < 0:
        faults.append("has a negative `tolerance`")
    return faults + _files(case) + _steps(case)


def _raises(raises: object) -> list[str]:
    if raises is None or (isinstance(raises, type) and issubclass(raises, Exception)):
        return []
    return ["has `raises` that is not a class of exceptions"]


def _take(take: object, returns: object) -> list[str]:
    if take is None:
        return []
    if type(take) is not int or not 1 <= take <= MAX_TAKEN:
        return [f"has `take` that is not a number from 1 to {MAX_TAKEN}"]
    from codegen_eval.task import UNSET

    return [] if returns is UNSET or isinstance(returns, list) else ["has `take`, so `returns` must be a list"]


def _files(case: Case) -> list[str]:
    faults = []
    for name, content in case.files.items():
        if not isinstance(name, str) or name.startswith("/") or ".." in name.split("/"):
            faults.append(f"has a file `{name}`, which is no path below the worker's directory")
        elif not isinstance(content, str | bytes | None):
            faults.append(f"has a file `{name}` whose content is neither text nor bytes")
    return faults


def _steps(case: Case) -> list[str]:
    from codegen_eval.task import UNSET, Step

    if len(case.steps) > _MAX_STEPS:
        return [f"has more than {_MAX_STEPS} steps"]
    faults = []
    for number, step in enumerate(case.steps, 1):
        if not isinstance(step, Step):
            faults.append(f"has a step {number} that is no `Step`")
            continue
        said = _raises(step.raises) + _take(step.take, step.returns)
        if not isinstance(step.name, str) or not step.name.removeprefix(".").isidentifier():
            said.append("has a name that is no identifier")
        if not isinstance(step.args, tuple):
            said.append("has `args` that is not a tuple: write `(3,)` for one argument")
        elif isinstance(step.name, str) and step.name.startswith(".") and (step.args or step.kwargs):
            said.append("looks at an attribute, so it has no arguments")
        if step.raises is not None and step.returns is not UNSET:
            said.append("has both `returns` and `raises`")
        faults += [f"in step {number} {fault}" for fault in said]
    return faults


def faults_for_kind(case: Case, kind: Kind) -> list[str]:
    """Return what a case has, or lacks, that a task of this kind has no use for, or needs."""
    from codegen_eval.task import Kind

    faults = []
    if case.steps and kind is not Kind.CLASS:
        faults.append("has `steps`, which are for tasks of kind `class`")
    if kind is Kind.CLASS and not case.steps and case.raises is None:
        faults.append("needs `steps`, or `raises` where making the object must fail")
    if case.stdin is not None and kind is not Kind.PROGRAM:
        faults.append("has `stdin`, which is for tasks of kind `program`")
    if kind is Kind.PROGRAM and case.stdin is None:
        faults.append("needs `stdin` and `stdout`")
    if case.take is not None and kind is not Kind.GENERATOR:
        faults.append("has `take`, which is for tasks of kind `generator`")
    if kind is Kind.GENERATOR and case.raises is None and not isinstance(case.returns, list):
        faults.append("has `returns` that is not the list of what is yielded")
    return faults


def case_fields() -> tuple[str, ...]:
    """Return the names of what a case may have."""
    from codegen_eval.task import Case

    return tuple(field.name for field in dataclasses.fields(Case))
