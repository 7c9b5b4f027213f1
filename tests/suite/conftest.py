"""Two sandboxes for all tests of a module."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from suite_bench import Judging, Pair, judge_in, two_sandboxes


@pytest.fixture(scope="module")
def sandboxes() -> Iterator[Pair]:
    """Give a sandbox for the solution and one for the tests."""
    with two_sandboxes() as pair:
        yield pair


@pytest.fixture
def judge(sandboxes: Pair) -> Judging:
    """Give a function that judges a source by a suite."""
    return judge_in(sandboxes)
