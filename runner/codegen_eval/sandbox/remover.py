"""Removes containers behind the run's back, and knows what it could not remove."""

from __future__ import annotations

import threading
import time
from collections import deque
from typing import Protocol

from codegen_eval.errors import EnvironmentFaultError

_TRIES = 3
_PATIENCE_SECONDS = 10.0
"""How long a removal that the engine is already at may take."""
_AGAIN_SECONDS = 0.02
_GRACE_SECONDS = 0.3
"""An engine removes by itself what has ended; asked sooner, it would do the work twice."""


class RemoverEngine(Protocol):
    """What removing needs of an engine."""

    def remove(self, container: str) -> bool:
        """Kill and remove a container; say whether it is gone. False: the engine is at it, ask again."""


class Remover:
    """A queue of containers to remove and one thread that does it."""

    def __init__(self, engine: RemoverEngine) -> None:
        self._engine = engine
        self._changed = threading.Condition()
        self._queue: deque[tuple[str, float]] = deque()
        """What to remove, and when it was handed in."""
        self._busy: str | None = None
        self._failed: list[str] = []
        self._closed = False
        self._thread = threading.Thread(target=self._work, name="sandbox-remove", daemon=True)
        self._running = False

    def submit(self, container: str) -> None:
        """Have a container removed; return at once."""
        with self._changed:
            self._queue.append((container, time.monotonic()))
            if not self._running:
                self._running = True
                self._thread.start()
            self._changed.notify_all()

    def close(self, *, seconds: float) -> tuple[str, ...]:
        """Finish the queue within `seconds`; return the ids of what is still there."""
        with self._changed:
            self._closed = True
            self._changed.notify_all()
        if self._running:
            self._thread.join(seconds)
        return self.remaining

    @property
    def remaining(self) -> tuple[str, ...]:
        """The ids of what could not be removed, or is not removed yet once closed."""
        with self._changed:
            pending = (
                [*(each for each, _ in self._queue), *([self._busy] if self._busy else [])] if self._closed else []
            )
            return (*self._failed, *pending)

    def _work(self) -> None:
        while True:
            with self._changed:
                while not self._queue and not self._closed:
                    self._changed.wait()
                if not self._queue:
                    return
                container, since = self._queue[0]
                left = since + _GRACE_SECONDS - time.monotonic()
                if left > 0 and not self._closed:
                    self._changed.wait(left)
                    continue
                self._queue.popleft()
                self._busy = container
            gone = self._remove(container)
            with self._changed:
                self._busy = None
                if not gone:
                    self._failed.append(container)

    def _remove(self, container: str) -> bool:
        """Remove one; say whether it is gone."""
        failures = 0
        deadline = time.monotonic() + _PATIENCE_SECONDS
        while True:
            try:
                if self._engine.remove(container):
                    return True
            except EnvironmentFaultError:
                failures += 1
            if failures >= _TRIES or time.monotonic() > deadline:
                return False
            with self._changed:
                self._changed.wait(_AGAIN_SECONDS)
