"""The attached stream of a container: plain bytes in, the engine's multiplexed frames out."""

from __future__ import annotations

import contextlib
import select
import socket
import ssl
import struct
from collections.abc import Callable

from codegen_eval.errors import SandboxLostError

_HEADER = struct.Struct(">BxxxI")
_STDOUT, _STDERR = 1, 2
_CHUNK = 1 << 16
_FRAME_LIMIT = 16 << 20
"""Engines send frames of 32 KiB; a length beyond this is no engine's. Nothing is ever allocated by it."""


class Demultiplexer:
    """Take the payload of standard output out of frames that arrive in pieces. Standard error is dropped."""

    def __init__(self) -> None:
        self._header = b""
        self._left = 0
        self._wanted = False

    def feed(self, data: bytes) -> bytes:
        """Return what `data` holds of standard output.

        Raises:
            OSError: these are not an engine's frames.
        """
        out: list[bytes] = []
        view = memoryview(data)
        while view:
            if self._left:
                part = view[: self._left]
                self._left -= len(part)
                if self._wanted:
                    out.append(bytes(part))
                view = view[len(part) :]
                continue
            missing = _HEADER.size - len(self._header)
            self._header += bytes(view[:missing])
            view = view[missing:]
            if len(self._header) == _HEADER.size:
                kind, self._left = _HEADER.unpack(self._header)
                self._header = b""
                if kind not in {_STDOUT, _STDERR} or self._left > _FRAME_LIMIT:
                    msg = f"not a frame of a container's output: kind {kind}, length {self._left}"
                    raise OSError(msg)
                self._wanted = kind == _STDOUT
        return b"".join(out)


class DockerStream:
    """A `GuestStream` over what docker-py's `attach_socket` returns: unix, TCP or TLS.

    `on_close` is called once, after the connection is closed.

    Raises:
        SandboxLostError: there is no socket in `attached`.
    """

    def __init__(self, attached: object, *, on_close: Callable[[], None]) -> None:
        # http.client wraps a unix or TCP socket in a SocketIO; for TLS docker-py hands out the SSLSocket itself
        sock = getattr(attached, "_sock", attached)
        if not isinstance(sock, socket.socket):
            raise SandboxLostError(f"can't speak to a container over a {type(attached).__name__}")
        self._attached = attached
        self._socket = sock
        self._on_close: Callable[[], None] | None = on_close
        self._frames = Demultiplexer()
        sock.setblocking(False)

    def fileno(self) -> int:
        """Return the descriptor to poll."""
        return self._socket.fileno()

    def send(self, data: memoryview) -> int:
        """Write some of `data`; 0 where it would block."""
        try:
            return self._socket.send(data)
        except (BlockingIOError, ssl.SSLWantReadError, ssl.SSLWantWriteError):
            return 0

    def recv(self) -> bytes | None:
        """Return bytes of the guest's standard output, b"" at the end, None where there are none yet.

        What came may have been of standard error alone. Somebody who writes there without end holds nobody up: the
        caller looks at its clock before it asks again.
        """
        while True:
            try:
                data = self._socket.recv(_CHUNK)
            except (BlockingIOError, ssl.SSLWantReadError, ssl.SSLWantWriteError):
                return None
            except (ConnectionResetError, ssl.SSLEOFError, ssl.SSLZeroReturnError):
                return b""
            if not data:
                return b""
            payload = self._frames.feed(data)
            if payload or not self._held_back():
                return payload or None

    def _held_back(self) -> bool:
        """Say whether TLS has deciphered more than was taken: no poll would tell of that."""
        return isinstance(self._socket, ssl.SSLSocket) and self._socket.pending() > 0

    def quiet(self) -> bool:
        """Say that the peer is there and says nothing, as an idle guest does."""
        poll = select.poll()
        try:
            poll.register(self._socket.fileno(), select.POLLIN)
        except ValueError:
            return False
        return not poll.poll(0)

    def close(self) -> None:
        """Hang up, then have the container removed."""
        on_close, self._on_close = self._on_close, None
        if on_close is None:
            return
        with contextlib.suppress(OSError):
            self._socket.shutdown(socket.SHUT_RDWR)
        for part in (self._attached, getattr(self._attached, "_response", None), self._socket):
            close = getattr(part, "close", None)
            if close is not None:
                with contextlib.suppress(OSError, ValueError):
                    close()
        on_close()
