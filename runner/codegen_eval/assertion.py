"""Cases as people and models read them: plain asserts in Python."""

from __future__ import annotations

import contextlib
import dataclasses
import inspect
import math
import textwrap
from collections.abc import Mapping, Sequence
from types import BuiltinFunctionType, FunctionType, MethodDescriptorType

from codegen_eval.task import UNSET, Case, Kind, SandboxPath, Step

_ROOT = "directory"
"""The variable that stands for the worker's own directory."""
_OBJECT = "one"
"""The variable that stands for the object that a case of a class makes."""


def render_case_as_assert(entry_point: str, case: Case, kind: Kind = Kind.FUNCTION) -> str:
    """Return a case as Python source: an assert, or try/except/else where an exception is expected.

    Files that the case asks for are described in a comment; so is what a program is given, and prints. Functions among
    the arguments stand before it, with their source.
    """
    lines = [*_describe_functions(case), *_describe_files(case)]
    if kind is Kind.PROGRAM:
        return "\n".join([*lines, *_describe_program(case)])
    call = _call(entry_point, case.args, case.kwargs)
    if case.unchanged:
        lines.append("# the arguments must be left as they are")
    if case.steps:
        lines.append(f"{_OBJECT} = {call}")
        for step in case.steps:
            lines += _render_step(step, case)
        return "\n".join(lines)
    if case.take is not None and case.returns is not UNSET:
        call = f"list(itertools.islice({call}, {case.take}))"
    elif kind is Kind.GENERATOR:
        call = f"list({call})"
    elif kind is Kind.ASYNC:
        call = f"asyncio.run({call})"
    return "\n".join([*lines, *_expect(call, case)])


def _call(name: str, args: Sequence[object], kwargs: Mapping[str, object]) -> str:
    given = [render_value(value) for value in args]
    given += [f"{key}={render_value(value)}" for key, value in kwargs.items()]
    return f"{name}({', '.join(given)})"


def _expect(call: str, case: Case) -> list[str]:
    """Return the lines that say what must come of a call."""
    if case.raises is None:
        return [_assert(call, case)]
    name = case.raises.__name__
    must = render_value(f"{call} must raise {name}")
    return ["try:", f"    {call}", f"except {name}:", "    pass", "else:", f"    raise AssertionError({must})"]


def _render_step(step: Step, case: Case) -> list[str]:
    attribute = step.name.startswith(".")
    call = f"{_OBJECT}{step.name}" if attribute else _call(f"{_OBJECT}.{step.name}", step.args, step.kwargs)
    if step.take is not None:
        call = f"list(itertools.islice({call}, {step.take}))"
    if step.raises is None and step.returns is UNSET:
        return [call]
    one = dataclasses.replace(case, returns=step.returns, raises=step.raises, take=None, steps=())
    return _expect(call, one)


def _describe_program(case: Case) -> list[str]:
    lines = ["# given this standard input:", *(f"#   {line}" for line in _lines(case.stdin or ""))]
    if case.raises is not None:
        return [*lines, f"# the program raises {case.raises.__name__}"]
    return [*lines, "# the program prints:", *(f"#   {line}" for line in _lines(case.stdout or ""))]


def _lines(text: str) -> list[str]:
    """Return the lines of a text, in printable ASCII; one that says so where it is empty."""
    return [ascii(line)[1:-1] for line in text.removesuffix("\n").split("\n")] if text else ["(nothing)"]


def _describe_functions(case: Case) -> list[str]:
    """Return the source of functions that are passed and that stand in the task's own file."""
    lines: list[str] = []
    values = [*case.args, *case.kwargs.values(), *(arg for step in case.steps for arg in step.args)]
    for value in dict.fromkeys(value for value in values if isinstance(value, FunctionType)):
        if value.__name__.isidentifier():
            with contextlib.suppress(OSError, TypeError):
                lines += textwrap.dedent(inspect.getsource(value)).rstrip().splitlines()
    return lines


def render_value(value: object) -> str:
    """Return a value as Python source, the same on every machine and in every process."""
    match value:
        case SandboxPath(relative=""):
            return _ROOT
        case SandboxPath():
            return f"{_ROOT} + {_quote('/' + value.relative)}"
        case str():
            return _quote(value)
        case float() if not math.isfinite(value):
            return f'float("{value}")'
        case FunctionType() | BuiltinFunctionType() | MethodDescriptorType() | type():
            return value.__qualname__
        case _:
            return _render_container(value)


def _render_container(value: object) -> str:
    """Return a plain container item by item, sets in the order of their text; anything else as its own `repr`."""
    kind = type(value)
    if kind is dict and isinstance(value, dict):
        return f"{{{', '.join(f'{render_value(key)}: {render_value(item)}' for key, item in value.items())}}}"
    if kind not in {list, tuple, set, frozenset} or not isinstance(value, list | tuple | set | frozenset):
        return ascii(value)
    items = [render_value(item) for item in value]
    if kind is list:
        return f"[{', '.join(items)}]"
    if kind is tuple:
        return f"({', '.join(items)}{',' if len(items) == 1 else ''})"
    text = f"{{{', '.join(sorted(items))}}}" if items else ""
    return f"frozenset({text})" if kind is frozenset else text or "set()"


def _quote(text: str) -> str:
    """Return a string in double quotes, as a formatter would, unless that needs more escapes."""
    single = ascii(text)
    return f'"{single[1:-1]}"' if single[0] == "'" and '"' not in text and "\\'" not in single else single


def _assert(call: str, case: Case) -> str:
    expected = case.returns
    wanted = render_value(expected)
    if isinstance(expected, float) and math.isnan(expected):
        return f"assert math.isnan({call})"
    if not case.loose and (expected is None or isinstance(expected, bool)):
        return f"assert {call} is {wanted}"
    if not case.tolerance:
        return f"assert {call} == {wanted}"
    if isinstance(expected, int | float):
        return f"assert abs({call} - {wanted}) <= {case.tolerance!r}"
    return f"assert {call} == pytest.approx({wanted}, abs={case.tolerance!r})"


def _describe_files(case: Case) -> list[str]:
    """Return comment lines that say what lies in the directory."""
    if not case.files and not any(isinstance(value, SandboxPath) for value in (*case.args, *case.kwargs.values())):
        return []
    if not case.files:
        return [f"# `{_ROOT}` is the path of an empty directory"]
    lines = [f"# `{_ROOT}` is the path of a directory that holds:"]
    for name, content in case.files.items():
        what = (
            "a directory" if content is None else f"a file with {render_value(content)}" if content else "an empty file"
        )
        lines.append(f"#   {_quote(name)}: {what}")
    return lines
