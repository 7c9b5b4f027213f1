"""Laws of pass@k."""

from __future__ import annotations

import math
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from codegen_eval.evaluation.pass_at_k import estimate, pass_at_k


@st.composite
def answers_of(draw: st.DrawFn) -> tuple[int, int, int]:
    """Draw the answers to one problem, how many are right, and k."""
    answers = draw(st.integers(1, 9))
    return answers, draw(st.integers(0, answers)), draw(st.integers(1, answers))


@given(answers_of())
def test_it_is_the_share_of_subsets_with_a_right_answer(drawn: tuple[int, int, int]) -> None:
    """By brute force: the share of the k-subsets of the answers in which one is right."""
    answers, right, k = drawn
    subsets = list(combinations([n < right for n in range(answers)], k))

    assert math.isclose(pass_at_k(answers, right, k), sum(map(any, subsets)) / len(subsets))


@given(st.integers(1, 500), st.data())
def test_it_grows_with_right_answers_and_with_k(answers: int, data: st.DataObject) -> None:
    """One more right answer, or one more try, never lowers it; all or none right give 1 and 0."""
    right, k = data.draw(st.integers(0, answers)), data.draw(st.integers(1, answers))
    value = pass_at_k(answers, right, k)

    assert 0 <= value <= 1
    assert right == answers or pass_at_k(answers, right + 1, k) >= value
    assert k == answers or pass_at_k(answers, right, k + 1) >= value
    assert (value == 0) == (right == 0)
    assert math.isclose(pass_at_k(answers, right, 1), right / answers)


@pytest.mark.parametrize("wrong", [(3, 4, 1), (3, -1, 1), (3, 1, 0), (3, 1, 4)])
def test_impossible_counts_are_refused(wrong: tuple[int, int, int]) -> None:
    """More right answers than answers, or more tries, are a mistake of the caller."""
    with pytest.raises(ValueError, match="pass@"):
        pass_at_k(*wrong)


@given(st.lists(answers_of().map(lambda drawn: drawn[:2]), max_size=12), st.integers(1, 9))
def test_the_estimate_is_the_mean_over_problems_with_enough_answers(counts: list[tuple[int, int]], k: int) -> None:
    """Problems with fewer than k answers say nothing of k; the interval holds the estimate."""
    enough = [pass_at_k(answers, right, k) for answers, right in counts if answers >= k]
    found = estimate(counts, k)

    if not enough:
        assert found is None
        return
    assert found is not None
    assert found.problems == len(enough)
    assert math.isclose(found.estimate, sum(enough) / len(enough))
    assert found.low <= found.estimate + 1e-9
    assert found.high >= found.estimate - 1e-9
    assert found == estimate(counts, k)
