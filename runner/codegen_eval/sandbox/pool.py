"""Sandboxes started ahead of their use, each used exactly once."""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass

from codegen_eval.errors import EnvironmentFaultError, SandboxUnavailableError
from codegen_eval.interfaces import Sandbox

_MAX_AGE_SECONDS = 300.0
"""A guest that hears nothing for long ends itself; one that waited longer than this is replaced before use."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Prestarted:
    """A sandbox that is ready, and how to see that it still is."""

    sandbox: Sandbox
    alive: Callable[[], bool]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Waiting:
    """What a start gave, in the order of starting."""

    outcome: Prestarted | EnvironmentFaultError
    since: float


class Pool:
    """Keep up to `size` sandboxes ready; `threads` threads start them.

    A start that fails takes the place of a sandbox until an `open` collects the failure, so a broken engine is asked
    once for each `open` and not in a loop. Never more than `expected` sandboxes are started unasked.
    """

    def __init__(self, start: Callable[[], Prestarted], *, size: int, threads: int, expected: int | None) -> None:
        self._start = start
        self._size = size
        self._left = expected
        self._changed = threading.Condition()
        self._ready: deque[_Waiting] = deque()
        self._starting = 0
        self._openers = 0
        self._closed = False
        self._python: str | None = None
        self._threads = [
            threading.Thread(target=self._work, name=f"sandbox-start-{number}", daemon=True)
            for number in range(threads)
        ]
        self._running = False

    def warm(self) -> None:
        """Begin to start sandboxes; return at once."""
        with self._changed:
            if not self._running and not self._closed:
                self._running = True
                for thread in self._threads:
                    thread.start()

    def open(self, *, seconds: float) -> Sandbox:
        """Take a sandbox that is ready, waiting for one if need be.

        Raises:
            SandboxLostError, SandboxUnavailableError: the start failed, or took longer than `seconds`.
        """
        self.warm()
        deadline = time.monotonic() + seconds
        with self._changed:
            self._openers += 1
            self._changed.notify_all()
            try:
                while True:
                    waiting = self._await_first(deadline)
                    self._ready.popleft()
                    if isinstance(waiting.outcome, EnvironmentFaultError):
                        raise waiting.outcome
                    if time.monotonic() - waiting.since < _MAX_AGE_SECONDS and waiting.outcome.alive():
                        return waiting.outcome.sandbox
                    waiting.outcome.sandbox.close()
                    self._changed.notify_all()
            finally:
                self._openers -= 1
                if self._left is not None:
                    self._left = max(0, self._left - 1)
                self._changed.notify_all()

    def python(self, *, seconds: float) -> str:
        """Return the version of the Python inside, as the first sandbox tells it. Takes no sandbox.

        Raises:
            SandboxLostError, SandboxUnavailableError: as `open`.
        """
        self.warm()
        deadline = time.monotonic() + seconds
        with self._changed:
            self._openers += 1
            self._changed.notify_all()
            try:
                # others may take every sandbox before this thread sees it, and may be done before it looks
                while self._python is None:
                    if self._ready and isinstance(failure := self._ready[0].outcome, EnvironmentFaultError):
                        raise failure
                    self._wait(deadline)
            finally:
                self._openers -= 1
            return self._python

    def close(self, *, seconds: float) -> None:
        """Close what is ready and what becomes ready; wait up to `seconds` for starts under way."""
        with self._changed:
            self._closed = True
            ready, self._ready = self._ready, deque()
            self._changed.notify_all()
            threads = self._threads if self._running else []
        for waiting in ready:
            if isinstance(waiting.outcome, Prestarted):
                waiting.outcome.sandbox.close()
        deadline = time.monotonic() + seconds
        for thread in threads:
            thread.join(max(0.0, deadline - time.monotonic()))

    def _await_first(self, deadline: float) -> _Waiting:
        """Return the oldest outcome and leave it there. The lock is held."""
        while not self._ready:
            self._wait(deadline)
        return self._ready[0]

    def _wait(self, deadline: float) -> None:
        """Wait until something has changed. The lock is held."""
        left = deadline - time.monotonic()
        if self._closed:
            raise SandboxUnavailableError("the sandbox provider is closed")
        if left <= 0:
            raise SandboxUnavailableError("no sandbox came up in time", hint="run `evalrun doctor`")
        self._changed.wait(left)

    def _work(self) -> None:
        """Start sandboxes while they are wanted."""
        while True:
            with self._changed:
                while not self._closed and not self._wanted():
                    self._changed.wait()
                if self._closed:
                    return
                self._starting += 1
            outcome: Prestarted | EnvironmentFaultError
            try:
                outcome = self._start()
            except EnvironmentFaultError as exc:
                outcome = exc
            with self._changed:
                self._starting -= 1
                closed = self._closed
                if isinstance(outcome, Prestarted):
                    self._python = outcome.sandbox.python
                if not closed:
                    self._ready.append(_Waiting(outcome=outcome, since=time.monotonic()))
                    self._changed.notify_all()
            if closed and isinstance(outcome, Prestarted):
                outcome.sandbox.close()

    def _wanted(self) -> bool:
        """Say whether one more start is called for. The lock is held."""
        coming = len(self._ready) + self._starting
        ahead = self._size if self._left is None else min(self._size, self._left)
        return coming < max(ahead, self._openers)
