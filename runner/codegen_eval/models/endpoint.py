"""The seam between the policy of calls, which is the same for all, and one provider's wire: one verb, one attempt.

`patience.PatientModel` makes a `Model` of an `Endpoint`: it repeats, waits, judges answers and gives up. An endpoint
only asks once, through its provider's own SDK, whose retries are switched off.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from codegen_eval.models import Request, StopReason


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What came back from a whole exchange, not yet judged."""

    text: str
    arguments: str | None = None
    """JSON of what the model called the tool with. None where it called none."""
    stop: StopReason
    input_tokens: int | None = None
    """Without `cached_tokens`. None where the provider did not count."""
    output_tokens: int | None = None
    cached_tokens: int = 0


class Endpoint(Protocol):
    """A place to ask models at. Used by several threads at once."""

    @property
    def provider(self) -> str:
        """The word that names the provider in records."""

    @property
    def address(self) -> str | None:
        """Where it asks; None where the SDK alone knows."""

    def ask(self, request: Request, *, seconds: float) -> Answer:
        """Ask once, and take no longer than this.

        Raises:
            ModelAccessError, ModelRequestError: asking again would not help.
            ModelUnavailableError: it may.
        """
