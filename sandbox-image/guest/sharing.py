"""Which containers are in a value more than once. Another program is to see that: `[[0] * 3] * 3` has one row."""

from __future__ import annotations

from collections import Counter, OrderedDict, defaultdict, deque
from collections.abc import Iterator
from typing import Any

_TABLES: frozenset[type] = frozenset({dict, Counter, OrderedDict, defaultdict})
_HOLDING = frozenset({list, tuple, deque, set, bytearray}) | _TABLES
"""By exact type: what the solution's own classes hold is read otherwise, and never shared."""
_LEAVES = frozenset({str, bool, int, float, type(None)})


def shared_in(value: Any, most: int) -> dict[int, int]:
    """Return a number for each container that can change and is in the value more than once, by its identity.

    None are told of a value that is nested in itself, or deeper than `most`: that travels without.
    """
    if type(value) not in _HOLDING:
        return {}
    heights: dict[int, int] = {}
    """How deep it goes in what was gone through."""
    several: dict[int, Any] = {}
    begun = {id(value)}
    trail = [(value, _inner(value), 1)]
    while trail:
        holder, rest, height = trail.pop()
        for item in rest:
            if type(item) not in _HOLDING:
                continue
            if id(item) in heights:
                several[id(item)] = item
                height = max(height, heights[id(item)] + 1)
                continue
            if id(item) in begun or len(trail) > most:
                return {}
            begun.add(id(item))
            trail += [(holder, rest, height), (item, _inner(item), 1)]
            break
        else:
            heights[id(holder)] = height
            if trail:
                above, others, high = trail.pop()
                trail.append((above, others, max(high, height + 1)))
    if heights[id(value)] > most:
        return {}
    changeable = (key for key, item in several.items() if type(item) is not tuple)
    return {key: number for number, key in enumerate(changeable)}


def _inner(value: Any) -> Iterator[Any]:
    """Return what may hold something: keys and members can't change, and hold nothing that can."""
    kind = type(value)
    if kind in _TABLES:
        return iter(dict.values(value))
    if kind in {set, bytearray} or (kind is list and _LEAVES.issuperset(map(type, value))):
        return iter(())
    return iter(kind.__iter__(value))
