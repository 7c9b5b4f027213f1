"""Verdicts, findings and the classes of failure: what a layer says of a solution."""

from __future__ import annotations

from collections.abc import Iterable
from enum import StrEnum

from pydantic import Field

from codegen_eval.frozen import Frozen
from codegen_eval.interfaces import EndReason
from codegen_eval.solution import Call


class Verdict(StrEnum):
    """What a layer, or the whole battery, says."""

    PASS = "pass"
    """Positive evidence, and nothing against."""
    FAIL = "fail"
    """The solution's fault; there are findings."""
    SKIP = "skip"
    """The layer does not apply."""
    ERROR = "error"
    """Our fault; neither for nor against the solution."""


class FailureClass(StrEnum):
    """The five classes of failure that are seeded and scored, and the classes that only findings have."""

    WRONG_LOGIC = "wrong-logic"
    MISSED_EDGE_CASE = "missed-edge-case"
    INSECURE_PATTERN = "insecure-pattern"
    SILENT_TYPE_ERROR = "silent-type-error"
    PERFORMANCE_TRAP = "performance-trap"
    # below: never seeded
    RESOURCE_LIMIT = "resource-limit"
    """It died of, or was stopped at, a limit: memory, wall, output, a signal, its own exit."""
    VERDICT_TAMPERING = "verdict-tampering"
    """It answered what was not asked, answered twice, or sent what no honest worker sends."""
    FRAGILE_PASS = "fragile-pass"
    """It passes, but the cases would hardly notice if it were wrong. A statement about the evidence."""
    UNANALYSABLE = "unanalysable"
    """Python compiles it, but the analyser can't finish on it."""
    NON_DETERMINISM = "non-determinism"
    """It answered the same question in two ways."""
    SYNTAX_ERROR = "syntax-error"
    """Python doesn't compile it, or it lacks the entry point."""
    NO_ANSWER = "no-answer"
    """There is no solution to judge: the reply was cut, refused, or holds no code."""


SEEDED_CLASSES: tuple[FailureClass, ...] = (
    FailureClass.WRONG_LOGIC,
    FailureClass.MISSED_EDGE_CASE,
    FailureClass.INSECURE_PATTERN,
    FailureClass.SILENT_TYPE_ERROR,
    FailureClass.PERFORMANCE_TRAP,
)
"""The columns of the catch matrix, in the order of every table."""


class Finding(Frozen):
    """One thing that is wrong with a solution, in a form that is the same on every machine."""

    failure_class: FailureClass = Field(alias="class")
    message: str
    """One sentence, printable ASCII or escaped, without addresses, paths of the machine or times."""
    check: str | None = None
    """The id of the case or property that failed, or the id of the rule that matched."""
    input: str | None = None
    """The failing input as Python source, shortened."""
    actual: str | None = None
    """What came back, as Python source, shortened."""
    expected: str | None = None
    """What was expected, as Python source, shortened."""
    ended: EndReason | None = None
    """How the worker ended, where it ended while it owed an answer."""
    line: int | None = None
    """Line of the solution, 1-based, where that is known."""
    cwe: int | None = None
    """CWE number, for insecure patterns."""
    annotations: tuple[str, ...] = ()
    """Rule ids of other tools that flag the same place, as `bandit:B307`."""


class ClaimOutcome(StrEnum):
    """What became of a reviewer's claim when it was executed."""

    CONFIRMED = "confirmed"
    """The solution behaves otherwise than the reference on the input that was named."""
    REFUTED = "refuted"
    """The reference does the same on it."""
    UNVERIFIABLE = "unverifiable"
    """It names no input that can be executed, or the answers can't be compared."""


class CheckedClaim(Frozen):
    """One claim of a reviewer and what executing it showed."""

    failure_class: FailureClass = Field(alias="class")
    summary: str = Field(max_length=4000)
    """Of the model, escaped."""
    input: str | None = Field(default=None, max_length=8000)
    outcome: ClaimOutcome
    reason: str
    """What was seen, in one sentence without times, addresses or paths."""


class LayerResult(Frozen):
    """What one layer says of one solution."""

    layer: str
    verdict: Verdict
    findings: tuple[Finding, ...] = ()
    reason: str | None = None
    """Why it was skipped, or what of ours broke. None for PASS and FAIL."""
    facts: dict[str, int | str] = {}
    """Deterministic counts worth reporting: cases run, examples executed, mutants killed."""
    claims: tuple[CheckedClaim, ...] = ()
    """Of the reviewer, in the order in which it made them."""
    calls: tuple[Call, ...] = ()
    """Of models that the layer itself asked."""

    @property
    def ends(self) -> frozenset[EndReason]:
        """How workers ended that owed an answer."""
        return frozenset(f.ended for f in self.findings if f.ended is not None)

    def names(self, failure_class: FailureClass) -> bool:
        """Say whether a finding names this class."""
        return any(f.failure_class is failure_class for f in self.findings)


def combine(verdicts: Iterable[Verdict]) -> Verdict:
    """Combine the verdicts of the layers into the one of the solution.

    FAIL where any layer fails it; else ERROR where any layer broke or none passed it; else PASS.
    A battery in which every layer was skipped is ERROR: there is no positive evidence.
    """
    seen = set(verdicts)
    if Verdict.FAIL in seen:
        return Verdict.FAIL
    if Verdict.ERROR in seen or Verdict.PASS not in seen:
        return Verdict.ERROR
    return Verdict.PASS
