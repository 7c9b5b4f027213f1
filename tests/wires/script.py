"""What a server is asked, what it says, and how it fails."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from threading import Lock
from typing import Literal, TypeAlias

Stop: TypeAlias = Literal["end", "max_tokens", "refusal", "filter", "other"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """One request, the same for all formats."""

    number: int
    """From 1, in the order in which requests came."""
    model: str
    system: str | None
    messages: tuple[tuple[str, str], ...]
    """Role and text of each message but the system's."""
    temperature: float | None
    max_tokens: int | None
    tool: str | None
    """The tool that the model must call, or the schema that it must keep to."""
    stream: bool
    headers: Mapping[str, str]
    """By names in small letters."""
    body: Mapping[str, object]

    @property
    def prompt(self) -> str:
        """The last message."""
        return self.messages[-1][1] if self.messages else ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """A whole answer."""

    text: str = ""
    tool: str | None = None
    """JSON of the arguments of a call of the tool that was asked for."""
    stop: Stop = "end"
    input_tokens: int = 11
    output_tokens: int = 7
    cached_tokens: int = 0
    counted: bool = True
    """False leaves out the counts."""


@dataclass(frozen=True, slots=True)
class Status:
    """An error, in the format's own words."""

    status: int
    retry_after: str | None = field(default=None, kw_only=True)
    message: str = field(default="so it is", kw_only=True)
    kind: str | None = field(default=None, kw_only=True)
    """The type or code in the body; by default the one that belongs to the status."""


@dataclass(frozen=True, slots=True)
class Silence:
    """Nothing, until the server closes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Drip:
    """A whole answer, one byte at a time."""

    said: Said
    pause: float = 0.05
    """Seconds between bytes."""
    headers: bool = False
    """The headers drip as well."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Dropped:
    """A connection that ends after this part of an answer's body; after none of it there are no headers either."""

    said: Said = Said(text="lost")
    part: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class HalfStream:
    """The first half of an answer, well closed, as if that were all."""

    said: Said = Said(text="This is only half of what")


@dataclass(frozen=True, slots=True, kw_only=True)
class Garbage:
    """A success whose body is no JSON, or not the JSON that it should be."""

    body: str = "<html>It works!</html>"
    event: str = "message_start"


Fault: TypeAlias = Status | Silence | Drip | Dropped | HalfStream | Garbage
Script: TypeAlias = Callable[[Asked], Said | Fault]


def in_turn(*replies: Said | Fault) -> Script:
    """Return a script that says these in turn, whatever it is asked, and then always the last."""
    left = list(replies)
    lock = Lock()

    def script(_asked: Asked) -> Said | Fault:
        with lock:
            return left.pop(0) if len(left) > 1 else left[0]

    return script
