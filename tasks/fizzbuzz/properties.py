"""Laws of `fizzbuzz`."""

from __future__ import annotations

from collections.abc import Callable

from hypothesis import strategies as st

from codegen_eval.task import Property, prop
from codegen_eval.verdict import FailureClass

_numbers = st.integers(-40, 120)


@prop(FailureClass.WRONG_LOGIC, n=_numbers)
def one_line_for_each_number(candidate: Callable[[int], list[str]], n: int) -> None:
    """There are n strings, none for n <= 0."""
    assert len(candidate(n)) == max(n, 0)


@prop(FailureClass.WRONG_LOGIC, n=st.integers(1, 120))
def every_line_follows_the_rule(candidate: Callable[[int], list[str]], n: int) -> None:
    """Expect a word exactly for the multiples that it stands for, and the number where there is none."""
    for number, line in enumerate(candidate(n), start=1):
        assert line.startswith("Fizz") == (number % 3 == 0)
        assert line.endswith("Buzz") == (number % 5 == 0)
        assert line in {"Fizz", "Buzz", "FizzBuzz", str(number)}


@prop(FailureClass.SILENT_TYPE_ERROR, n=_numbers)
def a_list_of_strings(candidate: Callable[[int], object], n: int) -> None:
    """Whatever n is, the result is a list and holds only strings."""
    lines = candidate(n)
    assert isinstance(lines, list)
    assert all(isinstance(line, str) for line in lines)


PROPERTIES: tuple[Property, ...] = (one_line_for_each_number, every_line_follows_the_rule, a_list_of_strings)
