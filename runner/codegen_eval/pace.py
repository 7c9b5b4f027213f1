"""How fast work goes and when it will be done, from the times at which pieces of it were finished."""

from __future__ import annotations

from collections import deque

_LATEST = 1000
"""So many of the latest pieces say how fast it goes."""
_LEAST = 5
"""Fewer say nothing."""


class Pace:
    """Estimates how long the rest takes. Pieces that were done before, and are only read again, are no speed."""

    def __init__(self, total: int, *, now: float) -> None:
        """Begin, at a time in seconds of any clock that never goes back."""
        self.total = total
        self.done = 0
        """Pieces that are done, however."""
        self._times: deque[float] = deque([now], maxlen=_LATEST + 1)
        """When work began, then the end of each piece; of the latest ones where there are many."""

    def advance(self, *, now: float, recalled: bool = False) -> None:
        """Count a piece; `recalled` where it cost no work."""
        self.done += 1
        if not recalled:
            self._times.append(now)
        elif len(self._times) == 1:
            self._times[0] = now  # work has not begun

    def seconds_left(self) -> float | None:
        """Return how long the rest takes, if all of it is work; None where too little is done to say."""
        pieces = len(self._times) - 1
        left = max(0, self.total - self.done)
        if left and pieces < _LEAST:
            return None
        return left * (self._times[-1] - self._times[0]) / pieces if left else 0.0
