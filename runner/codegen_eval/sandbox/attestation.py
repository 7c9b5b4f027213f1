"""What a sandbox was seen to hold: one outcome for each limit, as doctor prints it and a run record keeps it."""

from __future__ import annotations

from enum import StrEnum

from codegen_eval.errors import SandboxTooWeakError
from codegen_eval.frozen import Frozen


class Outcome(StrEnum):
    """What trying a limit showed."""

    BITES = "bites"
    DOES_NOT_BITE = "does not bite"
    NOT_AVAILABLE = "not available"
    """This sandbox does not promise it here; what was seen is the reason."""


class Attested(Frozen):
    """One limit and what trying it showed."""

    limit: str
    outcome: Outcome
    seen: str
    """What came of the attempts, or why it is not promised."""
    to_do: str | None = None
    """How to get it; None where it bites."""


class Attestation(Frozen):
    """All limits of one sandbox on one machine."""

    sandbox: str
    runtime: str | None = None
    python: str = ""
    """Version of the Python in it."""
    memory_mib: int
    """The memory cap that was tried; a run may have another."""
    limits: tuple[Attested, ...]

    @property
    def broken(self) -> tuple[Attested, ...]:
        """What is promised and does not bite."""
        return tuple(each for each in self.limits if each.outcome is Outcome.DOES_NOT_BITE)

    def counts(self) -> dict[str, int]:
        """Return how many limits had each outcome."""
        outcomes = [each.outcome for each in self.limits]
        return {outcome.name.lower(): outcomes.count(outcome) for outcome in Outcome}

    def require(self) -> None:
        """Refuse a sandbox that does not hold what it promises.

        Raises:
            SandboxTooWeakError: naming the limits and what to do.
        """
        if not self.broken:
            return
        names = ", ".join(f"`{each.limit}` ({each.seen})" for each in self.broken)
        runtime = f" with runtime `{self.runtime}`" if self.runtime else ""
        what_to_do = "; ".join(dict.fromkeys(each.to_do for each in self.broken if each.to_do))
        raise SandboxTooWeakError(
            f"the {self.sandbox} sandbox{runtime} does not hold what it promises here: {names} "
            f"{'does' if len(self.broken) == 1 else 'do'} not bite",
            hint=f"{what_to_do}; `evalrun doctor` shows what was seen",
        )
