"""Laws about guests that never stop talking: every wait ends, and what is kept of what they say is bounded."""

from __future__ import annotations

import contextlib
import socket
import threading
import time
import tracemalloc
from concurrent.futures import ThreadPoolExecutor

import pytest

from codegen_eval.interfaces import EndReason, WorkerEnd, WorkerLimits
from codegen_eval.sandbox import wire
from codegen_eval.sandbox.session import GuestSession
from fuzz_target import WORKDIR, answer, ready, said

LIMITS = WorkerLimits(cpu_seconds=1, reply_bytes=1 << 16)
TALK = {
    "of a worker that is over": said(wire.FROM_WORKER, 7, b"x" * 50_000),
    "nothing at all": said(wire.FROM_WORKER, 1, b"") * 1000,
    "of what nobody asked for": said(wire.FROM_WORKER, 1, wire.UP + answer(b"{}") * 1000),
}


class Talker:
    """The stream of a guest that says *ready*, and from the first word of the host the same again and again."""

    def __init__(self, words: bytes) -> None:
        self._ours, self._theirs = socket.socketpair()
        self._ours.setblocking(False)
        self._words = words
        self._thread = threading.Thread(target=self._talk)
        self._thread.start()

    def _talk(self) -> None:
        with contextlib.suppress(OSError):
            self._theirs.sendall(ready())
            self._theirs.recv(1)
            while True:
                self._theirs.sendall(self._words)
        self._theirs.close()

    def fileno(self) -> int:
        """Return the descriptor to poll."""
        return self._ours.fileno()

    def send(self, data: memoryview) -> int:
        """Write some of `data`."""
        return self._ours.send(data)

    def recv(self) -> bytes | None:
        """Return what has come."""
        try:
            return self._ours.recv(1 << 17)
        except BlockingIOError:
            return None

    def close(self) -> None:
        """Hang up."""
        with contextlib.suppress(OSError):
            self._ours.shutdown(socket.SHUT_RDWR)
        self._ours.close()
        self._thread.join()


def listen(words: bytes) -> WorkerEnd:
    """Ask such a guest something; return how that ended."""
    session = GuestSession(Talker(words), workdir=WORKDIR, ready_seconds=5)
    session.spawn(LIMITS)
    session.exchange(b"", 1, 0.2)
    end = session.end()
    session.close()
    return end


@pytest.mark.slow
def test_a_guest_that_never_stops_talking_is_given_up() -> None:
    """Whatever it goes on saying, the sandbox is lost after the wall limit and the time a supervisor has to obey."""
    tracemalloc.start()
    started = time.monotonic()

    with ThreadPoolExecutor(len(TALK)) as executor:
        ends = list(executor.map(listen, TALK.values()))

    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert {end.reason for end in ends} == {EndReason.SANDBOX_LOST}
    assert time.monotonic() - started < 30
    assert peak < 16 << 20
