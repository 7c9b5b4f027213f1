"""The unit layer: shown, hidden and performance cases."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping, Sequence

from codegen_eval.judge import blame
from codegen_eval.judge.bench import Bench
from codegen_eval.judge.candidate import Call, Candidate, call_on
from codegen_eval.judge.compare import loosely_same, resolve_paths, same
from codegen_eval.judge.describe import clean, clip, describe
from codegen_eval.judge.reply import Reply
from codegen_eval.judge.values import Iterator as YieldedItems
from codegen_eval.judge.values import NotLoadedError, SuiteError, TamperingError, WorkerEndedError
from codegen_eval.layers.performance import run_performance
from codegen_eval.suite import Suite
from codegen_eval.task import UNSET, Case, Step
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
        from codegen_eval.suite.run import count_tests, run_suite
        from codegen_eval.suite.stub import PROVES_NOTHING, proves_nothing

        try:
            findings, _ = run_suite(self._bench)
        except SuiteError as exc:
            return LayerResult(layer=self.name, verdict=Verdict.ERROR, reason=str(exc))
        is_canonical = self._bench.solution.source == suite.problem.canonical
        if is_canonical and not findings and proves_nothing(self._bench, suite):
            return LayerResult(layer=self.name, verdict=Verdict.ERROR, reason=PROVES_NOTHING)
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
        judged = _judged(candidate, cases, at_once=_AT_ONCE if first_only else len(cases))
        for finding in judged:
            answered += 1
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
        shown = show_case(case)
        findings.append(blame.on_end(candidate.ended, case.aimed_at, check=case.id, shown_input=shown))
        findings.extend(_unanswered(case.id) for case in cases[answered + 1 :])
        return findings, False
    except TamperingError as exc:
        # what a forger says of other cases is worth nothing
        return [blame.on_tampering(exc, check=cases[answered].id if answered < len(cases) else None)], False
    return findings, True


def _judged(candidate: Candidate, cases: Sequence[Case], *, at_once: int) -> Iterator[Finding | None]:
    """Ask one case after the other; yield what is wrong with each. Those that take steps have a round trip or two."""
    if any(case.steps for case in cases):
        for case in cases:
            yield _judge_steps(candidate, case) if case.steps else _judge_alone(candidate, case)
        return
    for case, reply in zip(cases, candidate.stream(map(call_of, cases), at_once=at_once), strict=False):
        yield judge_reply(case, reply, candidate.workdir)


def _judge_alone(candidate: Candidate, case: Case) -> Finding | None:
    (reply,) = candidate.batch([call_of(case)])
    return judge_reply(case, reply, candidate.workdir)


def _judge_steps(candidate: Candidate, case: Case) -> Finding | None:
    """Make an object and take the steps of a case with it; the first step that goes wrong is the finding."""
    (made,) = candidate.batch([call_of(case)])
    if made.error is not None or made.too_large is not None:
        actual = None if made.error is None else blame.raised(made.error, workdir=candidate.workdir)
        return _finding(case, "could not be made", actual)
    calls = [
        dataclasses.replace(call_on(made.value, step.name, step.args, step.kwargs), take=step.take)
        for step in case.steps
    ]
    for number, (step, reply) in enumerate(zip(case.steps, candidate.stream(calls), strict=False), 1):
        if step.raises is None and step.returns is UNSET and reply.error is None and reply.too_large is None:
            continue
        one = dataclasses.replace(
            case,
            args=step.args,
            kwargs=step.kwargs,
            returns=step.returns if step.raises or step.returns is not UNSET else None,
            raises=step.raises,
            take=step.take,
            steps=(),
        )
        finding = judge_reply(one, reply, candidate.workdir)
        if finding is not None:
            where = f"step {number}, `{show_step(step)}`: {finding.message}"
            expected = finding.expected if step.raises or step.returns is not UNSET else None
            return finding.model_copy(update={"message": clip(where), "input": show_case(case), "expected": expected})
    return None


def _unanswered(check: str) -> Finding:
    return Finding(failure_class=FailureClass.RESOURCE_LIMIT, message=NO_ANSWER, check=check)


def call_of(case: Case) -> Call:
    """Return the call that a case makes."""
    return Call(args=case.args, kwargs=case.kwargs, files=case.files, after=case.unchanged, take=case.take)


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
    if not _equal(case, reply.value, resolve_paths(case.returns, workdir)):
        actual = describe(reply.value, workdir=workdir)
        return _finding(case, "returned another value", actual, describe(case.returns))
    if case.unchanged and not same(list(reply.after or ()), resolve_paths(list(case.args), workdir)):
        return _finding(case, "changed its arguments", describe(list(reply.after or ()), workdir=workdir))
    return None


def _equal(case: Case, actual: object, wanted: object) -> bool:
    """Compare as the case says."""
    if case.stdout is not None:
        return isinstance(actual, str) and printed(actual) == printed(case.stdout)
    if case.take is not None:
        if not isinstance(actual, YieldedItems):
            return False
        actual = list(actual.items)
    if case.loose:
        return loosely_same(actual, wanted)
    return same(actual, wanted, tolerance=case.tolerance, number=case.number)


def printed(text: str) -> list[str]:
    """Return the lines of what a program has printed, without white space at the end of lines and of the whole."""
    return "\n".join(line.rstrip() for line in text.split("\n")).rstrip().split("\n")


def _finding(case: Case, message: str, actual: str | None, expected: str | None = None) -> Finding:
    shown = show_case(case)
    return Finding(
        failure_class=case.aimed_at, message=message, check=case.id, input=shown, actual=actual, expected=expected
    )


def show_case(case: Case) -> str:
    """Return what a case asks, as source: the arguments, and the steps that are taken then."""
    shown = show_input(case.args, case.kwargs, case.files)
    return clip("; ".join([f"({shown})", *map(show_step, case.steps)])) if case.steps else shown


def show_step(step: Step) -> str:
    """Return a step as source: `.size`, or `push(3)`."""
    return step.name if step.name.startswith(".") else clip(f"{step.name}({show_input(step.args, step.kwargs)})")


def show_input(
    args: Sequence[object], kwargs: Mapping[str, object] | None = None, files: Mapping[str, object] | None = None
) -> str:
    """Return the arguments of a call as source, with the files it wants."""
    parts = [describe(arg) for arg in args] + [f"{key}={describe(value)}" for key, value in (kwargs or {}).items()]
    wanted = f" with files {describe(dict(files))}" if files else ""
    return clip(", ".join(parts) + wanted)
