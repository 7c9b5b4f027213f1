"""Is a call one that a task speaks of? Only on such a call does a difference from the reference say anything."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from pathlib import PurePosixPath

from codegen_eval.judge.literal import ReadCall
from codegen_eval.task import Case, SandboxPath, Task

_MAX_PARTS = 8


class OutsideError(ValueError):
    """The task says nothing of this call."""


def fit(task: Task, call: ReadCall) -> tuple[object, ...]:
    """Return the call's arguments by position, as the task's own cases pass them.

    Raises:
        OutsideError: they don't fit the signature, have other types than it names, or `ACCEPTS` refuses them.
    """
    parameters = _parameters(task)
    args = _by_position(parameters, call)
    for place, value in enumerate(args[: len(parameters)]):
        annotation = parameters[place].annotation
        if annotation is None or not all(_fits(arg, annotation) for arg in _in_cases(task.cases, place)):
            continue  # what the task's own cases don't keep to binds nobody
        if not _fits(value, annotation):
            raise OutsideError(f"argument {place + 1} is not of the type that the signature names")
    if task.accepts is not None and not task.accepts(*args):
        raise OutsideError("the task leaves open what comes of such arguments")
    return args


def _parameters(task: Task) -> list[ast.arg]:
    """Return the positional parameters of the signature; none where it can't be read."""
    for source in (f"{task.text.signature.rstrip()} ...", task.reference):
        try:
            body = ast.parse(source).body
        except (SyntaxError, ValueError):
            continue
        for node in body:
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.name == task.text.entry_point:
                return node.args.posonlyargs + node.args.args
    return []


def _by_position(parameters: Sequence[ast.arg], call: ReadCall) -> tuple[object, ...]:
    """Put what was given by name where it belongs."""
    names = [parameter.arg for parameter in parameters]
    placed = dict(enumerate(call.args))
    for name, value in call.kwargs.items():
        if name not in names or names.index(name) in placed:
            raise OutsideError("it does not fit the signature")
        placed[names.index(name)] = value
    if sorted(placed) != list(range(len(placed))) or (parameters and len(placed) > len(parameters)):
        raise OutsideError("it does not fit the signature")
    return tuple(placed[place] for place in range(len(placed)))


def _in_cases(cases: Sequence[Case], place: int) -> list[object]:
    """Return what the cases pass at a place."""
    return [case.args[place] for case in cases if len(case.args) > place]


_KINDS: Mapping[str, tuple[type, ...]] = {
    "int": (int,),
    "float": (float, int),
    "complex": (complex, float, int),
    "str": (str, SandboxPath),
    "bool": (bool,),
    "bytes": (bytes,),
    "list": (list,),
    "tuple": (tuple,),
    "set": (set,),
    "frozenset": (frozenset,),
    "dict": (dict,),
}


def _fits(value: object, annotation: ast.expr) -> bool:
    """Say whether a value is of the annotated type. What we don't know an annotation of fits it."""
    match annotation:
        case ast.Constant(value=None):
            return value is None
        case ast.Constant(value=str(text)):
            try:
                return _fits(value, ast.parse(text, mode="eval").body)
            except (SyntaxError, ValueError):
                return True
        case ast.Name(id=name):
            kinds = _KINDS.get(name.lower())
            return kinds is None or type(value) in kinds
        case ast.BinOp(left=left, op=ast.BitOr(), right=right):
            return _fits(value, left) or _fits(value, right)
        case ast.Subscript(value=ast.Name(id="Optional"), slice=inner):
            return value is None or _fits(value, inner)
        case ast.Subscript(value=ast.Name(id="Union"), slice=ast.Tuple(elts=several)):
            return any(_fits(value, each) for each in several)
        case ast.Subscript(value=ast.Name(id=name), slice=inner):
            kinds = _KINDS.get(name.lower())
            return kinds is None or (type(value) in kinds and _items_fit(value, inner))
    return True


def _items_fit(value: object, inner: ast.expr) -> bool:
    match value, inner:
        case dict(), ast.Tuple(elts=[key, held]):
            return all(_fits(k, key) and _fits(v, held) for k, v in value.items())
        case tuple(), ast.Tuple(elts=[item, ast.Constant(value=ellipsis)]) if ellipsis is ...:
            return all(_fits(each, item) for each in value)
        case tuple(), ast.Tuple(elts=several):
            return len(value) == len(several) and all(map(_fits, value, several))
        case tuple(), _:
            return len(value) == 1 and _fits(value[0], inner)
        case ((list() | set() | frozenset()), _):
            return all(_fits(each, inner) for each in value)
    return True


def checked_files(files: Mapping[str, str | None]) -> Mapping[str, str | None]:
    """Return the files that a claim names.

    Raises:
        OutsideError: a path leads out of the current directory, or would be made within another file.
    """
    for name, content in files.items():
        path = PurePosixPath(name)
        if path.is_absolute() or ".." in path.parts or not path.parts or len(path.parts) > _MAX_PARTS or "\0" in name:
            raise OutsideError("it wants files in other places than the current directory")
        if any(files.get(str(parent), None) is not None for parent in path.parents):
            raise OutsideError("it wants a file within another file")
        if content is not None and any(PurePosixPath(other).is_relative_to(path) for other in files if other != name):
            raise OutsideError("it wants a file within another file")
    return files
