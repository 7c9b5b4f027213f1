"""LiveCodeBench: contest problems, for programs that read standard input or for a method that is called.

One record: `question_id`, `question_title`, `question_content`, `starter_code`, `metadata`, `public_test_cases`,
`private_test_cases`; the last three are JSON written as texts, and the last one may be packed (see `packed.py`).
A case has `input`, `output` and `testtype`; an input of a call has one JSON text a line for each argument.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from codegen_eval.record import json_kind, parse_json

from .fields import BadRecordError, Fields, checked_data
from .packed import unpack_text
from .problem import FunctionalCase, FunctionalTests, Problem, PromptForm, StdinCase, StdinTests

_MODULES = (
    *("string", "re", "datetime", "collections", "heapq", "bisect", "copy", "math", "random", "statistics"),
    *("itertools", "functools", "operator", "io", "sys", "json"),
)
_STARRED = "\n".join(f"from {name} import *" for name in (*_MODULES, "builtins", "typing"))
PREAMBLE = _STARRED + "\n" + "\n".join(f"import {name}" for name in _MODULES) + "\nsys.setrecursionlimit(50000)\n"
"""What the set runs before every solution."""
_OWNER = "Solution"


def read_livecodebench(fields: Fields, line: int) -> tuple[Problem, StdinTests | FunctionalTests]:
    """Return the problem of one record.

    Raises:
        BadRecordError: it is no record of this set.
    """
    content, starter = fields.text("question_content"), fields.text_or("starter_code", "")
    public = _cases(fields.value("public_test_cases"), "`public_test_cases`")
    private = _cases(fields.value("private_test_cases"), "`private_test_cases`")
    if not public and not private:
        raise BadRecordError("there are no test cases")
    kinds = {kind for _, _, kind in (*public, *private)}
    method = _method(fields)
    tests: StdinTests | FunctionalTests
    if kinds == {"stdin"}:
        tests = StdinTests(cases=tuple(_runs(public, private)))
    elif kinds == {"functional"} and method is not None:
        owner = _OWNER if f"class {_OWNER}" in starter else None
        tests = FunctionalTests(owner=owner, cases=tuple(_calls(public, private)))
    elif kinds == {"functional"}:
        raise BadRecordError("`metadata` names no `func_name`, which its functional test cases call")
    else:
        raise BadRecordError(f"test cases should all be stdin or all functional, not {', '.join(sorted(kinds))[:60]}")
    problem = Problem(
        dataset="livecodebench",
        id=fields.id("question_id"),
        line=line,
        prompt=content + (f"\n\nBegin with this code:\n\n{starter}\n" if starter.strip() else "\n"),
        form=PromptForm.PROSE,
        entry_point=method if tests.form == "functional" else None,
        preamble=PREAMBLE,
        test_form=tests.form,
        test_count=len(tests.cases),
    )
    return problem, tests


def _method(fields: Fields) -> str | None:
    if "metadata" not in fields:
        return None
    value = fields.value("metadata")
    if isinstance(value, str):
        value = _parsed(value, "`metadata`")
    name = value.get("func_name") if isinstance(value, Mapping) else None
    return name if isinstance(name, str) and name.isidentifier() else None


def _cases(value: object, where: str) -> list[tuple[str, str, str]]:
    """Return input, output and kind of every case."""
    if isinstance(value, str):
        text = value if value.lstrip()[:1] in {"[", ""} else unpack_text(value, where)
        value = _parsed(text, where) if text.strip() else []
    if not isinstance(value, list):
        raise BadRecordError(f"{where} should be a list of cases, not {json_kind(value)}")
    found: list[tuple[str, str, str]] = []
    for number, case in enumerate(value):
        place = f"{where}[{number}]"
        if not isinstance(case, Mapping):
            raise BadRecordError(f"{place} should be an object, not {json_kind(case)}")
        given, expected, kind = (
            checked_data(case.get(name), f"{place}.{name}") for name in ("input", "output", "testtype")
        )
        found.append((given, expected, kind))
    return found


def _runs(*lists: list[tuple[str, str, str]]) -> Iterator[StdinCase]:
    for number, cases in enumerate(lists):
        for given, expected, _ in cases:
            yield StdinCase(stdin=given, stdout=expected, shown=number == 0)


def _calls(*lists: list[tuple[str, str, str]]) -> Iterator[FunctionalCase]:
    for number, cases in enumerate(lists):
        for place, (given, expected, _) in enumerate(cases):
            arguments = tuple(given.split("\n"))
            for text in (*arguments, expected):
                _parsed(text, f"test case {place}")
            yield FunctionalCase(arguments=arguments, expected=expected, shown=number == 0)


def _parsed(text: str, where: str) -> object:
    try:
        return parse_json(text)
    except ValueError as exc:
        raise BadRecordError(f"{where}: {exc}") from None
