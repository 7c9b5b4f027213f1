"""Laws of strategies that are inferred from arguments."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from codegen_eval.suite.inference import infer

_LEAVES = st.none() | st.booleans() | st.integers(-99, 99) | st.floats(-9, 9) | st.text("abc", max_size=4)
_ARGUMENTS = st.recursive(
    _LEAVES,
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.tuples(inner, inner)
        | st.dictionaries(st.text("ab", max_size=2), inner, max_size=2)
    ),
    max_leaves=8,
)


@given(st.lists(st.tuples(_ARGUMENTS, st.integers(-5, 5)), min_size=1, max_size=4), st.data())
def test_what_is_drawn_looks_like_what_was_seen(calls: list[tuple[object, ...]], data: st.DataObject) -> None:
    """Drawn arguments are as many, and each of a type that was seen in its place, in the range that was seen."""
    strategy = infer(calls)
    if strategy is None:
        return
    drawn = data.draw(strategy)

    assert len(drawn) == len(calls[0])
    assert type(drawn[0]) in {type(call[0]) for call in calls}
    numbers = [call[1] for call in calls if isinstance(call[1], int)]
    assert isinstance(drawn[1], int)
    assert min(numbers) <= drawn[1] <= max(numbers)


@given(st.lists(st.lists(st.integers(0, 9), max_size=6), min_size=1, max_size=4), st.data())
def test_containers_are_no_longer_than_those_seen(lists: list[list[int]], data: st.DataObject) -> None:
    """A list is drawn between the shortest and the longest, of items between the smallest and the largest."""
    strategy = infer([(each,) for each in lists])
    assert strategy is not None
    (drawn,) = data.draw(strategy)

    assert isinstance(drawn, list)
    assert min(map(len, lists)) <= len(drawn) <= max(map(len, lists))
    assert set(drawn) <= set(range(10))


def test_what_can_not_be_drawn_gives_no_strategy() -> None:
    """Calls of different lengths, without arguments, or with values of no plain type give none."""
    for calls in ([(1,), (1, 2)], [()], [(object(),)], [([object()],)], [(float("nan"),)]):
        assert infer(calls) is None
