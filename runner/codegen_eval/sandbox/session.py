"""One conversation with a guest: frames over a byte stream, a deadline on every wait."""

from __future__ import annotations

import dataclasses
import json
import math
import re
import select
import time
from collections import deque

from codegen_eval.errors import SandboxLostError
from codegen_eval.interfaces import EndReason, Exchange, GuestStream, WorkerEnd, WorkerLimits
from codegen_eval.sandbox import wire

_KILL_SECONDS = 10.0
"""How long the supervisor may take to end a worker before the sandbox is given up."""
_OVERTIME_SECONDS = 1.0
"""How long what is arriving at a deadline may go on arriving. A peer that never stops talking is over by then."""
_READY_BYTES = 4096
_CHUNK_BYTES = 1 << 17
_BATCH_BYTES = 64 << 20
"""What one exchange may bring in all."""


class _GoneError(Exception):
    """The stream ended or broke, or said what no supervisor says."""


class GuestSession:
    """A `Sandbox` over a stream to a guest that was just started.

    Raises:
        SandboxLostError: the guest did not say *ready* in time.
    """

    def __init__(self, stream: GuestStream, *, workdir: str, ready_seconds: float) -> None:
        self._stream = stream
        self._workdir = workdir
        self._poll = select.poll()
        self._inbox = bytearray()
        self._answers = bytearray()
        self._outbox = bytearray()
        self._waiting: deque[bytes] = deque()
        """Chunks to the worker that no window is open for yet: what ends the worker overtakes them."""
        self._under_way = 0
        """Bytes to the worker that were sent and not told as taken."""
        self._generation = 0
        self._limits = WorkerLimits(cpu_seconds=1)
        self._end: WorkerEnd | None = WorkerEnd(reason=EndReason.CLOSED, status=0, cpu_seconds=0)
        self._lost = False
        self._up = False
        """The worker has said that it is there."""
        self._python = self._await_ready(time.monotonic() + ready_seconds)

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
        """True once the sandbox is gone."""
        return self._lost

    def spawn(self, limits: WorkerLimits) -> None:
        """Start a fresh worker."""
        if self._end is None:
            self._post(wire.END, b"")  # what it still says is dropped by its generation
        self._waiting.clear()
        self._under_way = 0
        self._generation += 1
        self._limits = limits
        self._answers.clear()
        self._up = False
        self._end = self._lost_end() if self._lost else None
        payload = wire.SPAWN_PAYLOAD.pack(limits.cpu_seconds, limits.output_bytes)
        self._post(wire.SPAWN, payload)

    def exchange(
        self, request: bytes, replies: int, wall_seconds: float, *, total_seconds: float = math.inf
    ) -> Exchange:
        """Send `request`, collect up to `replies` frames, or one callback frame, or the end."""
        if self._answers and self._end is None:
            surplus = len(self._answers)
            self._finish(EndReason.CLOSED, surplus)
        frames: list[bytes] = []
        total = 0
        self._waiting.extend(request[at : at + wire.CHUNK] for at in range(0, len(request), wire.CHUNK))
        stop = time.monotonic() + total_seconds
        deadline = min(time.monotonic() + wall_seconds, stop)
        while len(frames) < replies:
            try:
                frame = self._next_frame()
            except _GoneError:
                self._finish(EndReason.GARBLED)
                break
            if frame is not None:
                total += len(frame)
                if total > _BATCH_BYTES:
                    self._finish(EndReason.OUTPUT)
                    break
                frames.append(frame)
                deadline = min(time.monotonic() + wall_seconds, stop)
                if is_callback(frame):
                    break
            elif self._end is not None:
                break
            elif not self._pump_until(deadline) or time.monotonic() > deadline + _OVERTIME_SECONDS:
                self._finish(EndReason.WALL)
        return Exchange(frames=tuple(frames), end=self._end if len(frames) < replies else None)

    def end(self) -> WorkerEnd:
        """End the worker and all that it started; return what it used."""
        if self._end is None:
            self._finish(EndReason.CLOSED)
        end = self._end
        if end is None:  # pragma: no cover - _finish sets it
            return self._lost_end()
        if self._answers and end.reason is EndReason.CLOSED:
            end = dataclasses.replace(end, surplus_bytes=len(self._answers))
            self._end = end
        return end

    def close(self) -> None:
        """Remove the sandbox."""
        self._lost = True
        self._stream.close()

    # --- frames -----------------------------------------------------------------------------------------------------

    def _next_frame(self) -> bytes | None:
        """Take one whole frame of the worker out of what has come, None where there is none yet."""
        if len(self._answers) < wire.FRAME.size:
            return None
        (length,) = wire.FRAME.unpack_from(self._answers)
        if length > self._limits.reply_bytes:
            raise _GoneError
        stop = wire.FRAME.size + length
        if len(self._answers) < stop:
            return None
        frame = bytes(self._answers[wire.FRAME.size : stop])
        del self._answers[:stop]
        return frame

    def _finish(self, reason: EndReason, surplus: int = 0) -> None:
        """Have the supervisor end the worker, and note why we did."""
        if self._end is None:
            self._waiting.clear()
            self._post(wire.END, b"")
            deadline = time.monotonic() + _KILL_SECONDS
            while self._end is None:
                arrived = self._pump_until(deadline)
                if self._end is None and (not arrived or time.monotonic() > deadline):
                    self._lose()
        end = self._end
        if end is not None and end.reason is EndReason.CLOSED:
            self._end = dataclasses.replace(end, reason=reason, surplus_bytes=surplus)

    def _post(self, kind: int, payload: bytes) -> None:
        self._outbox += wire.HEADER.pack(kind, self._generation, len(payload))
        self._outbox += payload

    def _await_ready(self, deadline: float) -> str:
        """Wait for the READY frame and check it; return the guest's Python version."""
        while True:
            if len(self._inbox) >= wire.HEADER.size:
                kind, _, length = wire.HEADER.unpack_from(self._inbox)
                if kind != wire.READY or length > _READY_BYTES:
                    break
                if len(self._inbox) >= wire.HEADER.size + length:
                    body = bytes(self._inbox[wire.HEADER.size : wire.HEADER.size + length])
                    del self._inbox[: wire.HEADER.size + length]
                    try:
                        return _check_ready(body)
                    except SandboxLostError:
                        self._stream.close()
                        raise
            try:
                arrived = self._transfer(deadline - time.monotonic())
            except (_GoneError, OSError):
                break
            if not arrived:
                break
        self._stream.close()
        seen = bytes(self._inbox[:200])
        raise SandboxLostError(f"the guest did not say ready; it said {seen!r}", hint="run `evalrun doctor`")

    # --- bytes ------------------------------------------------------------------------------------------------------

    def _pump_until(self, deadline: float) -> bool:
        """Move bytes both ways until something arrived; False where the deadline came first."""
        try:
            arrived = self._transfer(deadline - time.monotonic())
            self._sort()
        except (_GoneError, OSError):
            self._lose()
            return True
        return arrived

    def _transfer(self, seconds: float) -> bool:
        """Send what waits to be sent and receive what there is; False on a timeout."""
        stop = time.monotonic() + seconds
        while True:
            while self._waiting and self._under_way + len(self._waiting[0]) <= wire.WINDOW:
                self._under_way += len(self._waiting[0])
                self._post(wire.TO_WORKER, self._waiting.popleft())
            if self._outbox:
                sent = self._stream.send(memoryview(bytes(self._outbox[:_CHUNK_BYTES])))
                del self._outbox[:sent]
            data = self._stream.recv()
            if data == b"":
                raise _GoneError
            if data:
                self._inbox += data
                return True
            left = stop - time.monotonic()
            if left <= 0:
                return False
            wanted = select.POLLIN | (select.POLLOUT if self._outbox else 0)
            self._poll.register(self._stream.fileno(), wanted)
            self._poll.poll(left * 1000)

    def _sort(self) -> None:
        """Move whole and partial frames of the supervisor from the inbox to where they belong."""
        while len(self._inbox) >= wire.HEADER.size:
            kind, generation, length = wire.HEADER.unpack_from(self._inbox)
            stop = wire.HEADER.size + length
            if kind not in {wire.FROM_WORKER, wire.ENDED, wire.TAKEN} or length > _CHUNK_BYTES:
                raise _GoneError
            if len(self._inbox) < stop:
                return
            payload = bytes(self._inbox[wire.HEADER.size : stop])
            del self._inbox[:stop]
            if generation != self._generation or self._end is not None:
                continue  # an honest late word of a worker that is over
            if kind == wire.FROM_WORKER:
                # more than a reply can only come while a worker is being ended, and is counted no further
                if len(self._answers) <= self._limits.reply_bytes + _CHUNK_BYTES:
                    self._answers += payload
                self._greet()
            elif kind == wire.TAKEN:
                self._under_way -= self._told_taken(payload)
            else:
                self._end = self._told_end(payload)

    def _told_end(self, payload: bytes) -> WorkerEnd:
        """Read what the supervisor says of a worker's end."""
        if len(payload) != wire.ENDED_PAYLOAD.size or payload[0] >= len(wire.REASONS):
            raise _GoneError
        reason, status, nanoseconds, lingering = wire.ENDED_PAYLOAD.unpack(payload)
        return WorkerEnd(
            reason=wire.REASONS[reason],
            status=status,
            cpu_seconds=nanoseconds / 1e9,
            lingering=lingering,
            up=self._up,
        )

    def _told_taken(self, payload: bytes) -> int:
        """Read how much a worker has taken."""
        if len(payload) != wire.TAKEN_PAYLOAD.size:
            raise _GoneError
        (count,) = wire.TAKEN_PAYLOAD.unpack(payload)
        if not 0 < count <= self._under_way:
            raise _GoneError
        return int(count)

    def _greet(self) -> None:
        """Take the first frame of a worker off what it says."""
        if not self._up and len(self._answers) >= len(wire.UP):
            if not self._answers.startswith(wire.UP):
                raise _GoneError
            del self._answers[: len(wire.UP)]
            self._up = True

    def _lose(self) -> None:
        """Give the sandbox up."""
        self._lost = True
        if self._end is None:
            self._end = self._lost_end()
        self._stream.close()

    def _lost_end(self) -> WorkerEnd:
        return WorkerEnd(reason=EndReason.SANDBOX_LOST, status=0, cpu_seconds=0)


_CALLBACK = re.compile(rb'\{"id":\d{1,9},"cb":')


def is_callback(frame: bytes) -> bool:
    """Say whether a frame of the worker asks the host instead of answering it."""
    return _CALLBACK.match(frame) is not None


def _check_ready(body: bytes) -> str:
    try:
        facts = json.loads(body)
        protocol, python = facts["protocol"], facts["python"]
    except (ValueError, KeyError, TypeError, RecursionError) as exc:
        raise SandboxLostError("the guest said ready in a form that can't be read") from exc
    if protocol != wire.PROTOCOL:
        raise SandboxLostError(
            f"the guest speaks protocol {protocol!r}, this program {wire.PROTOCOL}", hint="rebuild the sandbox image"
        )
    if not isinstance(python, str) or not re.fullmatch(r"[0-9]{1,3}\.[0-9]{1,3}\.[0-9]{1,3}", python):
        raise SandboxLostError("the guest gave no Python version")
    return python
