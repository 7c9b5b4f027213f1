"""What is fuzzed: the readers of hostile bytes on our side, with the laws that hold whatever the bytes are.

A target takes bytes and returns a word for what came of them; it raises where a law is broken.
"""

from __future__ import annotations

import contextlib
import json
import socket
from collections.abc import Callable

from codegen_eval.errors import SandboxLostError
from codegen_eval.interfaces import WorkerLimits
from codegen_eval.judge import codec
from codegen_eval.judge.candidate import Call, Candidate
from codegen_eval.judge.compare import same
from codegen_eval.judge.describe import describe
from codegen_eval.judge.values import NotLoadedError, TamperingError, WorkerEndedError, WorkerNotUpError
from codegen_eval.judge.writer import Writer
from codegen_eval.sandbox import wire
from codegen_eval.sandbox.session import GuestSession, is_callback
from guest_modules import guest_module

WORKDIR = "/tmp/work"  # noqa: S108 - a path in a sandbox that is never made
REPLY_BYTES = 1 << 16
_LIMITS = WorkerLimits(cpu_seconds=1.0, reply_bytes=REPLY_BYTES)
_NOT_READY = 240
"""A plan from here on: the input itself has to say *ready*."""
_PIECE = 1 << 16
_SECONDS = 2.0
"""Nothing is waited for: the guest has hung up already. A target that takes this long hangs."""


CODEC, DECODER, FOREIGN = map(guest_module, ("codec", "decoder", "foreign"))


def sent_by_guest(value: object) -> bytes:
    """Return the bytes that an honest worker sends for a value."""
    encoder = CODEC.Encoder("solution", FOREIGN.Handles())
    return json.dumps({"id": 1, "r": encoder.encode(value)}, separators=(",", ":")).encode("ascii")


def there_and_back(value: object) -> object:
    """Send a value to the guest as an argument, have it returned as it is, and read the answer."""
    sent = json.loads(json.dumps(Writer(WORKDIR).value(value)))
    there = DECODER.Decoder(FOREIGN.Handles(), None).decode(sent)
    return codec.Reader().value(codec.parse(sent_by_guest(there))["r"])


def fuzz_reply(data: bytes) -> str:
    """One frame of a worker: it is read, shown and compared, or it is tampering, and nothing else."""
    try:
        message = codec.parse(data)
    except TamperingError:
        return "no JSON"
    try:
        value = codec.Reader().value(message.get("r"))
    except TamperingError:
        return "no value"
    describe(value, workdir=WORKDIR)
    same(value, value)
    same(value, [1, (2.5, {"a": {3}})])
    return "a value"


class HungUp:
    """The stream of a guest that said all it had to say and hung up, over a real socket pair."""

    def __init__(self, greeting: bytes, data: bytes) -> None:
        self._greeting = greeting
        self._ours, self._theirs = socket.socketpair()
        self._ours.setblocking(False)
        self._theirs.setblocking(False)
        self._left = memoryview(greeting + data)
        self._write()

    def _write(self) -> None:
        with contextlib.suppress(BlockingIOError):
            while self._left:
                self._left = self._left[self._theirs.send(self._left) :]
        if not self._left:
            self._theirs.shutdown(socket.SHUT_WR)

    def fileno(self) -> int:
        """Return the descriptor to poll."""
        return self._ours.fileno()

    def send(self, data: memoryview) -> int:
        """Write some of `data`."""
        self._greeting = b""  # a guest says no more than that before it is spoken to
        try:
            return self._ours.send(data)
        except BlockingIOError:
            return 0

    def recv(self) -> bytes | None:
        """Return what has come."""
        if self._left:
            self._write()
        try:
            return self._ours.recv(len(self._greeting) or 1 << 17)
        except BlockingIOError:
            return None

    def close(self) -> None:
        """Hang up."""
        self._ours.close()
        self._theirs.close()


def fuzz_stream(data: bytes) -> str:
    """All bytes of a guest: no *ready*, or every exchange ends within what was asked for.

    The first byte says how many workers are started, how many answers each is asked for, and whether *ready* is said.
    """
    plan, data = data[:1] or b"\0", data[1:]
    stream = HungUp(b"" if plan[0] >= _NOT_READY else ready(), data)
    try:
        session = GuestSession(stream, workdir=WORKDIR, ready_seconds=_SECONDS)
    except SandboxLostError:
        return "no ready"
    frames = 0
    try:
        for _ in range(1 + plan[0] % 3):
            session.spawn(_LIMITS)
            wanted = plan[0] // 3 % 4
            exchange = session.exchange(b"request", wanted, _SECONDS, total_seconds=_SECONDS)
            _law(len(exchange.frames) <= wanted, "more frames than were asked for")
            _law(all(len(frame) <= REPLY_BYTES for frame in exchange.frames), "a frame larger than a reply may be")
            enough = len(exchange.frames) == wanted or any(map(is_callback, exchange.frames[-1:]))
            _law(enough or exchange.end is not None, "fewer frames than were asked for, and no end")
            frames += len(exchange.frames)
            end = session.end()
            _law(session.end() == end, "a worker ended twice")
    finally:
        session.close()
    return "lost" if not frames else "frames"


def fuzz_conversation(data: bytes) -> str:
    """What a worker says to a candidate, a message a line: replies, or one of the four ways in which a worker ends."""
    words = wire.UP + b"".join(map(answer, data.split(b"\n")))
    pieces = [words[start : start + _PIECE] for start in range(0, len(words), _PIECE)]
    talk = b"".join(said(wire.FROM_WORKER, 1, piece) for piece in pieces) + ended(1)
    session = GuestSession(HungUp(ready(), talk), workdir=WORKDIR, ready_seconds=_SECONDS)
    try:
        candidate = Candidate(session, "f", wall_seconds=_SECONDS)
        candidate.load("", _LIMITS)
        replies = candidate.batch([Call(args=(1,), after=True), Call(args=(lambda one: one,))])
        for reply in replies:
            describe(reply.value, workdir=WORKDIR)
        candidate.end()
    except (WorkerEndedError, TamperingError, NotLoadedError, WorkerNotUpError) as exc:
        return type(exc).__name__
    finally:
        session.close()
    return "replies"


def _law(holds: object, broken: str) -> None:
    if not holds:
        raise AssertionError(broken)


TARGETS: dict[str, Callable[[bytes], str]] = {
    "reply": fuzz_reply,
    "stream": fuzz_stream,
    "conversation": fuzz_conversation,
}


def said(kind: int, generation: int, payload: bytes) -> bytes:
    """Return one frame of a supervisor."""
    return wire.HEADER.pack(kind, generation, len(payload)) + payload


def ready(python: str = "3.11.2", protocol: int = wire.PROTOCOL) -> bytes:
    """Return the frame that a guest begins with."""
    return said(wire.READY, 0, json.dumps({"protocol": protocol, "python": python}).encode())


def answer(message: bytes) -> bytes:
    """Return one frame of a worker, without its supervisor's."""
    return wire.FRAME.pack(len(message)) + message


def ended(generation: int, reason: int = 0, cpu_ns: int = 1000) -> bytes:
    """Return the supervisor's word that a worker has ended."""
    return said(wire.ENDED, generation, wire.ENDED_PAYLOAD.pack(reason, 0, cpu_ns, False))
