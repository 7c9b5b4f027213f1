"""Properties of `moving_average`."""

from __future__ import annotations

from collections.abc import Callable

from hypothesis import strategies as st

from codegen_eval.task import Property, prop
from codegen_eval.verdict import FailureClass as F

_INTEGERS = st.lists(st.integers(-1000, 1000), max_size=8)
_FLOATS = st.lists(st.floats(-1000, 1000, allow_nan=False), max_size=8)
_WINDOWS = st.integers(1, 10)
_TOLERANCE = 1e-6


@prop(F.MISSED_EDGE_CASE, values=_INTEGERS, window=_WINDOWS)
def one_mean_for_each_full_window(candidate: Callable[..., object], values: list[int], window: int) -> None:
    """There are `n - window + 1` means, none where that is below one."""
    means = candidate(values, window)
    assert isinstance(means, list)
    assert len(means) == max(0, len(values) - window + 1)


@prop(F.WRONG_LOGIC, values=_FLOATS, window=_WINDOWS)
def each_is_the_mean_of_its_window(candidate: Callable[..., object], values: list[float], window: int) -> None:
    """Every mean is the sum of its group, divided by the window."""
    means = candidate(values, window)
    assert isinstance(means, list)
    groups = [values[start : start + window] for start in range(len(values) - window + 1)]
    for mean, group in zip(means, groups, strict=False):
        assert abs(mean - sum(group) / window) <= _TOLERANCE


@prop(F.SILENT_TYPE_ERROR, values=_INTEGERS, window=st.integers(1, 3))
def integers_give_floats(candidate: Callable[..., object], values: list[int], window: int) -> None:
    """No mean is an int, whatever the values are."""
    means = candidate(values, window)
    assert isinstance(means, list)
    assert all(type(mean) is float for mean in means)


@prop(F.MISSED_EDGE_CASE, values=_INTEGERS, window=st.integers(-5, 0))
def windows_below_one_are_refused(candidate: Callable[..., object], values: list[int], window: int) -> None:
    """Zero and less raise ValueError."""
    try:
        means = candidate(values, window)
    except ValueError:
        return
    raise AssertionError(f"window {window} gave {means!r}")


PROPERTIES: tuple[Property, ...] = (
    one_mean_for_each_full_window,
    each_is_the_mean_of_its_window,
    integers_give_floats,
    windows_below_one_are_refused,
)
