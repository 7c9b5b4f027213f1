"""Cases in a file of JSON lines, one object for each case: `cases.jsonl`, beside `cases.py` or instead of it."""

from __future__ import annotations

import builtins
import json
from collections.abc import Mapping
from pathlib import Path
from typing import NoReturn

from codegen_eval.case_fault import case_fields, gather
from codegen_eval.case_value import ValueFormError, read_value
from codegen_eval.closeness import did_you_mean
from codegen_eval.task import UNSET, Case, Step
from codegen_eval.verdict import SEEDED_CLASSES, FailureClass

MAX_BYTES = 16 << 20
"""Of one file of cases."""
_MAX_SHOWN = 100
_CASE_KEYS = frozenset(case_fields())
_STEP_KEYS = frozenset({"name", "args", "kwargs", "returns", "raises", "take"})
_PLAIN = frozenset({"shown", "tolerance", "loose", "number", "unchanged", "take", "stdin", "stdout"})
"""Keys whose value stands for itself."""
_EXCEPTIONS: Mapping[str, type[Exception]] = {
    name: kind for name, kind in vars(builtins).items() if isinstance(kind, type) and issubclass(kind, Exception)
}
_CLASSES = [each.value for each in SEEDED_CLASSES]


class _BadLineError(Exception):
    """A line that is no case. The text says why."""


def read_case_lines(path: Path, problems: list[str]) -> tuple[tuple[Case, int], ...]:
    """Return the cases of a file, each with its line; what is wrong with a line is added to the problems."""
    cases: list[tuple[Case, int]] = []
    try:
        with path.open("rb") as file:
            data = file.read(MAX_BYTES + 1)
        text = data.decode("utf-8-sig")
    except OSError as exc:
        problems.append(f"`{path.name}` can't be read: {exc.strerror or exc}")
        return ()
    except UnicodeDecodeError as exc:
        problems.append(f"`{path.name}` is not UTF-8 text (line {data.count(bytes([10]), 0, exc.start) + 1})")
        return ()
    if len(data) > MAX_BYTES:
        problems.append(f"`{path.name}` is larger than {MAX_BYTES >> 20} MiB")
        return ()
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        with gather("") as faults:  # of this line: what is wrong has no other place
            try:
                case = _case(_parse(line))
            except _BadLineError as exc:
                problems.append(f"`{path.name}`: {exc} (line {number})")
                continue
        if faults:
            problems.extend(f"`{path.name}`: {fault} (line {number})" for _, fault in faults)
        else:
            cases.append((case, number))
    return tuple(cases)


def _parse(line: str) -> dict[str, object]:
    try:
        raw = json.loads(line, object_pairs_hook=_unique, parse_constant=_refuse)
    except json.JSONDecodeError as exc:
        raise _BadLineError(f"it is not JSON: {exc.msg} (column {exc.colno})") from exc
    except RecursionError as exc:
        raise _BadLineError("it is nested too deeply") from exc
    except ValueError as exc:
        raise _BadLineError(str(exc)[:_MAX_SHOWN]) from exc
    if not isinstance(raw, dict):
        raise _BadLineError("it is not an object `{...}`")
    return raw


def _unique(pairs: list[tuple[str, object]]) -> dict[str, object]:
    found = dict(pairs)
    if len(found) != len(pairs):
        keys = [key for key, _ in pairs]
        twice = next(key for key in keys if keys.count(key) > 1)
        raise ValueError(f"the key {twice!a} stands twice in one object")
    return found


def _refuse(name: str) -> NoReturn:
    raise ValueError(f'`{name}` is no JSON: write {{"$float": "nan"}}')


def _case(raw: Mapping[str, object]) -> Case:
    """Make the case that a line describes."""
    _check_keys(raw, _CASE_KEYS, "")
    name = raw.get("id")
    if not isinstance(name, str):
        raise _BadLineError("it lacks the key `id`" if name is None else "`id` is not a text")
    given: dict[str, object] = {key: raw[key] for key in _PLAIN & raw.keys()}
    given |= _call(raw, "")
    given["aimed_at"] = _aimed_at(raw)
    if "files" in raw:
        given["files"] = _read(raw, "files", "")
    if "steps" in raw:
        steps = raw["steps"]
        if not isinstance(steps, list):
            raise _BadLineError("`steps` is not a list")
        given["steps"] = tuple(_step(step, f"step {place}: ") for place, step in enumerate(steps, 1))
    return _make_case(name, given)


def _make_case(name: str, given: dict[str, object]) -> Case:
    """Make a case; the wrong types that JSON can hold are told by the case itself."""
    return Case(id=name, **given)  # type: ignore[arg-type] # checked when it is made


def _step(raw: object, where: str) -> Step:
    if not isinstance(raw, dict):
        raise _BadLineError(f"{where}it is not an object `{{...}}`")
    _check_keys(raw, _STEP_KEYS, where)
    name = raw.get("name")
    if not isinstance(name, str):
        raise _BadLineError(f"{where}it lacks the key `name`" if name is None else f"{where}`name` is not a text")
    given = _call(raw, where) | ({"take": raw["take"]} if "take" in raw else {})
    return Step(name=name, **given)  # type: ignore[arg-type] # checked with the case


def _call(raw: Mapping[str, object], where: str) -> dict[str, object]:
    """Read what is passed and what is due."""
    given: dict[str, object] = {}
    if "args" in raw:
        args = _read(raw, "args", where)
        if not isinstance(args, list):
            raise _BadLineError(f"{where}`args` is not a list")
        given["args"] = tuple(args)
    if "kwargs" in raw:
        given["kwargs"] = _read(raw, "kwargs", where)
        if not isinstance(given["kwargs"], dict):
            raise _BadLineError(f"{where}`kwargs` is not an object")
    given["returns"] = _read(raw, "returns", where) if "returns" in raw else UNSET
    raises = raw.get("raises")
    if raises is not None:
        if not isinstance(raises, str) or raises not in _EXCEPTIONS:
            shown = str(raises)[:_MAX_SHOWN]
            raise _BadLineError(f"{where}`raises`: there is no builtin exception `{shown}`{_near(shown, _EXCEPTIONS)}")
        given["raises"] = _EXCEPTIONS[raises]
    return given


def _near(word: str, known: Mapping[str, object]) -> str:
    return did_you_mean(word, known)


def _aimed_at(raw: Mapping[str, object]) -> FailureClass:
    name = raw.get("aimed_at")
    if name is None:
        raise _BadLineError(f"it lacks the key `aimed_at`: one of {', '.join(_CLASSES)}")
    if name not in [each.value for each in FailureClass]:
        shown = str(name)[:_MAX_SHOWN]
        raise _BadLineError(f"`aimed_at`: there is no class `{shown}`{did_you_mean(shown, _CLASSES)}")
    return FailureClass(name)


def _read(raw: Mapping[str, object], key: str, where: str) -> object:
    try:
        return read_value(raw[key])
    except ValueFormError as exc:
        raise _BadLineError(f"{where}`{key}`: {exc}") from exc


def _check_keys(raw: Mapping[str, object], known: frozenset[str], where: str) -> None:
    for key in raw:
        if key not in known:
            shown = key[:_MAX_SHOWN]
            raise _BadLineError(f"{where}it has an unknown key `{shown}`{did_you_mean(shown, sorted(known))}")
