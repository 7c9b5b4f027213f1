"""Models: one seam with one verb, and the values that cross it.

A provider from another package registers a factory in the entry-point group `codegen_eval.models`; see `provider.py`.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol

from pydantic import Field, field_validator

from codegen_eval.frozen import Frozen
from codegen_eval.solution import Strategy


class Role(StrEnum):
    """Who speaks."""

    SYSTEM = "system"
    """At most one, and first. Providers that know no such role put it where theirs belongs."""
    USER = "user"
    ASSISTANT = "assistant"


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    """One message of a conversation."""

    role: Role
    content: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Tool:
    """A form that an answer must have: the model is made to call this tool, and its arguments are the answer."""

    name: str
    description: str
    parameters: str
    """JSON Schema of the arguments, as JSON."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """One question to a model, and what it is asked for."""

    model: str
    """The provider's own name of the model."""
    messages: tuple[Message, ...]
    task: str
    strategy: Strategy | None
    """None where a review is asked for."""
    turn: int = 0
    sample: int = 0
    """Which of several independent answers to the same messages."""
    max_tokens: int = 4096
    temperature: float | None = None
    """None leaves it to the provider; some models refuse any other choice."""
    tool: Tool | None = None
    """Where it is set, `Reply.text` is the JSON of the arguments that the model called it with."""


class StopReason(StrEnum):
    """Why a model stopped writing."""

    END = "end"
    MAX_TOKENS = "max_tokens"
    """The reply is cut."""
    REFUSAL = "refusal"
    """The model declined, or a filter of its provider did."""
    OTHER = "other"


class Lost(Frozen):
    """What the provider counted for an answer that was of no use, as an empty one. It was paid for all the same."""

    input_tokens: int = Field(ge=0)
    output_tokens: int = Field(ge=0)
    cached_tokens: int = Field(default=0, ge=0)


class Reply(Frozen):
    """What a model answered, and what it counted. Hostile, like all that comes from a model."""

    text: str
    input_tokens: int = Field(ge=0)
    output_tokens: int = Field(ge=0)
    cached_tokens: int = Field(default=0, ge=0)
    """Input tokens read from the provider's cache, beside and not among `input_tokens`."""
    estimated: bool
    """True where the counts are our estimate and not the provider's."""
    stop_reason: StopReason = StopReason.END
    lost: tuple[Lost, ...] = ()
    """The answers before it that were of no use, as far as they were counted."""

    @field_validator("text", mode="before")
    @classmethod
    def _encodable(cls, value: object) -> object:
        """Replace lone surrogates, which no file and no database can hold, by `?`."""
        return value.encode("utf-8", "replace").decode("utf-8") if isinstance(value, str) else value


class Model(Protocol):
    """A provider of answers. Called from several threads at once."""

    @property
    def provider(self) -> str:
        """The word that names the provider in records, as `mock`."""

    def complete(self, request: Request) -> Reply:
        """Answer one request.

        Raises:
            ModelError: no answer can be had, retries included.
        """
