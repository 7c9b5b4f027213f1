"""Laws of estimates: of the work that was done alone, whatever was read again."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from codegen_eval.pace import Pace


@given(st.integers(5, 3000), st.integers(0, 50_000), st.floats(0.01, 100))
def test_even_work_takes_what_it_took(done: int, left: int, each: float) -> None:
    """Where each piece takes as long, the rest takes so long for each of its pieces."""
    pace = Pace(done + left, now=7.0)
    for number in range(done):
        pace.advance(now=7.0 + each * (number + 1))

    assert pace.done == done
    assert pace.seconds_left() == pytest.approx(left * each)


@given(st.integers(0, 5000), st.floats(0, 100))
def test_what_was_done_before_is_no_speed(recalled: int, reading: float) -> None:
    """After a resume the rest is reckoned by what is judged now, however many pieces were only read again."""
    pace = Pace(recalled + 30, now=0.0)
    for number in range(recalled):
        pace.advance(now=reading * (number + 1) / recalled, recalled=True)
    begun = reading if recalled else 0.0
    for number in range(10):
        pace.advance(now=begun + 2.0 * (number + 1))

    assert pace.seconds_left() == pytest.approx(40.0)


def test_too_little_says_nothing() -> None:
    """Nothing is said of the rest before some pieces of work are done; where nothing is left, it takes no time."""
    pace = Pace(6, now=0.0)
    for number in range(4):
        pace.advance(now=number + 1.0)
    pace.advance(now=4.5, recalled=True)

    assert pace.seconds_left() is None
    pace.advance(now=5.0, recalled=True)
    assert pace.seconds_left() == 0


def test_the_latest_pieces_count() -> None:
    """Where work has become slower for long, the beginning is forgotten."""
    pace = Pace(5000, now=0.0)
    for number in range(1000):
        pace.advance(now=0.001 * number)
    for number in range(1000):
        pace.advance(now=1.0 + 3.0 * (number + 1))

    assert pace.seconds_left() == pytest.approx(9000.0, rel=0.01)
