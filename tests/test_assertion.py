"""Laws of cases rendered as asserts."""

from __future__ import annotations

import datetime as dt
import math
from decimal import Decimal
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from codegen_eval.assertion import render_case_as_assert, render_value
from codegen_eval.task import Case, SandboxPath
from codegen_eval.verdict import FailureClass

WRONG = FailureClass.WRONG_LOGIC

_ATOMS = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text() | st.binary(max_size=9)
_HASHABLE = st.recursive(_ATOMS, lambda inner: st.tuples(inner, inner) | st.frozensets(inner, max_size=3), max_leaves=5)
_VALUES = st.recursive(
    _ATOMS | st.sets(_HASHABLE, max_size=4),
    lambda inner: st.lists(inner, max_size=3) | st.tuples(inner) | st.dictionaries(_HASHABLE, inner, max_size=3),
    max_leaves=8,
)


@pytest.mark.parametrize(
    ("case", "text"),
    [
        (Case("c", (3,), ["1", "2", "Fizz"], aimed_at=WRONG), 'assert f(3) == ["1", "2", "Fizz"]'),
        (Case("c", ("a'b", '"'), 1, aimed_at=WRONG), "assert f(\"a'b\", '\"') == 1"),
        (Case("c", ([1], 2), -1, aimed_at=WRONG, kwargs={"k": ()}), "assert f([1], 2, k=()) == -1"),
        (Case("c", ("ab",), True, aimed_at=WRONG), 'assert f("ab") is True'),
        (Case("c", ("ab",), True, aimed_at=WRONG, loose=True), 'assert f("ab") == True'),
        (Case("c", (), None, aimed_at=WRONG), "assert f() is None"),
        (Case("c", (), math.nan, aimed_at=WRONG), "assert math.isnan(f())"),
        (Case("c", (), 0.5, aimed_at=WRONG, tolerance=1e-9), "assert abs(f() - 0.5) <= 1e-09"),
        (Case("c", (), [0.5], aimed_at=WRONG, tolerance=0.1), "assert f() == pytest.approx([0.5], abs=0.1)"),
        (Case("c", ({"b", "a"},), (1,), aimed_at=WRONG), 'assert f({"a", "b"}) == (1,)'),
        (Case("c", ("日\n",), "", aimed_at=WRONG), 'assert f("\\u65e5\\n") == ""'),
        (
            Case("c", ([2, 1],), [1, 2], aimed_at=WRONG, unchanged=True),
            "# the arguments must be left as they are\nassert f([2, 1]) == [1, 2]",
        ),
        (
            Case("c", ("1 +",), raises=ValueError, aimed_at=WRONG),
            (
                'try:\n    f("1 +")\nexcept ValueError:\n    pass\nelse:\n'
                "    raise AssertionError('f(\"1 +\") must raise ValueError')"
            ),
        ),
        (
            Case(
                "c",
                (SandboxPath(),),
                ["a.txt", "b"],
                aimed_at=WRONG,
                files={"a.txt": "hi", "b": None, "c\n": "", "d": b"\0"},
            ),
            (
                "# `directory` is the path of a directory that holds:\n"
                '#   "a.txt": a file with "hi"\n'
                '#   "b": a directory\n'
                '#   "c\\n": an empty file\n'
                "#   \"d\": a file with b'\\x00'\n"
                'assert f(directory) == ["a.txt", "b"]'
            ),
        ),
        (
            Case("c", (SandboxPath("no"),), raises=OSError, aimed_at=WRONG),
            (
                "# `directory` is the path of an empty directory\n"
                'try:\n    f(directory + "/no")\nexcept OSError:\n    pass\nelse:\n'
                "    raise AssertionError('f(directory + \"/no\") must raise OSError')"
            ),
        ),
    ],
)
def test_cases_read_as_a_person_would_write_them(case: Case, text: str) -> None:
    assert render_case_as_assert("f", case) == text


@given(_VALUES)
def test_a_rendered_value_evaluates_to_itself(value: object) -> None:
    """What is rendered is ASCII source of an equal value of the same type."""
    text = render_value(value)

    again = eval(text)  # noqa: S307  source that we rendered ourselves
    assert text.isascii()
    assert type(again) is type(value)
    assert again == value


@pytest.mark.parametrize("value", [Decimal("0.10"), dt.date(2026, 1, 2), math.inf, 1 + 2j, frozenset(), set()])
def test_other_plain_values_are_rendered_too(value: object) -> None:
    assert eval(render_value(value), {"Decimal": Decimal, "datetime": dt}) == value  # noqa: S307


@given(st.lists(_VALUES, max_size=3).map(tuple), _VALUES, _VALUES)
def test_the_assert_holds_exactly_for_the_value_expected(args: tuple[object, ...], good: object, bad: object) -> None:
    """The rendered assert passes a function that returns the expected value, and fails one that returns another."""
    text = render_case_as_assert("f", Case("c", args, good, aimed_at=WRONG))

    exec(text, {"f": lambda *_: good})  # noqa: S102
    if bad != good:
        with pytest.raises(AssertionError):
            exec(text, {"f": lambda *_: bad})  # noqa: S102


def test_the_try_form_wants_the_exception() -> None:
    """The rendered form passes who raises the exception, fails who returns, and lets other exceptions through."""
    text = render_case_as_assert("f", Case("c", ("'\"\\",), raises=ValueError, aimed_at=WRONG))

    exec(text, {"f": int})  # noqa: S102
    with pytest.raises(AssertionError, match="must raise ValueError"):
        exec(text, {"f": str})  # noqa: S102
    with pytest.raises(TypeError):
        exec(text, {"f": lambda: 1})  # noqa: S102


def test_the_directory_is_a_path(tmp_path: Path) -> None:
    """With a real directory in place of the variable the assert runs."""
    case = Case("c", (SandboxPath("sub"),), SandboxPath("sub"), aimed_at=WRONG, files={"sub": None})

    exec(render_case_as_assert("f", case), {"f": lambda path: path, "directory": str(tmp_path)})  # noqa: S102
