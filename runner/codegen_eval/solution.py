"""A solution: source code that answers a task, and where it came from."""

from __future__ import annotations

from decimal import Decimal
from enum import StrEnum

from pydantic import Field

from codegen_eval.frozen import Frozen


class Strategy(StrEnum):
    """How the model is prompted."""

    BARE = "bare"
    """The statement only; one call."""
    SPEC = "spec"
    """Plus constraints and edge cases; one call."""
    TEST_FIRST = "test-first"
    """Plus the shown tests as asserts; one call."""
    SELF_REVIEW = "self-review"
    """Generate, then critique and revise; two calls."""


class Outcome(StrEnum):
    """How generation ended."""

    OK = "ok"
    TRUNCATED = "truncated"
    """The reply was cut, by its stop reason or in the middle of its code, and so after it was asked for again."""
    REFUSED = "refused"
    """The model, or a filter of its provider, declined to answer."""
    NO_CODE = "no_code"
    """The reply holds no code."""
    SYNTAX_ERROR = "syntax_error"
    """The extracted code does not compile."""

    @property
    def can_be_judged(self) -> bool:
        """There is a whole source, which the layers may say of what they find."""
        return self in {Outcome.OK, Outcome.SYNTAX_ERROR}


class Call(Frozen):
    """One exchange with a model, as it is charged."""

    turn: int = Field(ge=0)
    """Of its strategy; a reply that was cut and asked for again has two calls of one turn."""
    input_tokens: int = Field(ge=0)
    """Those that were read from the provider's cache are counted apart."""
    output_tokens: int = Field(ge=0)
    cached_tokens: int = Field(default=0, ge=0)
    """Input tokens that the provider read from its cache."""
    estimated: bool
    """True where the counts are our estimate and not the provider's."""
    usd: Decimal | None
    """None where the price of the model is unknown."""


class Solution(Frozen):
    """Source code that answers a task."""

    id: str
    """`task/strategy[@model][#sample][~draft]` in a run, the file's name in `check`; unique in a run.

    The model is named where a run has several, the sample where it is not the first.
    """
    task: str
    strategy: Strategy | None
    """None for files of the user's own."""
    model: str
    sample: int = Field(default=0, ge=0)
    source: str
    outcome: Outcome = Outcome.OK
    rule: str | None = None
    """The extraction rule that found the code in the reply."""
    draft_of: str | None = None
    """Set for the first answer of a strategy that revises it: the id of the revised solution, which has the calls."""
    calls: tuple[Call, ...] = ()
