"""Infers Hypothesis strategies from arguments that were seen."""

from __future__ import annotations

import math
from collections.abc import Sequence

from hypothesis import strategies as st

_DEPTH = 6
_MOST_LETTERS = 200
_LONGEST = 40
"""Most items of a container, or letters of a text, that are drawn."""
_MOST_SHAPES = 8


def infer(calls: Sequence[tuple[object, ...]]) -> st.SearchStrategy[tuple[object, ...]] | None:
    """Return a strategy for the arguments of a call; None where they hold what can't be drawn."""
    lengths = {len(args) for args in calls}
    if len(lengths) != 1 or not calls[0]:
        return None
    columns = [_of([args[place] for args in calls], 0) for place in range(len(calls[0]))]
    drawn = [column for column in columns if column is not None]
    return st.tuples(*drawn) if len(drawn) == len(columns) else None


def _of(values: Sequence[object], depth: int) -> st.SearchStrategy[object] | None:
    """Return a strategy for values like these."""
    if depth > _DEPTH:
        return None
    kinds: dict[type, list[object]] = {}
    for value in values:
        kinds.setdefault(type(value), []).append(value)
    if len(kinds) > _MOST_SHAPES:
        return None
    found = [_of_kind(kind, same, depth) for kind, same in sorted(kinds.items(), key=lambda item: item[0].__name__)]
    drawn = [strategy for strategy in found if strategy is not None]
    return st.one_of(drawn) if drawn and len(drawn) == len(found) else None


def _of_kind(kind: type, values: list[object], depth: int) -> st.SearchStrategy[object] | None:
    if kind is type(None):
        return st.none()
    if kind is bool:
        return st.booleans()
    if kind is int:
        numbers = [value for value in values if isinstance(value, int)]
        return st.integers(min(numbers), max(numbers))
    if kind is float:
        floats = [value for value in values if isinstance(value, float) and math.isfinite(value)]
        return st.floats(min(floats), max(floats)) if floats else None
    if kind is str:
        return _texts([value for value in values if isinstance(value, str)])
    if kind in {list, tuple, set, frozenset}:
        return _containers(kind, values, depth)
    if kind is dict:
        maps = [value for value in values if isinstance(value, dict)]
        keys = _of([key for each in maps for key in each], depth + 1)
        items = _of([item for each in maps for item in each.values()], depth + 1)
        sizes = [len(each) for each in maps]
        if keys is None or items is None:
            return st.just({}) if not any(sizes) else None
        return st.dictionaries(keys, items, min_size=min(sizes), max_size=min(max(sizes), _LONGEST))
    return None


def _texts(texts: list[str]) -> st.SearchStrategy[object]:
    letters = sorted(set("".join(texts)))[:_MOST_LETTERS]
    sizes = [len(text) for text in texts]
    seen = st.sampled_from(sorted(set(texts))[:_MOST_LETTERS])
    if not letters:
        return seen
    drawn = st.text(st.sampled_from(letters), min_size=min(*sizes, _LONGEST), max_size=min(max(sizes), _LONGEST))
    return st.one_of(seen, drawn)


def _containers(kind: type, values: list[object], depth: int) -> st.SearchStrategy[object] | None:
    """Return a strategy for lists, tuples or sets. Tuples of one length are records, with a strategy for each place."""
    held = [list(value) for value in values if isinstance(value, list | tuple | set | frozenset)]
    sizes = [len(each) for each in held]
    if kind is tuple and len(set(sizes)) == 1 and sizes[0]:
        places = [_of([each[place] for each in held], depth + 1) for place in range(sizes[0])]
        drawn = [place for place in places if place is not None]
        return st.tuples(*drawn) if len(drawn) == len(places) else None
    items = _of([item for each in held for item in each], depth + 1)
    if items is None:
        return st.just(kind()) if not any(sizes) else None
    smallest, largest = min(*sizes, _LONGEST), min(max(sizes), _LONGEST)
    if kind in {set, frozenset}:
        return st.frozensets(items, min_size=0, max_size=largest).map(kind)
    return st.lists(items, min_size=smallest, max_size=largest).map(kind)
