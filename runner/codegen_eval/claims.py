"""What became of a reviewer's claims when they were executed, and what the layer that asked for them cost. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from codegen_eval.answers import Spent, is_flagged
from codegen_eval.results import Results
from codegen_eval.stats import wilson
from codegen_eval.verdict import CheckedClaim, ClaimOutcome, FailureClass


@dataclass(frozen=True, slots=True, kw_only=True)
class ClaimScore:
    """Some claims by what executing them showed."""

    failure_class: FailureClass | None
    """None: of all classes."""
    confirmed: int
    refuted: int
    unverifiable: int

    @property
    def claims(self) -> int:
        """All claims."""
        return self.confirmed + self.refuted + self.unverifiable

    @property
    def precision(self) -> float | None:
        """Confirmed of those that could be decided; None where none could."""
        decided = self.confirmed + self.refuted
        return self.confirmed / decided if decided else None

    @property
    def interval(self) -> tuple[float, float] | None:
        """95 % interval of the precision (Wilson)."""
        return wilson(self.confirmed, self.confirmed + self.refuted)


@dataclass(frozen=True, slots=True, kw_only=True)
class ReviewScore:
    """What one layer that asks a model claimed and cost."""

    layer: str
    reviewed: int
    """Solutions of which it asked a model."""
    total: ClaimScore
    by_class: tuple[ClaimScore, ...]
    """Those classes that it claimed."""
    spent: Spent
    """On solutions and drafts."""
    estimated: bool
    """Costs rest on estimated token counts."""
    caught: int
    """Seeded solutions that the layer caught."""
    confirmed_solutions: int
    """Solutions with at least one confirmed claim."""


def score_reviews(results: Results) -> tuple[ReviewScore, ...]:
    """Count, for each layer that claimed something or asked a model."""
    return tuple(
        _score(results, layer)
        for layer in results.layers
        if any(r.claims or r.calls for s in (*results.solutions, *results.drafts) if (r := s.result(layer)))
    )


def _score(results: Results, layer: str) -> ReviewScore:
    said = [s.result(layer) for s in results.solutions]
    calls = [call for s in (*results.solutions, *results.drafts) for call in s.result(layer).calls]
    claims = [claim for result in said for claim in result.claims]
    classes = {claim.failure_class for claim in claims}
    return ReviewScore(
        layer=layer,
        reviewed=sum(bool(result.calls or result.claims) for result in said),
        total=_count(claims, None),
        by_class=tuple(_count(claims, c) for c in FailureClass if c in classes),
        spent=Spent.on(calls),
        estimated=any(call.estimated for call in calls),
        caught=sum(s.solution.id in results.truth and is_flagged(s, layer) for s in results.solutions),
        confirmed_solutions=sum(any(c.outcome is ClaimOutcome.CONFIRMED for c in r.claims) for r in said),
    )


def _count(claims: Iterable[CheckedClaim], failure_class: FailureClass | None) -> ClaimScore:
    counts = Counter(c.outcome for c in claims if failure_class in {None, c.failure_class})
    return ClaimScore(
        failure_class=failure_class,
        confirmed=counts[ClaimOutcome.CONFIRMED],
        refuted=counts[ClaimOutcome.REFUTED],
        unverifiable=counts[ClaimOutcome.UNVERIFIABLE],
    )
