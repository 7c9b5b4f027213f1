"""Read what a provider sent, which may be of any shape, whatever types its SDK promises."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime

MAX_TOKENS_COUNTED = 10**9
"""A larger count is none. Results take more than that, since what several calls took adds up."""

UNREADABLE = (ValueError, TypeError, AttributeError, LookupError, RecursionError)
"""What SDKs raise over a reply that is not of the form that they expect."""


def field(value: object, *path: str) -> object:
    """Return what stands under these attributes or keys, one below the other, or None."""
    for name in path:
        value = value.get(name) if isinstance(value, Mapping) else getattr(value, name, None)
    return value


def text(value: object, *path: str) -> str:
    """Return the text that stands there, or an empty one."""
    found = field(value, *path)
    return found if isinstance(found, str) else ""


def count(value: object, *path: str) -> int | None:
    """Return the number of tokens that stands there, or None."""
    found = field(value, *path)
    valid = isinstance(found, int) and not isinstance(found, bool) and 0 <= found <= MAX_TOKENS_COUNTED
    return found if valid else None  # type: ignore[return-value]  # it is an int


def items(value: object, *path: str) -> Sequence[object]:
    """Return the list that stands there, or an empty one."""
    found = field(value, *path)
    return found if isinstance(found, list | tuple) else ()


def retry_after(headers: Mapping[str, str]) -> timedelta | None:
    """Return how long a response asks to wait, in seconds or until a date of the server's own clock."""
    value = headers.get("retry-after")
    if value is None:
        return None
    try:
        seconds = float(value)
    except ValueError:
        seconds = _seconds_until(value, headers.get("date"))
    return timedelta(seconds=seconds) if 0 <= seconds <= timedelta.max.total_seconds() else None


def _seconds_until(value: str, sent: str | None) -> float:
    until = _date(value)
    now = (_date(sent) if sent else None) or datetime.now(UTC)
    return -1.0 if until is None else max(0.0, (until - now).total_seconds())


def _date(value: str) -> datetime | None:
    try:
        found = parsedate_to_datetime(value)
    except (ValueError, TypeError, IndexError, OverflowError):
        return None
    return found if found.tzinfo else found.replace(tzinfo=UTC)
