"""Execute a reviewer's claims: the same call to the solution and to the reference, each in a sandbox of its own."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from codegen_eval.interfaces import EndReason, WorkerEnd
from codegen_eval.judge import blame
from codegen_eval.judge.bench import Bench
from codegen_eval.judge.candidate import Call
from codegen_eval.judge.describe import clean, clip, describe
from codegen_eval.judge.domain import OutsideError, checked_files, fit
from codegen_eval.judge.likeness import Likeness
from codegen_eval.judge.literal import UnreadableError, read_call
from codegen_eval.judge.reply import Reply
from codegen_eval.judge.values import (
    NotLoadedError,
    TamperingError,
    WorkerEndedError,
    WorkerNotUpError,
)
from codegen_eval.layers.performance import PERFORMANCE_FLOOR_SECONDS, PERFORMANCE_WALL_FACTOR
from codegen_eval.layers.unit import show_input
from codegen_eval.review.claim import Claim, check_of, checked_claim
from codegen_eval.verdict import CheckedClaim, ClaimOutcome, FailureClass, Finding, LayerResult, Verdict

_REFERENCE_SHARE = 0.25
"""Of the CPU budget that the reference may use: what it can hardly do itself shows nothing."""
_MOST_HANGS = 3
"""After so many claims that ran into a limit of time no more are tried."""


class ReferenceNotUpError(Exception):
    """The reference's worker could not be started: our fault."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Answer:
    """What one side did: a reply, or a worker that ended, lied or could not load the source."""

    reply: Reply | None = None
    finding: Finding | None = None
    """What is wrong, where there is no reply."""
    hung: bool = False
    cpu_seconds: float = 0.0
    settled: bool = False
    """Asking again would tell nothing more."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Asked:
    """A claim that can be tried: its call, and what the reference answers."""

    call: Call
    expected: _Answer


class Claims:
    """Check the claims of one review."""

    name = "llm_review"

    def __init__(self, bench: Bench, reference: Bench, claims: Sequence[Claim]) -> None:
        self._bench = bench
        self._reference = reference
        self._claims = claims
        self._hangs = 0
        self._likeness = Likeness(
            bench.task,
            workdir=bench.sandbox.workdir,
            reference_workdir=reference.sandbox.workdir,
            imported=bench.suite is not None,
        )

    def run(self) -> LayerResult:
        """Return the checked claims, and a finding for each that is confirmed. FAIL where there is one."""
        try:
            asked = [self._prepare(claim) for claim in self._claims]  # the reference first: none of it is hostile
        except ReferenceNotUpError:
            return LayerResult(
                layer=self.name, verdict=Verdict.ERROR, reason="the reference's worker could not be started"
            )
        checked: list[CheckedClaim] = []
        findings: list[Finding] = []
        for place, (claim, prepared) in enumerate(zip(self._claims, asked, strict=True)):
            if isinstance(prepared, str):
                one, finding = (ClaimOutcome.UNVERIFIABLE, prepared), None
            else:
                try:
                    one, finding = self._try(claim, prepared, check_of(place))
                except ReferenceNotUpError:
                    one, finding = (ClaimOutcome.UNVERIFIABLE, "the reference could not be asked again"), None
            outcome, reason = one
            checked.append(checked_claim(claim, outcome, reason))
            if finding is not None:
                findings.append(finding)
        verdict = Verdict.FAIL if findings else Verdict.PASS
        return LayerResult(layer=self.name, verdict=verdict, findings=tuple(findings), claims=tuple(checked))

    # --- the reference ----------------------------------------------------------------------------------------------

    def _prepare(self, claim: Claim) -> _Asked | str:
        """Read a claim's call and ask the reference; say why where that leads to nothing."""
        task = self._bench.task
        if claim.call is None:
            return "it names no call"
        if not self._likeness.compares:
            return "the task has no cases that compare answers"
        try:
            args = fit(task, read_call(claim.call, task.text.entry_point))
            files = checked_files({file.path: file.content for file in claim.files})
        except UnreadableError as exc:
            return f"the call can't be read: {exc}"
        except OutsideError as exc:
            return f"the call is outside the task: {exc}"
        except Exception as exc:  # noqa: BLE001 - `ACCEPTS` of a task may not expect every argument
            return f"the call is outside the task: `ACCEPTS` raises {type(exc).__name__}"
        call = Call(args=args, files=files, after=self._likeness.keeps_arguments)
        expected = self._ask_reference(call)
        if expected.reply is None:
            return "the reference gives no answer within its limits"
        why = self._likeness.unusable(expected.reply, call)
        return _Asked(call=call, expected=expected) if why is None else why

    def _ask_reference(self, call: Call) -> _Answer:
        bench = self._reference
        try:
            return self._ask(
                bench, call, cpu_seconds=bench.settings.cpu_seconds * _REFERENCE_SHARE, wall_seconds=None, check=""
            )
        except WorkerNotUpError as exc:
            raise ReferenceNotUpError from exc

    # --- the solution -----------------------------------------------------------------------------------------------

    def _try(self, claim: Claim, asked: _Asked, check: str) -> tuple[tuple[ClaimOutcome, str], Finding | None]:
        """Ask the solution; where it differs, ask both once more."""
        if self._hangs >= _MOST_HANGS:
            return (ClaimOutcome.UNVERIFIABLE, "not tried: earlier claims had spent the time"), None
        actual = self._ask_solution(claim, asked, check)
        finding = self._differs(claim, asked, actual, check)
        if finding is None:
            return (ClaimOutcome.REFUTED, "it does what the reference does"), None
        if not actual.settled:
            again = self._ask_reference(asked.call)
            if again.reply is None or not self._likeness.alike(asked.expected.reply, again.reply):
                return (ClaimOutcome.UNVERIFIABLE, "the reference answers in two ways"), None
            if self._differs(claim, asked, self._ask_solution(claim, asked, check), check) is None:
                return (ClaimOutcome.UNVERIFIABLE, "the solution answers in two ways, once as the reference"), None
        return (ClaimOutcome.CONFIRMED, finding.message), finding

    def _ask_solution(self, claim: Claim, asked: _Asked, check: str) -> _Answer:
        bench = self._bench
        cpu_seconds, wall_seconds = bench.settings.cpu_seconds, None
        if self._is_about_time(claim):
            cpu_seconds = self._budget(asked.expected.cpu_seconds)
            wall_seconds = max(bench.settings.wall_seconds, cpu_seconds * PERFORMANCE_WALL_FACTOR)
        answer = self._ask(bench, asked.call, cpu_seconds=cpu_seconds, wall_seconds=wall_seconds, check=check)
        self._hangs += answer.hung
        return answer

    def _is_about_time(self, claim: Claim) -> bool:
        return claim.failure_class is FailureClass.PERFORMANCE_TRAP and bool(self._bench.task.performance)

    def _budget(self, reference_seconds: float) -> float:
        """Return the CPU seconds that the task's performance cases would allow beside the reference's own."""
        factor = max(case.factor for case in self._bench.task.performance)
        return max(PERFORMANCE_FLOOR_SECONDS, factor * reference_seconds)

    def _differs(self, claim: Claim, asked: _Asked, actual: _Answer, check: str) -> Finding | None:
        """Return how the solution's answer departs from the reference's."""
        if actual.finding is not None:
            finding = actual.finding
            if finding.failure_class in {FailureClass.VERDICT_TAMPERING, FailureClass.SYNTAX_ERROR}:
                return finding
            return finding.model_copy(update={"failure_class": claim.failure_class})
        expected = asked.expected.reply
        if actual.reply is None or expected is None:
            return None
        message = self._likeness.difference(expected, actual.reply, asked.call)
        if message is None:
            return None
        return Finding(
            failure_class=claim.failure_class,
            message=message,
            check=check,
            input=show_input(asked.call.args, files=asked.call.files),
            actual=_shown(actual.reply, self._bench.sandbox.workdir),
            expected=_shown(expected, self._reference.sandbox.workdir),
        )

    # --- one call ---------------------------------------------------------------------------------------------------

    def _ask(self, bench: Bench, call: Call, *, cpu_seconds: float, wall_seconds: float | None, check: str) -> _Answer:
        """Make a call in a worker of its own."""
        candidate = bench.unloaded(wall_seconds=wall_seconds)
        shown = show_input(call.args, files=call.files)
        try:
            bench.load(candidate, cpu_seconds=cpu_seconds)
            (reply,) = candidate.batch([call])
            end = candidate.end()
        except NotLoadedError as exc:
            return _Answer(finding=blame.on_load(exc.error, workdir=candidate.workdir), settled=True)
        except TamperingError as exc:
            return _Answer(finding=blame.on_tampering(exc, check=check, shown_input=shown), settled=True)
        except WorkerEndedError:
            bench.note_end(candidate)
            return _ended(candidate.ended, check, shown)
        if end.cpu_seconds > cpu_seconds:
            spent = WorkerEnd(reason=EndReason.CPU, status=end.status, cpu_seconds=end.cpu_seconds)
            return _ended(spent, check, shown)
        return _Answer(reply=reply, cpu_seconds=end.cpu_seconds)


def _ended(end: WorkerEnd | None, check: str, shown: str) -> _Answer:
    """Say how a worker ended; once a limit of time has decided, asking again would tell nothing more."""
    found = blame.on_end(end, FailureClass.PERFORMANCE_TRAP, check=check, shown_input=shown)
    timed = found.ended in {EndReason.CPU, EndReason.WALL}
    return _Answer(finding=found, hung=timed, settled=timed)


def _shown(reply: Reply, workdir: str) -> str:
    if reply.error is not None:
        return blame.raised(reply.error, workdir=workdir)
    if reply.too_large is not None:
        return clip(f"<{clean(reply.too_large)}>")
    return describe(reply.value, workdir=workdir)
