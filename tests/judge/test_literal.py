"""Laws of the reader of calls: what it reads is what Python would, and nothing is ever run or made too large."""

from __future__ import annotations

import ast
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from codegen_eval.judge.literal import MAX_CHARS, UnreadableError, read_call

plain = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(10**20), 10**20)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=10)
    | st.binary(max_size=10),
    lambda inner: st.lists(inner, max_size=4) | st.tuples(inner, inner) | st.dictionaries(st.text(max_size=3), inner),
    max_leaves=20,
)


@given(st.lists(plain, max_size=3), st.dictionaries(st.sampled_from(["key", "n", "other"]), plain, max_size=2))
def test_literals_are_read_as_python_reads_them(args: list[object], kwargs: dict[str, object]) -> None:
    """What is written with `repr` comes back, by position and by name."""
    written = ", ".join([*map(repr, args), *(f"{name}={value!r}" for name, value in kwargs.items())])

    found = read_call(f"f({written})", "f")

    assert (list(found.args), found.kwargs) == (args, kwargs)
    assert list(map(type, found.args)) == list(map(type, args))


SHORT = {
    "[0] * 3": [0, 0, 0],
    "2 * 'ab'": "abab",
    "[1] + [2, 3]": [1, 2, 3],
    "list(range(4))": [0, 1, 2, 3],
    "tuple(range(5, 0, -2))": (5, 3, 1),
    "range(3)": range(3),
    "set()": set(),
    "{1, 2}": {1, 2},
    "frozenset([1])": frozenset({1}),
    "2**53 + 1": 2**53 + 1,
    "-10**6": -(10**6),
    "1 + 2j": 1 + 2j,
    "float('inf')": math.inf,
    "-float('inf')": -math.inf,
    "'a' 'b'": "ab",
    "[] * 10**9": [],
    "[1] * -1": [],
}


@pytest.mark.parametrize("text", SHORT)
def test_a_long_input_can_be_written_shortly(text: str) -> None:
    """Repetition, ranges and small arithmetic stand for their values."""
    assert read_call(f"f({text})", "f").args == (SHORT[text],)


def test_not_a_number_is_read() -> None:
    """`float("nan")` stands for itself."""
    (value,) = read_call('f(float("nan"))', "f").args

    assert isinstance(value, float)
    assert math.isnan(value)


REFUSED = {
    "nothing": "",
    "no call": "[1, 2]",
    "another function": "g(1)",
    "a method": "x.f(1)",
    "two statements": "f(1); f(2)",
    "an import": "f(__import__('os').system('true'))",
    "a name": "f(open)",
    "an attribute": "f(().__class__)",
    "a lambda": "f(lambda: 0)",
    "a comprehension": "f([x for x in range(3)])",
    "an f-string": "f(f'{1}')",
    "an await": "f(await x)",
    "an assignment": "f((x := 1))",
    "an index": "f([1][0])",
    "a comparison": "f(1 < 2)",
    "unpacking": "f(*[1, 2])",
    "unpacking names": "f(**{'a': 1})",
    "unpacking in a list": "f([*[1]])",
    "unpacking in a dictionary": "f({**{}})",
    "an ellipsis": "f(...)",
    "division": "f(1 / 0)",
    "a shift": "f(1 << 10**9)",
    "a huge power": "f(10**10**10)",
    "a tower of powers": "f(9**9**9**9)",
    "a huge product": "f(2**4000 * 2**4000)",
    "a long list": "f([0] * 10**7)",
    "a list of long lists": "f([[0] * 1000] * 1000)",
    "a long text": "f('x' * 10**8)",
    "a very long text": "f('x' * 10**30)",
    "a long range": "f(list(range(10**8)))",
    "a range of huge numbers": "f(range(10**30))",
    "a range without a step": "f(range(1, 2, 0))",
    "many long texts": "f([" + ",".join(["'x' * 1000000"] * 20) + "])",
    "a list as a key": "f({[]: 1})",
    "a list in a set": "f({[]})",
    "deep brackets": "f(" + "[" * 200 + "]" * 200 + ")",
    "deep minus signs": "f(" + "-" * 3000 + "1)",
    "deep sums": "f(" + "1+" * 1500 + "1)",
    "brackets beyond our own": "f(" + "(" * 90 + "1" + ")" * 90 + ")",
    "too long": "f('" + "x" * MAX_CHARS + "')",
    "a NUL": "f('\0')\0",
    "a lone surrogate": "f('\ud800')",
    "a name twice": "f(a=1, a=2)",
    "a boolean negated": "f(-True)",
    "a text negated": "f(-'a')",
    "a repeated repetition": "f('x' * 10**5 * 10**5)",
    "a float too large": "f(1e308 ** 99)",
}


@pytest.mark.parametrize("name", REFUSED)
def test_all_else_is_refused(name: str) -> None:
    """Whatever is no literal, or too large, or too deep, is refused at once."""
    with pytest.raises(UnreadableError):
        read_call(REFUSED[name], "f")


@given(st.text(st.sampled_from("f()[]{}'\"0123456789+-*,.:=abx \n\\#@\u2028\ud800")) | st.text())
def test_any_text_is_read_or_refused(text: str) -> None:
    """No text does anything else; what is read without operators is what `ast.literal_eval` would read."""
    try:
        found = read_call(f"f({text})", "f")
    except UnreadableError:
        return

    if not found.kwargs and not set("*+-(") & set(text):
        assert repr(list(found.args)) == repr(list(ast.literal_eval(f"[{text}\n]")))
