"""Laws of the statistics."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from codegen_eval.stats import wilson


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
