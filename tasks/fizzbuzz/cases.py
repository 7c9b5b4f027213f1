"""Cases of `fizzbuzz`."""

from __future__ import annotations

from codegen_eval.task import Case
from codegen_eval.verdict import FailureClass

_FIFTEEN = ["1", "2", "Fizz", "4", "Buzz", "Fizz", "7", "8", "Fizz", "Buzz", "11", "Fizz", "13", "14", "FizzBuzz"]
_THIRTY = [*_FIFTEEN, "16", "17", "Fizz", "19", "Buzz", "Fizz", "22", "23", "Fizz", "Buzz", "26", "Fizz", "28", "29"]
_THIRTY += ["FizzBuzz"]


def _up_to(n: int) -> list[str]:
    """Repeat the pattern of fifteen, with the numbers of each round."""
    return [str(i) if _FIFTEEN[(i - 1) % 15].isdigit() else _FIFTEEN[(i - 1) % 15] for i in range(1, n + 1)]


CASES: tuple[Case, ...] = (
    Case("one", (1,), ["1"], aimed_at=FailureClass.WRONG_LOGIC, shown=True),
    Case("five", (5,), _FIFTEEN[:5], aimed_at=FailureClass.WRONG_LOGIC, shown=True),
    Case("fifteen", (15,), _FIFTEEN, aimed_at=FailureClass.WRONG_LOGIC, shown=True),
    Case("zero", (0,), [], aimed_at=FailureClass.MISSED_EDGE_CASE),
    Case("minus-one", (-1,), [], aimed_at=FailureClass.MISSED_EDGE_CASE),
    Case("minus-fifteen", (-15,), [], aimed_at=FailureClass.MISSED_EDGE_CASE),
    Case("sixteen", (16,), _THIRTY[:16], aimed_at=FailureClass.MISSED_EDGE_CASE),
    Case("twenty", (20,), _THIRTY[:20], aimed_at=FailureClass.MISSED_EDGE_CASE),
    Case("thirty", (30,), _THIRTY, aimed_at=FailureClass.MISSED_EDGE_CASE),
    Case("beyond-a-hundred", (101,), _up_to(101), aimed_at=FailureClass.MISSED_EDGE_CASE),
)
