"""Which containers are in a value more than once. Another program is to see that: `[[0] * 3] * 3` has one row."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from typing import Any

_HOLDING = (list, tuple, dict, deque)
_CONTAINERS = (*_HOLDING, set, bytearray)
_ESCAPED = 12
"""Characters that stand in JSON for one that is not ASCII, at most."""
_LEAVES = frozenset({str, bool, int, float, type(None)})


def shared_in(value: list[Any], most: int) -> dict[int, int]:
    """Return a number for each container that is in the value more than once, by its identity: tuples, too.

    None are told of a value that is nested in itself, or deeper than `most`: that travels without.
    """
    heights: dict[int, int] = {}
    """How deep it goes in what was gone through."""
    several: dict[int, int] = {}
    begun = {id(value)}
    trail = [(value, _inner(value), 1)]
    while trail:
        holder, rest, height = trail.pop()
        for item in rest:
            if type(item) in _LEAVES or not issubclass(type(item), _CONTAINERS):
                continue
            if id(item) in heights:
                several.setdefault(id(item), len(several))
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
    return several if heights[id(value)] <= most + 1 else {}


def _inner(value: Any) -> Iterator[Any]:
    """Return what may hold something: keys and members can't change, and hold nothing that can."""
    kind = type(value)
    if issubclass(kind, dict):
        return iter(dict.values(value))
    base = next((base for base in _HOLDING if issubclass(kind, base)), None)
    if base is None or (kind is list and _LEAVES.issuperset(map(type, value))):
        return iter(())
    return iter(base.__iter__(value))


def weight_of(body: Any, weights: dict[int, int]) -> int:
    """Return about how many characters an encoded value is where nothing in it is named instead of written.

    `weights` are those of what was labelled before; the host counts the same way.
    """
    if type(body) is str:
        return len(body) if body.isascii() else _ESCAPED * len(body)
    if type(body) is list:
        return sum(weight_of(item, weights) if type(item) in {str, list, dict} else 1 for item in body)
    if type(body) is not dict:
        return 1
    if body.get("t") in {"&", "="}:
        return weights[body["n"] if body["t"] == "&" else body["v"]]
    return sum(weight_of(item, weights) for item in body.values())
