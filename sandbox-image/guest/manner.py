"""What is done with what a call has returned before it is sent: a coroutine is awaited, some items are taken."""

from __future__ import annotations

import itertools
import typing


def settle(value: typing.Any, message: dict[str, typing.Any]) -> object:
    """Return what stands for the value, in the manner that the host asks for."""
    if message.get("await"):
        import asyncio  # slow to import, and few solutions need it

        value = asyncio.run(value)
    count = message.get("take")
    if count is not None and any("__next__" in base.__dict__ for base in type(value).__mro__):
        return itertools.islice(value, count)
    return value
