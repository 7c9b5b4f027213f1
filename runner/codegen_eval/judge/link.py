"""The line between a judge and the orchestrator: the judge's side is a `Sandbox`, the other side relays to a real one.

Bytes of the worker cross it unparsed.
"""

from __future__ import annotations

import json
import math
import struct
import time
from multiprocessing.connection import Connection

from codegen_eval.interfaces import EndReason, Exchange, Sandbox, WorkerEnd, WorkerLimits

SPAWN, EXCHANGE, END, DONE = b"S", b"X", b"E", b"D"
REFERENCE = b"R"
"""Stands before a message that is for the reference's sandbox and not for the solution's."""
_EXCHANGE = struct.Struct("!Idd")
_LIMITS = struct.Struct("!dQQ")
_HEAD = struct.Struct("!I")
MAX_MESSAGE = 160 << 20
_LEAST_WAIT_SECONDS = 0.05
"""What is still waited when nothing is left: a mutant that needs no time has its answer by then."""


class LinkedSandbox:
    """A sandbox at the other end of a connection."""

    def __init__(self, connection: Connection, *, workdir: str, python: str, address: bytes = b"") -> None:
        self._connection = connection
        self._address = address
        self._workdir = workdir
        self._python = python
        self._wait_seconds = 0.0

    def grant(self, seconds: float) -> None:
        """Set how long all coming exchanges may wait, together; what is over ends a worker as a wall limit does."""
        self._wait_seconds = seconds

    @property
    def workdir(self) -> str:
        """Absolute path of the worker's own directory inside the sandbox."""
        return self._workdir

    @property
    def python(self) -> str:
        """Version of the Python inside."""
        return self._python

    @property
    def lost(self) -> bool:
        """Known to its owner only."""
        return False

    def spawn(self, limits: WorkerLimits) -> None:
        """Start a fresh worker."""
        self._connection.send_bytes(
            self._address + SPAWN + _LIMITS.pack(limits.cpu_seconds, limits.output_bytes, limits.reply_bytes)
        )

    def exchange(
        self, request: bytes, replies: int, wall_seconds: float, *, total_seconds: float = math.inf
    ) -> Exchange:
        """Send a request and collect frames."""
        total_seconds = min(total_seconds, max(self._wait_seconds, _LEAST_WAIT_SECONDS))
        started = time.monotonic()
        head = self._address + EXCHANGE + _EXCHANGE.pack(replies, wall_seconds, total_seconds)
        self._connection.send_bytes(head + request)
        exchange = _unpack(self._connection.recv_bytes(MAX_MESSAGE))
        self._wait_seconds -= time.monotonic() - started
        return exchange

    def end(self) -> WorkerEnd:
        """End the worker."""
        self._connection.send_bytes(self._address + END)
        end = _unpack(self._connection.recv_bytes(MAX_MESSAGE)).end
        if end is None:
            raise ConnectionError("the orchestrator did not say how the worker ended")
        return end

    def close(self) -> None:
        """Leave the sandbox to its owner."""


def relay(message: bytes, sandbox: Sandbox) -> bytes | None:
    """Do for a judge what it asked of the sandbox; return the answer to send, None where it waits for none."""
    kind = message[:1]
    if kind == SPAWN:
        cpu_seconds, output_bytes, reply_bytes = _LIMITS.unpack(message[1:])
        sandbox.spawn(WorkerLimits(cpu_seconds=cpu_seconds, output_bytes=output_bytes, reply_bytes=reply_bytes))
        return None
    if kind == EXCHANGE:
        replies, wall_seconds, total_seconds = _EXCHANGE.unpack_from(message, 1)
        request = message[1 + _EXCHANGE.size :]
        return _pack(sandbox.exchange(request, replies, wall_seconds, total_seconds=total_seconds))
    if kind == END:
        return _pack(Exchange(frames=(), end=sandbox.end()))
    raise ValueError("not a message of a judge")


def _pack(exchange: Exchange) -> bytes:
    end = exchange.end
    told = None if end is None else [end.reason, end.status, end.cpu_seconds, end.surplus_bytes, end.lingering, end.up]
    head = json.dumps({"lengths": [len(frame) for frame in exchange.frames], "end": told}).encode()
    return b"".join((_HEAD.pack(len(head)), head, *exchange.frames))


def _unpack(message: bytes) -> Exchange:
    (size,) = _HEAD.unpack_from(message)
    start = _HEAD.size + size
    head = json.loads(message[_HEAD.size : start])
    frames: list[bytes] = []
    for length in head["lengths"]:
        frames.append(message[start : start + length])
        start += length
    end = None
    if head["end"] is not None:
        reason, status, cpu_seconds, surplus, lingering, up = head["end"]
        end = WorkerEnd(
            reason=EndReason(reason),
            status=status,
            cpu_seconds=cpu_seconds,
            surplus_bytes=surplus,
            lingering=lingering,
            up=up,
        )
    return Exchange(frames=tuple(frames), end=end)
