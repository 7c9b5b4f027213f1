"""Laws of the statistics."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from codegen_eval.stats import clustered_wilson, mean_interval, paired_difference, sign_test, wilson


@pytest.mark.parametrize(
    ("hits", "total", "low", "high"), [(0, 10, 0.0, 0.2775), (5, 10, 0.2366, 0.7634), (81, 263, 0.2553, 0.3662)]
)
def test_wilson_gives_the_published_intervals(hits: int, total: int, low: float, high: float) -> None:
    """The interval is that of the textbooks (81 of 263 is Newcombe's example, 1998)."""
    assert wilson(hits, total) == pytest.approx((low, high), abs=5e-5)


@given(st.integers(0, 10_000).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))))
def test_wilson_holds_the_rate_and_stays_within_bounds(trial: tuple[int, int]) -> None:
    """0 <= low <= rate <= high <= 1, mirrored for misses; no trials, no interval."""
    hits, total = trial
    ends, mirrored = wilson(hits, total), wilson(total - hits, total)

    if total == 0:
        assert ends is None
        return
    assert ends is not None
    assert mirrored is not None
    assert 0 <= ends[0] <= hits / total <= ends[1] <= 1
    assert ends == pytest.approx((1 - mirrored[1], 1 - mirrored[0]))


@pytest.mark.parametrize(("hits", "total"), [(-1, 3), (4, 3)])
def test_wilson_refuses_what_is_no_proportion(hits: int, total: int) -> None:
    """More hits than trials, or fewer than none, is a mistake of the caller."""
    with pytest.raises(ValueError, match="no proportion"):
        wilson(hits, total)


@pytest.mark.parametrize(("better", "worse", "p"), [(0, 0, 1.0), (0, 5, 0.0625), (1, 7, 0.0703125), (6, 0, 0.03125)])
def test_the_sign_test_is_exact(better: int, worse: int, p: float) -> None:
    """Small tables agree with the binomial distribution, counted by hand."""
    assert sign_test(better, worse) == pytest.approx(p, rel=1e-12)


@given(st.integers(0, 300), st.integers(0, 300))
def test_the_sign_test_is_symmetric_and_agrees_with_a_sum_of_fractions(better: int, worse: int) -> None:
    """Swapping the sides changes nothing; the logarithms of the implementation lose nothing that matters."""
    total = better + worse
    tail = sum((Fraction(math.comb(total, i), 2**total) for i in range(min(better, worse) + 1)), Fraction(0))

    assert sign_test(better, worse) == sign_test(worse, better)
    assert sign_test(better, worse) == pytest.approx(float(min(Fraction(1), 2 * tail)), rel=1e-9)


def test_the_sign_test_refuses_what_is_no_count() -> None:
    """A negative count is a mistake of the caller."""
    with pytest.raises(ValueError, match="no counts"):
        sign_test(-1, 2)


@pytest.mark.parametrize(
    ("table", "low", "high"), [((36, 12, 2, 0), -0.3404, -0.0569), ((54, 0, 0, 0), -0.0664, 0.0664)]
)
def test_paired_differences_have_the_published_intervals(
    table: tuple[int, int, int, int], low: float, high: float
) -> None:
    """Newcombe's examples (1998, method 10), the second proportion less the first."""
    assert paired_difference(*table) == pytest.approx((low, high), abs=5e-5)


@given(*[st.integers(0, 200)] * 4)
def test_paired_differences_hold_the_difference_and_mirror(both: int, first: int, second: int, neither: int) -> None:
    """-1 <= low <= difference <= high <= 1, and swapping the two turns the sign; no pairs, no interval."""
    ends = paired_difference(both, first, second, neither)
    mirrored = paired_difference(both, second, first, neither)

    if not both + first + second + neither:
        assert ends is None
        return
    assert ends is not None
    assert mirrored is not None
    difference = (second - first) / (both + first + second + neither)
    assert -1 - 1e-9 <= ends[0] <= difference + 1e-9
    assert difference - 1e-9 <= ends[1] <= 1 + 1e-9
    assert ends == pytest.approx((-mirrored[1], -mirrored[0]))


def test_the_interval_of_a_mean_is_the_textbooks() -> None:
    """Mean and standard error by hand: 1, 2, 3 and 4 have mean 2.5 and standard error 0.6455."""
    assert mean_interval([1, 2, 3, 4]) == pytest.approx((2.5 - 1.96 * 0.6455, 2.5 + 1.96 * 0.6455), abs=1e-3)


@pytest.mark.parametrize("values", [[], [0.5], [0.5, 0.5, 0.5]])
def test_what_does_not_vary_has_no_interval(values: list[float]) -> None:
    """Nothing can be told from values that are all the same, and no false certainty."""
    assert mean_interval(values) is None


GROUPS = st.lists(st.integers(0, 20).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))), max_size=8)


@given(GROUPS)
def test_groups_of_like_trials_never_narrow_the_interval(groups: list[tuple[int, int]]) -> None:
    """It holds the rate and Wilson's interval of independent trials; groups of one trial give that interval itself."""
    hits, total = sum(h for h, _ in groups), sum(n for _, n in groups)
    ends, plain = clustered_wilson(groups), wilson(hits, total)

    if ends is None or plain is None:
        assert ends is plain is None
        return
    assert 0 <= ends[0] <= plain[0] + 1e-9
    assert plain[1] - 1e-9 <= ends[1] <= 1
    assert clustered_wilson([(1, 1)] * hits + [(0, 1)] * (total - hits)) == plain


def test_groups_that_don_t_differ_more_than_chance_cost_nothing() -> None:
    """The design effect is 1 where every group has the same rate, and 10 where groups of ten agree."""
    assert clustered_wilson([(5, 10)] * 6) == wilson(30, 60)
    ends, few = clustered_wilson([(10, 10), (0, 10)] * 50), wilson(50, 100)
    assert ends == pytest.approx(few, abs=0.002)
