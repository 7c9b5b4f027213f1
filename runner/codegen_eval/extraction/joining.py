"""Blocks that need each other: a helper in one, the function that calls it in another."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Mapping, Sequence

from .version import Version

MOST_JOINED = 8


class Neighbours:
    """The blocks of a reply that may be joined."""

    def __init__(self, blocks: Mapping[int, Version]) -> None:
        self._blocks = {place: block for place, block in blocks.items() if not block.outline.is_cut}
        self._places: dict[str, list[int]] = {}
        for place in sorted(self._blocks):
            for name in self._blocks[place].outline.bound:
                self._places.setdefault(name, []).append(place)

    def join(self, place: int, version: Version, *, but: str) -> str | None:
        """Return the code of one block after those that define what it uses; None where it needs none of them.

        Names are compared as words: nothing is parsed. `but` is what it defines itself in any case.
        """
        if "__future__" in version.code:
            return None
        needed = sorted(version.outline.missing)
        seen = {*needed, but} | version.outline.bound
        found: set[int] = set()
        while needed and len(found) < MOST_JOINED:
            other = self._nearest(needed.pop(), place)
            if other is None or other in found:
                continue
            found.add(other)
            more = self._blocks[other].outline.missing - seen
            seen |= more
            needed += sorted(more)
        if not found:
            return None
        return "\n\n\n".join((*(self._blocks[other].code.rstrip() for other in sorted(found)), version.code))

    def _nearest(self, name: str, place: int) -> int | None:
        """Return the last block before `place`, or else the first after it, that defines a name."""
        places: Sequence[int] = self._places.get(name, ())
        at = bisect_left(places, place)
        if at:
            return places[at - 1]
        after = places[at:][:2]
        return next((other for other in after if other != place), None)
