"""Properties of `line_sum`."""

from __future__ import annotations

from hypothesis import strategies as st

from codegen_eval.judge.candidate import Candidate
from codegen_eval.task import prop
from codegen_eval.verdict import FailureClass as F

rows = st.lists(st.tuples(st.sampled_from("abc"), st.integers(0, 9)), max_size=6)


@prop(F.WRONG_LOGIC, given=rows)
def sums_add_up(candidate: Candidate, given: list[tuple[str, int]]) -> None:
    """All sums together are all numbers together."""
    sums = candidate(given)
    assert isinstance(sums, dict)
    assert sum(sums.values()) == sum(number for _, number in given)


@prop(F.WRONG_LOGIC, given=rows)
def names_are_kept(candidate: Candidate, given: list[tuple[str, int]]) -> None:
    """There is a sum for each name."""
    sums = candidate(given)
    assert isinstance(sums, dict)
    assert set(sums) == {name for name, _ in given}


PROPERTIES = (sums_add_up, names_are_kept)
