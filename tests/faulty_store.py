"""An S3-compatible store on 127.0.0.1 that can be told to fail, over real HTTP."""

from __future__ import annotations

import http.client
import socket
import threading
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Self

from moto.moto_server.werkzeug_app import DomainDispatcherApplication, create_backend_app
from werkzeug.serving import WSGIRequestHandler, make_server

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIApplication, WSGIEnvironment


class _Silent(WSGIRequestHandler):
    """Says nothing of requests, and of nothing that we break."""

    def log(self, type: str, message: str, *args: object) -> None:  # noqa: A002 - the library's name
        """Say nothing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """What a store was asked for."""

    method: str
    key: str
    checksum: str | None
    conditional: bool


Fault = Callable[[Request], "tuple[int, str] | str | None"]
"""Gives an answer instead of the store's (status and code), or what happens to its: half, flipped, lost or dropped."""


@dataclass
class FaultyStore:
    """The store; `with` starts and stops it."""

    fault: Fault = lambda _: None
    seen: list[Request] = field(default_factory=list)
    url: str = ""

    def __enter__(self) -> Self:
        self._store: WSGIApplication = DomainDispatcherApplication(create_backend_app)
        self._server = make_server("127.0.0.1", 0, self._answer, threaded=True, request_handler=_Silent)
        self._thread = threading.Thread(target=self._server.serve_forever)
        self._thread.start()
        self.url = f"http://127.0.0.1:{self._server.server_port}"
        return self

    def __exit__(self, *exc: object) -> None:
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()

    def ask(self, method: str, path: str, body: bytes = b"") -> None:
        """Ask the store for something, as nobody in particular."""
        connection = http.client.HTTPConnection("127.0.0.1", self._server.server_port, timeout=30)
        scope = "Credential=nobody/20260101/us-east-1/s3/aws4_request, SignedHeaders=host, Signature=none"
        connection.request(method, f"/{path}", body, {"Authorization": f"AWS4-HMAC-SHA256 {scope}"})
        assert connection.getresponse().status == 200
        connection.close()

    def keys(self, method: str) -> list[str]:
        """Return the keys that were asked for in that way, in order."""
        return [request.key for request in self.seen if request.method == method]

    def _answer(self, environ: WSGIEnvironment, start: StartResponse) -> Iterable[bytes]:
        request = Request(
            method=environ["REQUEST_METHOD"],
            key=environ["PATH_INFO"].lstrip("/").partition("/")[2],
            checksum=environ.get("HTTP_X_AMZ_CHECKSUM_SHA256"),
            conditional=environ.get("HTTP_IF_NONE_MATCH") == "*",
        )
        self.seen.append(request)
        match self.fault(request):
            case None:
                return self._store(environ, start)
            case (status, code):
                start(f"{status} {code}", [("Content-Type", "application/xml"), ("Connection", "close")])
                return [f"<Error><Code>{code}</Code><Message>told to fail</Message></Error>".encode()]
            case "dropped":
                raise _hang_up(environ)
            case "lost":
                b"".join(self._store(environ, lambda *_, **__: lambda _: None))
                raise _hang_up(environ)
            case how:
                return _spoilt(environ, b"".join(self._store(environ, start)), how)


def _hang_up(environ: WSGIEnvironment) -> ConnectionError:
    connection: socket.socket = environ["werkzeug.socket"]
    connection.shutdown(socket.SHUT_RDWR)
    return ConnectionError("hung up")


def _spoilt(environ: WSGIEnvironment, body: bytes, how: str) -> Iterator[bytes]:
    if how == "half":
        yield body[: len(body) // 2]
        raise _hang_up(environ)
    yield bytes([body[0] ^ 1]) + body[1:]
