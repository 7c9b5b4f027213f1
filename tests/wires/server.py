"""The server: sockets and threads, for any format."""

from __future__ import annotations

import json
import socket
from collections.abc import Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Event, Lock, Thread
from types import TracebackType
from typing import Protocol, Self

from wires.script import Asked, Drip, Dropped, Fault, Garbage, HalfStream, Said, Script, Silence, Status

KEY = "sk-test-0123456789abcdef"
"""The key that servers expect, in each format's own place."""


class Format(Protocol):
    """How a provider speaks."""

    variable: str
    """The variable of the environment that points a client at another address."""

    def environment(self, url: str) -> dict[str, str]:
        """Return what a process needs in its environment to use a server at this address."""

    def read(self, number: int, path: str, headers: Mapping[str, str], body: Mapping[str, object]) -> Asked | Status:
        """Understand a request, or refuse it as the provider would."""

    def chunks(self, asked: Asked, said: Said) -> tuple[str, list[bytes]]:
        """Return the media type and the body of an answer, in the pieces in which it would come."""

    def garbage(self, asked: Asked, fault: Garbage) -> tuple[str, list[bytes]]:
        """Return the media type and the body of a success that is none."""

    def error(self, status: Status) -> tuple[dict[str, str], bytes]:
        """Return headers and body of an error."""


class WireServer:
    """A server of one format, open as a `with` block."""

    def __init__(self, wire: Format, script: Script) -> None:
        self.format = wire
        self._script = script
        self._lock = Lock()
        self._calls: list[Asked] = []
        self._answered: list[Asked] = []
        self._open = 0
        self._most = 0
        self.closing = Event()
        self._httpd = _Httpd(self)
        self._thread = Thread(target=self._httpd.serve_forever, kwargs={"poll_interval": 0.02})

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, exc: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.closing.set()
        self._httpd.shutdown()
        self._thread.join()
        self._httpd.server_close()

    @property
    def url(self) -> str:
        """Where it is."""
        return f"http://127.0.0.1:{self._httpd.server_address[1]}"

    @property
    def calls(self) -> tuple[Asked, ...]:
        """All requests that were understood, in the order in which they came."""
        with self._lock:
            return tuple(self._calls)

    @property
    def answered(self) -> tuple[Asked, ...]:
        """Those that got a whole answer."""
        with self._lock:
            return tuple(self._answered)

    @property
    def most_at_once(self) -> int:
        """How many requests were open at the same time, at most."""
        with self._lock:
            return self._most

    def environment(self) -> dict[str, str]:
        """Return what a process needs in its environment to use this server."""
        return self.format.environment(self.url)

    def take(
        self, path: str, headers: Mapping[str, str], body: Mapping[str, object]
    ) -> tuple[Asked | None, Said | Fault]:
        """Record a request, and ask the script what to say."""
        with self._lock:
            asked = self.format.read(len(self._calls) + 1, path, headers, body)
            if isinstance(asked, Status):
                return None, asked
            self._calls.append(asked)
            self._open += 1
            self._most = max(self._most, self._open)
        return asked, self._script(asked)

    def finish(self, asked: Asked, *, whole: bool) -> None:
        """Record how an exchange ended."""
        with self._lock:
            self._open -= 1
            if whole:
                self._answered.append(asked)


class _Httpd(ThreadingHTTPServer):
    daemon_threads = False
    block_on_close = True
    request_queue_size = 128

    def __init__(self, owner: WireServer) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.owner = owner

    def handle_error(self, request: object, client_address: object) -> None:
        """Pass over clients that went away; that is what they do in these tests."""


class _Handler(BaseHTTPRequestHandler):
    server: _Httpd
    protocol_version = "HTTP/1.1"
    timeout = 30

    def do_POST(self) -> None:
        """Answer one request."""
        self.close_connection = True
        owner = self.server.owner
        headers = {name.lower(): value for name, value in self.headers.items()}
        body = self.rfile.read(int(headers.get("content-length", "0")))
        asked, reply = owner.take(self.path, headers, json.loads(body))
        whole = False
        try:
            whole = self._say(asked, reply)
        finally:
            if asked is not None:
                owner.finish(asked, whole=whole)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the library's name
        """Write nothing."""

    def _say(self, asked: Asked | None, reply: Said | Fault) -> bool:
        if isinstance(reply, Status) or asked is None:
            self._error(reply if isinstance(reply, Status) else Status(400))
            return False
        wire = self.server.owner.format
        match reply:
            case Silence():
                self.server.owner.closing.wait()
                return False
            case Garbage():
                self._send(*wire.garbage(asked, reply))
                return False
            case HalfStream():
                media, chunks = wire.chunks(asked, reply.said)
                data = b"".join(chunks)
                self._send(media, chunks[: len(chunks) // 2] if len(chunks) > 1 else [data[: len(data) // 2]])
                return False
            case Dropped():
                self._drop(*wire.chunks(asked, reply.said), part=reply.part)
                return False
            case Drip():
                return self._drip(*wire.chunks(asked, reply.said), drip=reply)
            case Said():
                self._send(*wire.chunks(asked, reply))
                return True

    def _head(self, media: str, length: int | None) -> bytes:
        """Return the head of a success. A body without a length ends with its connection."""
        size = "" if length is None else f"Content-Length: {length}\r\n"
        return f"HTTP/1.1 200 OK\r\nContent-Type: {media}\r\n{size}Connection: close\r\n\r\n".encode()

    def _send(self, media: str, chunks: list[bytes]) -> None:
        """Send a body; a stream in its pieces, with the end of the connection as its end."""
        self.wfile.write(self._head(media, None if "stream" in media else sum(map(len, chunks))))
        for chunk in chunks:
            self.wfile.write(chunk)
            self.wfile.flush()

    def _error(self, status: Status) -> None:
        headers, body = self.server.owner.format.error(status)
        self.send_response(status.status)
        for name, value in headers.items():
            self.send_header(name, value)
        if status.retry_after is not None:
            self.send_header("Retry-After", status.retry_after)
        self.send_header("Content-Length", str(len(body)))
        self.send_header("Connection", "close")
        self.end_headers()
        self.wfile.write(body)

    def _drop(self, media: str, chunks: list[bytes], *, part: float) -> None:
        body = b"".join(chunks)
        if part > 0:
            self.wfile.write(self._head(media, len(body)) + body[: int(len(body) * part)])
            self.wfile.flush()
        self.connection.shutdown(socket.SHUT_RDWR)

    def _drip(self, media: str, chunks: list[bytes], *, drip: Drip) -> bool:
        body = b"".join(chunks)
        head = self._head(media, len(body))
        if not drip.headers:
            self.wfile.write(head)
        for byte in (head if drip.headers else b"") + body:
            if self.server.owner.closing.wait(drip.pause):
                return False
            self.wfile.write(bytes([byte]))
        return True
