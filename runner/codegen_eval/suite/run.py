"""Run a problem's own tests against a solution; what does not hold is a finding."""

from __future__ import annotations

import time

from codegen_eval.datasets.problem import (
    AssertTests,
    CheckTests,
    FunctionalTests,
    InputTests,
    StdinTests,
    UnittestTests,
)
from codegen_eval.interfaces import EndReason, WorkerLimits
from codegen_eval.judge import blame
from codegen_eval.judge.bench import Bench
from codegen_eval.judge.candidate import Call, Candidate
from codegen_eval.judge.describe import clean, describe
from codegen_eval.judge.reply import Reply
from codegen_eval.judge.values import (
    FromCandidate,
    NotLoadedError,
    SuiteError,
    TamperingError,
    UnaskedError,
    UnsentError,
    WorkerEndedError,
    WorkerNotUpError,
)
from codegen_eval.verdict import FailureClass, Finding

from . import Suite
from .answers import lost_by_accident
from .apart import why_not_passed
from .planned import Asked, planned_calls, shown_arguments
from .program import ENTRY, ProgramTests, solution_program, test_names, tests_program
from .relay import Relay
from .usual import usual_calls

NO_ANSWER = "not reached: the worker had ended"
TESTS_WALL_SECONDS = 60.0
"""How long tests may think between two calls. They are not the solution's, and decide nothing by their time."""
TESTS_LIMITS = WorkerLimits(cpu_seconds=60.0)
_AT_ONCE = 8
_SOME_CALLS = 100
"""From which on their number may have taken the time."""
_QUICK_SECONDS = 0.0002
"""CPU time of a call, on the average, that no solution is blamed for: passing it on takes up to half of that."""
_SHORT = 0.2
"""Share of the wall limit of one call: half of what a worker may compute in all."""


def run_suite(
    bench: Bench, source: str | None = None, *, cpu_seconds: float | None = None, first_only: bool = False
) -> tuple[list[Finding], bool]:
    """Run the tests of the bench's suite on a source, the solution's by default.

    Return the findings, and whether the worker was alive at the end. Every test that was planned and has no answer is
    a finding.

    Raises:
        SuiteError: the tests can't be run, whatever the solution.
    """
    suite = bench.suite
    if suite is None or suite.unusable is not None:
        raise SuiteError("no tests" if suite is None else suite.unusable)
    return _Run(bench, suite, source, cpu_seconds, first_only=first_only).run()


def count_tests(suite: Suite) -> int:
    """Return how many tests a suite plans."""
    match suite.tests:
        case CheckTests() | AssertTests() | UnittestTests():
            return len(test_names(suite.tests))
        case InputTests(base=base, plus=plus):
            return len(base) + len(plus)
        case StdinTests(cases=cases) | FunctionalTests(cases=cases):
            return len(cases)


class _Run:
    """One run of all tests on one source."""

    def __init__(
        self, bench: Bench, suite: Suite, source: str | None, cpu_seconds: float | None, *, first_only: bool
    ) -> None:
        self._bench = bench
        self._suite = suite
        self._original = source is None
        self._cpu_seconds = cpu_seconds
        self._first_only = first_only
        self._program, entry = solution_program(suite, bench.solution.source if source is None else source)
        self._candidate = bench.unloaded(entry_point=entry)
        self._findings: list[Finding] = []
        self._left: list[str] = []
        """Tests that have no answer yet."""
        self._asking: str | None = None
        """What the call that was not answered was, for people."""
        self._asked_on = False
        """The tests call it more often than the canonical solution."""

    def run(self) -> tuple[list[Finding], bool]:
        """Run them."""
        if self._original:
            self._bench.recorded.clear()
        workdir = self._candidate.workdir
        try:
            self._bench.load(self._candidate, self._program, cpu_seconds=self._cpu_seconds)
            self._ask()
            if self._original:
                end = self._candidate.end()
                self._bench.measures["cases_cpu_seconds"] = end.cpu_seconds
                self._findings += blame.on_lingering(end)
        except NotLoadedError as exc:
            return [blame.on_load(exc.error, workdir=workdir)], False
        except WorkerEndedError:
            self._bench.note_end(self._candidate)
            if not self._candidate.loaded:
                return [
                    blame.on_end(self._candidate.ended, FailureClass.WRONG_LOGIC, check="load", shown_input=None)
                ], False
            return self._cut_short(), False
        except TamperingError as exc:
            return [blame.on_tampering(exc, check=self._left[0] if self._left else None)], False
        return self._findings, True

    def _cut_short(self) -> list[Finding]:
        """Blame the worker's end on the test that it was asked for; those behind have no answer."""
        check, *behind = self._left or ["load"]
        if self._asked_on:
            return [*self._findings, *self._unending(self._asking)]
        ended = blame.on_end(
            self._candidate.ended, FailureClass.PERFORMANCE_TRAP, check=check, shown_input=self._asking
        )
        return [*self._findings, ended, *map(_not_reached, behind)]

    def _ask(self) -> None:
        match self._suite.tests:
            case CheckTests() | AssertTests() | UnittestTests() as tests:
                self._run_program(tests)
            case StdinTests():
                self._run_each(list(planned_calls(self._bench, self._suite)))
            case _:
                self._call_each(list(planned_calls(self._bench, self._suite)))

    # --- tests that are a program -----------------------------------------------------------------------------------

    def _run_program(self, tests: ProgramTests) -> None:
        """Have the tests call the solution, from a worker of their own."""
        names = test_names(tests)
        self._left = list(names)
        sandbox, wall_seconds = self._bench.beside, TESTS_WALL_SECONDS * self._bench.settings.patience
        program = Candidate(sandbox, ENTRY, wall_seconds=wall_seconds, ships=True)
        relay = Relay(self._candidate, self._bench.recorded if self._original else None)
        try:
            self._candidate.settle()
            program.load(tests_program(self._suite, tests), TESTS_LIMITS)
            for number, name in enumerate(names):
                try:
                    reply = self._answer(program, relay, tests, number)
                except UnsentError as exc:
                    self._lose_answer(relay, str(exc))
                    return
                if reply is None or reply.too_large is not None:  # tests return nothing that could be too large
                    self._lose_tests(relay)
                    return
                self._left.pop(0)
                if reply.error is not None:
                    self._findings.append(self._failed(name, reply.error, relay))
                    if self._first_only:
                        return
            if not (relay.calls or self._findings):
                raise UnaskedError("the tests never call the solution")
        except NotLoadedError as exc:
            if self._candidate.ended is not None or not self._candidate.loaded:
                raise
            raise SuiteError(f"the tests can't be loaded: {clean(exc.error.class_name)}") from exc
        finally:
            sandbox.end()

    def _answer(self, program: Candidate, relay: Relay, tests: ProgramTests, number: int) -> Reply | None:
        """Run one test; None where its answers keep it from coming to an end."""
        self._asking = None
        try:
            (reply,) = program.batch([Call(args=(relay, number))])
        except (WorkerEndedError, WorkerNotUpError) as exc:
            if self._candidate.ended is not None:
                self._asking = relay.shown(self._candidate.workdir)
                self._look_at_many(relay, tests)
                raise
            self._refuse_accident(program)
            self._bench.note_end(program)
            if not program.loaded:
                raise SuiteError("the tests end while they are loaded") from exc
            return None
        except TamperingError as exc:
            if relay.tampered:
                raise
            if relay.calls > _SOME_CALLS and self._asks_on(relay, tests):
                return None
            raise SuiteError(f"the tests send what no tests send: {clean(str(exc))}") from exc
        return reply

    def _refuse_accident(self, program: Candidate) -> None:
        """Raise where the tests' worker ended over nothing that the solution answers."""
        if lost_by_accident(program.ended):
            self._bench.tests_lost = True
            raise SuiteError("the tests' worker was lost")

    def _look_at_many(self, relay: Relay, tests: ProgramTests) -> None:
        """Say whose doing it is where the number of calls, and not the last of them, took the solution's time.

        Raises:
            SuiteError: the tests would call the canonical solution as often, or nobody knows.
        """
        end = self._candidate.ended
        if relay.calls <= _SOME_CALLS or end is None or end.reason not in {EndReason.CPU, EndReason.WALL}:
            return
        if time.monotonic() - relay.began >= self._candidate.wall_seconds * _SHORT:
            return
        self._bench.note_end(self._candidate)
        if not self._asks_on(relay, tests) and end.cpu_seconds < relay.calls * _QUICK_SECONDS:
            raise SuiteError("the tests call the solution more often than its time allows")

    def _asks_on(self, relay: Relay, tests: ProgramTests) -> bool:
        """Note and say whether the tests call this solution more often than they call the canonical one in all.

        How often they do is the same on a slow machine, and with a solution that gives the canonical one's answers.
        """
        usual = usual_calls(self._bench, self._suite, tests)
        self._asked_on = usual is not None and relay.calls > usual
        return self._asked_on

    def _failed(self, name: str, error: FromCandidate, relay: Relay) -> Finding:
        """Say which assertion of the tests does not hold, by the last call that they made."""
        workdir = self._candidate.workdir
        reply, own = relay.reply, isinstance(error, AssertionError)
        if (why := why_not_passed(error)) is not None:
            message, reply = why, None
        elif reply is not None and reply.error is not None and not own:
            message = "raised an exception"
        elif own:
            message = "an assertion does not hold"
        elif relay.call is None:
            message = f"the tests raise {clean(error.class_name)} before they call it"
        else:
            message = f"the tests raise {clean(error.class_name)} on its answer"
        return Finding(
            failure_class=FailureClass.WRONG_LOGIC,
            message=message,
            check=name,
            input=relay.shown(workdir),
            actual=None if reply is None else _shown(reply, workdir),
        )

    def _lose_tests(self, relay: Relay) -> None:
        """Say that the tests ended over what the solution answered, and that those behind were not reached."""
        self._findings += self._unending(relay.shown(self._candidate.workdir))

    def _lose_answer(self, relay: Relay, what: str) -> None:
        """Say that the tests did not get an answer, and that those behind were not reached."""
        name, *behind = self._left
        unsent = Finding(
            failure_class=FailureClass.RESOURCE_LIMIT,
            message=f"returned {clean(what)}, which does not reach the tests",
            check=name,
            input=relay.shown(self._candidate.workdir),
        )
        self._findings += [unsent, *map(_not_reached, behind)]

    def _unending(self, asking: str | None) -> list[Finding]:
        name, *behind = self._left
        message = "the tests did not come to an end on its answers"
        ended = Finding(failure_class=FailureClass.RESOURCE_LIMIT, message=message, check=name, input=asking)
        return [ended, *map(_not_reached, behind)]

    # --- tests that are calls ---------------------------------------------------------------------------------------

    def _call_each(self, planned: list[Asked]) -> None:
        """Make the calls of tests that say what they expect."""
        if not planned:
            raise SuiteError("none of its tests can be asked here")
        self._left = [asked.check for asked in planned]
        self._asking = ", ".join(describe(arg) for arg in planned[0].call.args)
        replies = self._candidate.stream(
            (asked.call for asked in planned), at_once=_AT_ONCE if self._first_only else len(planned)
        )
        for asked, reply in zip(planned, replies, strict=False):
            self._left.pop(0)
            after = len(planned) - len(self._left)
            self._asking = shown_arguments(planned[after].call) if self._left else None
            if self._original:
                self._bench.recorded.append(asked.call)
            if (finding := self._judge(asked, reply)) is not None:
                self._findings.append(finding)
                if self._first_only:
                    return

    def _run_each(self, planned: list[Asked]) -> None:
        """Run a program once for each test, in a worker of its own: no run sees what another has left."""
        self._left = [asked.check for asked in planned]
        for number, asked in enumerate(planned):
            self._asking = shown_arguments(asked.call)
            if number:
                self._bench.load(self._candidate, self._program, cpu_seconds=self._cpu_seconds)
            (reply,) = self._candidate.batch([asked.call])
            self._left.pop(0)
            if self._original:
                self._bench.recorded.append(asked.call)
            if (finding := self._judge(asked, reply)) is not None:
                self._findings.append(finding)
                if self._first_only:
                    return
            if number + 1 < len(planned):
                lingering = blame.on_lingering(self._candidate.end(), check=asked.check)
                if lingering and self._original:
                    self._findings += lingering
                    self._left.clear()
                    return

    def _judge(self, asked: Asked, reply: Reply) -> Finding | None:
        workdir = self._candidate.workdir
        if reply.error is None and reply.too_large is None and asked.holds(reply.value):
            return None
        message = "returned another value"
        if reply.error is not None:
            message = "raised an exception"
        elif reply.too_large is not None:
            message = f"returned {clean(reply.too_large)}"
        return Finding(
            failure_class=FailureClass.WRONG_LOGIC,
            message=message,
            check=asked.check,
            input=shown_arguments(asked.call),
            actual=_shown(reply, workdir),
            expected=asked.expected,
        )


def _not_reached(check: str) -> Finding:
    return Finding(failure_class=FailureClass.RESOURCE_LIMIT, message=NO_ANSWER, check=check)


def _shown(reply: Reply, workdir: str) -> str | None:
    if reply.error is not None:
        return blame.raised(reply.error, workdir=workdir)
    return None if reply.too_large is not None else describe(reply.value, workdir=workdir)
