"""One exchange over HTTP with a deadline on all of it and a bound on what comes back, for the SDKs built on httpx2.

Imported where an SDK is, and nowhere else: it needs what the SDKs bring.
"""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import TypeVar

import httpx2

from codegen_eval.errors import ModelUnavailableError

MAX_BYTES = 64 * 2**20
"""Of one response. A stream has some 150 bytes for each token."""
MAX_EVENT_BYTES = 2**20
MAX_EVENT_LINES = 1000
"""Of one event of a stream. SDKs copy what they have of it with each line, and no deadline stops them in that."""
CONNECT_SECONDS = 10.0

T = TypeVar("T")


def run(exchange: Callable[[], Awaitable[T]], *, seconds: float) -> T:
    """Run an exchange to its end, or cancel it at the deadline, whatever it waits for.

    Each exchange has an event loop and connections of its own, which end with it: a server that sends a byte now and
    then can't hold a thread, and no fault of a connection is seen twice.

    Raises:
        ModelUnavailableError: the deadline has passed.
    """

    async def bounded() -> T:
        async with asyncio.timeout(seconds):
            return await exchange()

    try:
        return asyncio.run(bounded())
    except TimeoutError as exc:
        raise ModelUnavailableError(f"no whole answer within {seconds:.0f} s") from exc


def make_client(context: ssl.SSLContext, *, seconds: float, stream: bool) -> httpx2.AsyncClient:
    """Return a client for one exchange, with the reply as a stream of events or whole.

    Proxies are taken from the environment.
    """

    async def bound(response: httpx2.Response) -> None:
        """Bound what comes; a compressed response could be of any size, and was not asked for."""
        if response.headers.get("content-encoding", "identity").lower() != "identity":
            raise ModelUnavailableError("the response is compressed, which was not asked for")
        if isinstance(response.stream, httpx2.AsyncByteStream):
            response.stream = _BoundedStream(response.stream, events=stream and response.is_success)

    return httpx2.AsyncClient(
        verify=context,
        timeout=httpx2.Timeout(seconds, connect=min(seconds, CONNECT_SECONDS)),
        follow_redirects=False,
        headers={"Accept-Encoding": "identity"},
        event_hooks={"response": [bound]},
    )


def make_context() -> ssl.SSLContext:
    """Return what connections trust; making it takes longer than a local call."""
    return httpx2.create_ssl_context()


class _BoundedStream(httpx2.AsyncByteStream):
    def __init__(self, stream: httpx2.AsyncByteStream, *, events: bool) -> None:
        self._stream = stream
        self._events = events

    async def __aiter__(self) -> AsyncIterator[bytes]:
        size = 0
        event = b""
        async for chunk in self._stream:
            size += len(chunk)
            if size > MAX_BYTES:
                raise ModelUnavailableError(f"the response is larger than {MAX_BYTES >> 20} MiB")
            if self._events:
                event = _last_event(event + chunk)
                if len(event) > MAX_EVENT_BYTES or event.count(b"\n") + event.count(b"\r") > MAX_EVENT_LINES:
                    raise ModelUnavailableError(f"an event of the stream is larger than {MAX_EVENT_BYTES >> 20} MiB")
            yield chunk

    async def aclose(self) -> None:
        await self._stream.aclose()


def _last_event(data: bytes) -> bytes:
    """Return what follows the last end of an event."""
    return data[max(data.rfind(end) + len(end) if end in data else 0 for end in (b"\n\n", b"\r\r", b"\r\n\r\n")) :]
