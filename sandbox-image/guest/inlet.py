"""What the host has sent for a worker and the worker has not taken yet."""

from __future__ import annotations

import os

import wire


class Inlet:
    """One preallocated buffer. The host has at most `wire.WINDOW` bytes under way, so it never overflows.

    The host's next frames can be read while a worker takes nothing: its order to end that worker is never stuck behind
    what was meant for it.
    """

    def __init__(self) -> None:
        self._buffer = bytearray(wire.WINDOW + wire.CHUNK)
        self._start = self._stop = self._used = 0

    @property
    def waiting(self) -> int:
        """Bytes that are still to be written to the worker."""
        return self._stop - self._start

    def take(self, host: int, count: int) -> bool:
        """Read `count` bytes from the host, at most a chunk; False at end of file."""
        if self._stop + count > len(self._buffer):
            self._buffer[: self.waiting] = self._buffer[self._start : self._stop]
            self._start, self._stop = 0, self.waiting
        view = memoryview(self._buffer)
        goal = self._stop + count
        while self._stop < goal:
            got = os.readv(host, [view[self._stop : goal]])
            if not got:
                return False
            self._stop += got
        self._used = max(self._used, self._stop)
        return True

    def feed(self, worker: int) -> int:
        """Write what the worker takes now; return how many bytes it took.

        Raises:
            OSError: it reads no more.
        """
        taken = 0
        view = memoryview(self._buffer)
        try:
            while self.waiting:
                sent = os.write(worker, view[self._start : self._stop])
                self._start += sent
                taken += sent
        except BlockingIOError:
            pass
        if not self.waiting:
            self._start = self._stop = 0
        return taken

    def drop(self) -> int:
        """Forget what waits; return how many bytes that were."""
        dropped, self._start, self._stop = self.waiting, 0, 0
        return dropped

    def zero(self) -> None:
        """Leave nothing of what passed through: a fork inherits this memory."""
        self._buffer[: self._used] = bytes(self._used)
        self._start = self._stop = self._used = 0
