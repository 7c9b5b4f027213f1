"""How many calls are open at once: fewer after an overload, slowly more while all goes well."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from threading import Condition


class AdaptiveLimit:
    """Additive increase, multiplicative decrease, across threads.

    An overload halves the limit; as many answers in a row as the limit is raise it by one, up to the maximum. Calls
    that were open when the limit fell say nothing new if they fail as well: one burst halves once.
    """

    def __init__(self, maximum: int) -> None:
        self._maximum = max(1, maximum)
        self._limit = float(self._maximum)
        self._open = 0
        self._epoch = 0
        self._changed = Condition()

    @property
    def limit(self) -> int:
        """How many calls may be open now."""
        return int(self._limit)

    @contextmanager
    def slot(self) -> Iterator[int]:
        """Wait for a place, and hold it; give the epoch in which it was had, for `overloaded`."""
        with self._changed:
            self._changed.wait_for(lambda: self._open < int(self._limit))
            self._open += 1
            epoch = self._epoch
        try:
            yield epoch
        finally:
            with self._changed:
                self._open -= 1
                self._changed.notify_all()

    def overloaded(self, epoch: int) -> None:
        """Halve the limit, unless it fell since that epoch."""
        with self._changed:
            if epoch == self._epoch:
                self._epoch += 1
                self._limit = max(1.0, int(self._limit) / 2)

    def answered(self) -> None:
        """Raise the limit a little."""
        with self._changed:
            self._limit = min(float(self._maximum), self._limit + 1 / int(self._limit))
            self._changed.notify_all()
