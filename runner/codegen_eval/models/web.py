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


def make_client(context: ssl.SSLContext, *, seconds: float) -> httpx2.AsyncClient:
    """Return a client for one exchange. Proxies are taken from the environment."""
    return httpx2.AsyncClient(
        verify=context,
        timeout=httpx2.Timeout(seconds, connect=min(seconds, CONNECT_SECONDS)),
        follow_redirects=False,
        headers={"Accept-Encoding": "identity"},
        event_hooks={"response": [_bound]},
    )


def make_context() -> ssl.SSLContext:
    """Return what connections trust; making it takes longer than a local call."""
    return httpx2.create_ssl_context()


async def _bound(response: httpx2.Response) -> None:
    """Bound what a response may send; a compressed one could be of any size, and was not asked for."""
    if response.headers.get("content-encoding", "identity").lower() != "identity":
        raise ModelUnavailableError("the response is compressed, which was not asked for")
    stream = response.stream
    if isinstance(stream, httpx2.AsyncByteStream):
        response.stream = _BoundedStream(stream)


class _BoundedStream(httpx2.AsyncByteStream):
    def __init__(self, stream: httpx2.AsyncByteStream) -> None:
        self._stream = stream

    async def __aiter__(self) -> AsyncIterator[bytes]:
        size = 0
        async for chunk in self._stream:
            size += len(chunk)
            if size > MAX_BYTES:
                raise ModelUnavailableError(f"the response is larger than {MAX_BYTES >> 20} MiB")
            yield chunk

    async def aclose(self) -> None:
        await self._stream.aclose()
