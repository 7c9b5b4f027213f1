"""Cases as people and models read them: plain asserts in Python."""

from __future__ import annotations

import math

from codegen_eval.task import Case, SandboxPath

_ROOT = "directory"
"""The variable that stands for the worker's own directory."""


def render_case_as_assert(entry_point: str, case: Case) -> str:
    """Return a case as Python source: an assert, or try/except/else where an exception is expected.

    Files that the case asks for are described in a comment.
    """
    given = [render_value(value) for value in case.args]
    given += [f"{name}={render_value(value)}" for name, value in case.kwargs.items()]
    call = f"{entry_point}({', '.join(given)})"
    lines = _describe_files(case)
    if case.unchanged:
        lines.append("# the arguments must be left as they are")
    if case.raises is not None:
        name = case.raises.__name__
        lines += ["try:", f"    {call}", f"except {name}:", "    pass", "else:"]
        lines.append(f"    raise AssertionError({render_value(f'{call} must raise {name}')})")
    else:
        lines.append(_assert(call, case))
    return "\n".join(lines)


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
