"""The llm_review layer: an independent model says what is wrong with a solution, and what it says is executed.

A claim is *confirmed* where the solution does something else than the reference on the call that it names, or where it
is about an insecure pattern that our own scanner finds as well; *refuted* where both do the same; else *unverifiable*.
A confirmed claim fails the solution; `ReviewPolicy` can say otherwise.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum

from codegen_eval.errors import InputError
from codegen_eval.judge.describe import clip
from codegen_eval.review.claim import Claim, check_of, checked_claim
from codegen_eval.review.reviewer import Reviewed
from codegen_eval.verdict import CheckedClaim, ClaimOutcome, FailureClass, Finding, LayerResult, Verdict

NAME = "llm_review"
REPORTED_ONLY = "the reviewer's claims are reported only"
_LOST = "judging the solution's values broke the judge's limits"
_NO_CALL = "it names no call"


class ReviewPolicy(StrEnum):
    """Which claims fail a solution."""

    CONFIRMED = "confirmed"
    """Those that were confirmed when they were executed."""
    UNREFUTED = "unrefuted"
    """Those too that could not be verified."""
    ANY = "any"
    """All: what a reviewer is worth whose word is taken."""
    NEVER = "never"
    """None: the layer is skipped, and its claims are only reported."""

    @property
    def failing(self) -> frozenset[ClaimOutcome]:
        """The outcomes that fail a solution."""
        return _FAILING[self]


_FAILING: dict[ReviewPolicy, frozenset[ClaimOutcome]] = {
    ReviewPolicy.CONFIRMED: frozenset({ClaimOutcome.CONFIRMED}),
    ReviewPolicy.UNREFUTED: frozenset({ClaimOutcome.CONFIRMED, ClaimOutcome.UNVERIFIABLE}),
    ReviewPolicy.ANY: frozenset(ClaimOutcome),
    ReviewPolicy.NEVER: frozenset(),
}

_KIN: tuple[frozenset[int], ...] = (
    frozenset({74, 94, 95, 96, 470, 915, 917, 1336}),  # text that becomes code
    frozenset({77, 78, 88}),  # text that becomes a command
    frozenset({22, 23, 35, 36, 73, 59, 377, 379}),  # text that becomes a path; places that others can reach
    frozenset({89, 564, 943}),  # text that becomes a query
    frozenset({502}),
    frozenset({259, 321, 798}),  # secrets in the source
    frozenset({326, 327, 328, 916}),  # weak ciphers and hashes
    frozenset({330, 331, 335, 338}),  # randomness that can be guessed
    frozenset({295, 297, 299}),  # certificates that nobody checks
    frozenset({611, 776, 827}),  # entities in XML
)
"""CWE numbers that name the same weakness, more or less narrowly."""


def read_policy(text: str) -> ReviewPolicy:
    """Read the name of a policy.

    Raises:
        InputError: there is none of this name.
    """
    try:
        return ReviewPolicy(text)
    except ValueError as exc:
        raise InputError(f"unknown review policy `{text}`", hint=f"use {', '.join(ReviewPolicy)}") from exc


def skip(reason: str = "no reviewer is configured") -> LayerResult:
    """Say why nobody reviews."""
    return LayerResult(layer=NAME, verdict=Verdict.SKIP, reason=reason)


def settle(
    reviewed: Reviewed, executed: LayerResult | None, scanned: LayerResult | None, policy: ReviewPolicy
) -> LayerResult:
    """Return what the layer says, from the review, from what executing its claims showed, and from our scanner.

    `executed` is None where no claim names a call; `scanned` where nobody asked the scanner, or it could not say.
    """
    if reviewed.problem is not None:
        return LayerResult(layer=NAME, verdict=Verdict.ERROR, reason=reviewed.problem, calls=reviewed.calls)
    if executed is not None and executed.verdict is Verdict.ERROR:
        return executed.model_copy(update={"calls": reviewed.calls})
    claims, findings = _outcomes(reviewed.claims, executed)
    for place, claim in enumerate(reviewed.claims):
        if claims[place].outcome is not ClaimOutcome.CONFIRMED and (finding := _agreeing(claim, scanned)):
            reason = f"our scanner finds it as well: {finding.check}"
            claims[place] = claims[place].model_copy(update={"outcome": ClaimOutcome.CONFIRMED, "reason": reason})
            findings[place] = finding
    kept = [
        findings.get(place) or _unchecked(claim, place)
        for place, claim in enumerate(claims)
        if claim.outcome in policy.failing
    ]
    if executed is not None and len(executed.claims) != len(reviewed.claims) and policy is not ReviewPolicy.NEVER:
        kept += executed.findings  # the judge was lost over the solution's values
    facts: dict[str, int | str] = {"claims_left_out": reviewed.left_out} if reviewed.left_out else {}
    verdict = Verdict.FAIL if kept else Verdict.PASS
    if policy is ReviewPolicy.NEVER:
        verdict = Verdict.SKIP
    return LayerResult(
        layer=NAME,
        verdict=verdict,
        findings=tuple(kept),
        reason=REPORTED_ONLY if verdict is Verdict.SKIP else None,
        facts=facts,
        claims=tuple(claims),
        calls=reviewed.calls,
    )


def _outcomes(claims: Sequence[Claim], executed: LayerResult | None) -> tuple[list[CheckedClaim], dict[int, Finding]]:
    """Return the claims with their outcomes, and the findings of those that were confirmed by their place."""
    if executed is not None and len(executed.claims) == len(claims):
        by_check = {finding.check: finding for finding in executed.findings}
        return list(executed.claims), {
            place: by_check[check_of(place)] for place in range(len(claims)) if check_of(place) in by_check
        }
    reason = _NO_CALL if executed is None else _LOST
    return [checked_claim(claim, ClaimOutcome.UNVERIFIABLE, reason) for claim in claims], {}


def _agreeing(claim: Claim, scanned: LayerResult | None) -> Finding | None:
    """Return the finding of our scanner that names the weakness that a claim names."""
    if claim.failure_class is not FailureClass.INSECURE_PATTERN or claim.cwe is None or scanned is None:
        return None
    same = next((kin for kin in _KIN if claim.cwe in kin), frozenset({claim.cwe}))
    for finding in scanned.findings:
        if finding.cwe in same and finding.failure_class is FailureClass.INSECURE_PATTERN:
            return finding.model_copy(update={"annotations": ()})
    return None


def _unchecked(claim: CheckedClaim, place: int) -> Finding:
    """Return a finding that rests on the reviewer's word."""
    return Finding(
        failure_class=claim.failure_class,
        message=clip(claim.summary) or "claimed without a word",
        check=check_of(place),
        input=None if claim.input is None else clip(claim.input),
    )
