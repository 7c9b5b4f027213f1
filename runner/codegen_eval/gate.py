"""A gate for work that may run side by side and work that must run alone."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Iterator


class Gate:
    """Many may be inside together, or one alone. Whoever waits to be alone goes before newcomers."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._inside = 0
        self._waiting = 0

    @contextlib.contextmanager
    def together(self) -> Iterator[None]:
        """Be inside with others."""
        with self._changed:
            self._changed.wait_for(lambda: self._inside >= 0 and not self._waiting)
            self._inside += 1
        try:
            yield
        finally:
            with self._changed:
                self._inside -= 1
                self._changed.notify_all()

    @contextlib.contextmanager
    def alone(self) -> Iterator[None]:
        """Be the only one inside."""
        with self._changed:
            self._waiting += 1
            self._changed.wait_for(lambda: self._inside == 0)
            self._waiting -= 1
            self._inside = -1
        try:
            yield
        finally:
            with self._changed:
                self._inside = 0
                self._changed.notify_all()
