"""The unit layer: shown, hidden and performance cases."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from codegen_eval.judge import blame
from codegen_eval.judge.bench import Bench
from codegen_eval.judge.candidate import Call, Reply
from codegen_eval.judge.compare import loosely_same, resolve_paths, same
from codegen_eval.judge.describe import clean, clip, describe
from codegen_eval.judge.values import NotLoadedError, TamperingError, WorkerEndedError
from codegen_eval.layers.performance import run_performance
from codegen_eval.suite import Suite
from codegen_eval.task import Case
from codegen_eval.verdict import FailureClass, Finding, LayerResult, Verdict

_MAX_FINDINGS = 100
"""Kept of one solution; how many were left out is among the facts."""
_AT_ONCE = 6
"""Cases in a round trip where the first failure is enough: most wrong programs fail one of the first."""
NO_ANSWER = "no answer: the worker had ended"


class Unit:
    """Run every case of the task; a case without the right answer is a finding."""

    name = "unit"

    def __init__(self, bench: Bench) -> None:
        self._bench = bench

    def run(self) -> LayerResult:
        """Judge the solution."""
        if self._bench.suite is not None:
            return self._run_suite(self._bench.suite)
        task = self._bench.task
        planned = len(task.cases) + len(task.performance)
        if not planned:
            return LayerResult(layer=self.name, verdict=Verdict.ERROR, reason="the task has no cases")
        findings, alive = run_cases(self._bench, task.cases)
        for case in task.performance:
            if alive:
                slow = run_performance(self._bench, case)
                findings.extend(slow)
                alive = not slow
            else:
                findings.append(_unanswered(case.id))
        verdict = Verdict.FAIL if findings else Verdict.PASS
        facts: dict[str, int | str] = {"cases": planned}
        if len(findings) > _MAX_FINDINGS:
            facts["findings_left_out"] = len(findings) - _MAX_FINDINGS
        return LayerResult(layer=self.name, verdict=verdict, findings=tuple(findings[:_MAX_FINDINGS]), facts=facts)

    def _run_suite(self, suite: Suite) -> LayerResult:
        """Judge by the tests that came with the problem."""
        from codegen_eval.suite.answers import SuiteError
        from codegen_eval.suite.run import count_tests, run_suite

        try:
            findings, _ = run_suite(self._bench)
        except SuiteError as exc:
            return LayerResult(layer=self.name, verdict=Verdict.ERROR, reason=str(exc))
        facts: dict[str, int | str] = {"tests": count_tests(suite)}
        if len(findings) > _MAX_FINDINGS:
            facts["findings_left_out"] = len(findings) - _MAX_FINDINGS
        verdict = Verdict.FAIL if findings else Verdict.PASS
        return LayerResult(layer=self.name, verdict=verdict, findings=tuple(findings[:_MAX_FINDINGS]), facts=facts)


def run_tests(
    bench: Bench, source: str | None = None, *, cpu_seconds: float | None = None, first_only: bool = False
) -> tuple[list[Finding], bool]:
    """Run the cases of the task, or the tests that came with it, as `run_cases` does."""
    if bench.suite is None:
        return run_cases(bench, bench.task.cases, source, cpu_seconds=cpu_seconds, first_only=first_only)
    from codegen_eval.suite.run import run_suite

    return run_suite(bench, source, cpu_seconds=cpu_seconds, first_only=first_only)


def run_cases(
    bench: Bench,
    cases: tuple[Case, ...],
    source: str | None = None,
    *,
    cpu_seconds: float | None = None,
    first_only: bool = False,
) -> tuple[list[Finding], bool]:
    """Run cases in one worker, in one round trip or, where the first failure is enough, in short ones.

    Return the findings, and whether the worker was alive at the end. The first fatal outcome ends the run: cases
    behind it have no answer and fail.
    """
    candidate = bench.unloaded()
    workdir = candidate.workdir
    findings: list[Finding] = []
    answered = 0
    try:
        bench.load(candidate, source, cpu_seconds=cpu_seconds)
        replies = candidate.stream(map(call_of, cases), at_once=_AT_ONCE if first_only else len(cases))
        for answered, reply in enumerate(replies, 1):
            finding = judge_reply(cases[answered - 1], reply, workdir)
            if finding is not None:
                findings.append(finding)
                if first_only:
                    break
        if source is None:  # nobody waits for the end of a mutant's worker
            end = candidate.end()
            bench.measures["cases_cpu_seconds"] = end.cpu_seconds
            findings += blame.on_lingering(end)
    except NotLoadedError as exc:
        return [blame.on_load(exc.error, workdir=workdir)], False
    except WorkerEndedError:
        bench.note_end(candidate)
        if not candidate.loaded:
            return [blame.on_end(candidate.ended, FailureClass.WRONG_LOGIC, check="load", shown_input=None)], False
        case = cases[answered]
        shown = show_input(case.args, case.kwargs, case.files)
        findings.append(blame.on_end(candidate.ended, case.aimed_at, check=case.id, shown_input=shown))
        findings.extend(_unanswered(case.id) for case in cases[answered + 1 :])
        return findings, False
    except TamperingError as exc:
        # what a forger says of other cases is worth nothing
        return [blame.on_tampering(exc, check=cases[answered].id if answered < len(cases) else None)], False
    return findings, True


def _unanswered(check: str) -> Finding:
    return Finding(failure_class=FailureClass.RESOURCE_LIMIT, message=NO_ANSWER, check=check)


def call_of(case: Case) -> Call:
    """Return the call that a case makes."""
    return Call(args=case.args, kwargs=case.kwargs, files=case.files, after=case.unchanged)


def judge_reply(case: Case, reply: Reply, workdir: str) -> Finding | None:
    """Compare one reply with what its case expects."""
    if reply.too_large is not None:
        return _finding(case, f"returned {clean(reply.too_large)}", None)
    if case.raises is not None:
        expected = f"raises {case.raises.__name__}"
        if reply.error is None:
            actual = describe(reply.value, workdir=workdir)
            return _finding(case, "returned instead of raising", actual, expected)
        if not isinstance(reply.error, case.raises):
            return _finding(case, "raised another exception", blame.raised(reply.error, workdir=workdir), expected)
        return None
    if reply.error is not None:
        return _finding(case, "raised an exception", blame.raised(reply.error, workdir=workdir), describe(case.returns))
    wanted = resolve_paths(case.returns, workdir)
    equal = (
        loosely_same(reply.value, wanted)
        if case.loose
        else same(reply.value, wanted, tolerance=case.tolerance, number=case.number)
    )
    if not equal:
        actual = describe(reply.value, workdir=workdir)
        return _finding(case, "returned another value", actual, describe(case.returns))
    if case.unchanged and not same(list(reply.after or ()), resolve_paths(list(case.args), workdir)):
        return _finding(case, "changed its arguments", describe(list(reply.after or ()), workdir=workdir))
    return None


def _finding(case: Case, message: str, actual: str | None, expected: str | None = None) -> Finding:
    shown = show_input(case.args, case.kwargs, case.files)
    return Finding(
        failure_class=case.aimed_at, message=message, check=case.id, input=shown, actual=actual, expected=expected
    )


def show_input(
    args: Sequence[object], kwargs: Mapping[str, object] | None = None, files: Mapping[str, object] | None = None
) -> str:
    """Return the arguments of a call as source, with the files it wants."""
    parts = [describe(arg) for arg in args] + [f"{key}={describe(value)}" for key, value in (kwargs or {}).items()]
    wanted = f" with files {describe(dict(files))}" if files else ""
    return clip(", ".join(parts) + wanted)
