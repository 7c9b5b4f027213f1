"""Laws of pass@k."""

from __future__ import annotations

import math
import random
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from codegen_eval.evaluation.pass_at_k import estimate, pass_at_k
from codegen_eval.stats import wilson


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


@given(st.integers(1, 400), st.data())
def test_one_answer_a_problem_has_wilsons_interval(problems: int, data: st.DataObject) -> None:
    """Yes or no for each problem is a plain proportion; not even all right leaves no doubt."""
    right = data.draw(st.integers(0, problems))
    found = estimate([(1, 1)] * right + [(1, 0)] * (problems - right), 1)
    expected = wilson(right, problems)

    assert found is not None
    assert expected is not None
    assert (found.low, found.high) == pytest.approx(expected)
    assert found.high > found.low


def test_the_interval_holds_the_truth_as_often_as_it_says() -> None:
    """95 of 100 times, within chance: few and many problems, easy and hard ones, one answer and more, one try and five.

    Problems and answers are drawn with a fixed seed, so this is the same on every run. For few problems with many
    answers the variance between problems is itself little known: there it may be somewhat less.
    """
    source = random.Random(20)  # noqa: S311 - draws, not secrets
    for problems, answers, k, least in ((5, 1, 1, 0.92), (20, 1, 1, 0.92), (20, 10, 1, 0.84), (150, 10, 5, 0.92)):
        for alpha, beta in ((0.5, 0.5), (4, 0.3), (0.2, 3), (2, 2)):
            rate = source.betavariate
            truth = math.fsum(1 - (1 - rate(alpha, beta)) ** k for _ in range(20_000)) / 20_000
            held = 0
            for _ in range(200):
                counts = []
                for _ in range(problems):
                    chance = rate(alpha, beta)
                    counts.append((answers, sum(source.random() < chance for _ in range(answers))))
                found = estimate(counts, k)
                held += found is not None and found.low <= truth <= found.high
            assert held / 200 >= least, (problems, answers, k, alpha, beta)
