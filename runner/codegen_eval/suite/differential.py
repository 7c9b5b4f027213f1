"""A property for free: on inputs like those of the tests, a solution does what the canonical solution does.

The inputs are drawn from strategies that are inferred from the arguments which the tests pass: numbers between the
smallest and the largest, texts of the same letters, containers of the same shapes and sizes. So they stay where the
tests are, and a difference is a difference and not yet a proof: findings say so by the name of the check.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Sequence

from hypothesis import assume

from codegen_eval.datasets.problem import InputTests
from codegen_eval.interfaces import WorkerLimits
from codegen_eval.judge.bench import Bench
from codegen_eval.judge.candidate import Call, Candidate
from codegen_eval.judge.compare import loosely_same
from codegen_eval.judge.values import FromCandidate, NotLoadedError, Opaque, TamperingError, WorkerEndedError
from codegen_eval.task import Property, Task
from codegen_eval.verdict import FailureClass

from . import Suite
from .inference import infer
from .oracle import accepts

CHECK = "differs-from-canonical"
"""The id of the property: what it finds is labelled with it."""
_MOST_SAMPLES = 200
_WALL_SECONDS = 10.0
_LIMITS = WorkerLimits(cpu_seconds=30.0)
_TOLERANCE = 1e-6


def with_differential(bench: Bench, suite: Suite) -> Task | str:
    """Return the bench's task with the property, or why it has none."""
    if suite.problem.canonical is None:
        return "the problem has no canonical solution to compare with"
    if suite.problem.entry_point is None:
        return "the solution is a program, for which no inputs are drawn"
    calls = _samples(bench, suite)
    if not calls:
        return "no inputs are known: the tests do not get as far as to call the solution"
    arguments = infer([tuple(call.args) for call in calls if not call.kwargs])
    if arguments is None:
        return "no inputs can be drawn like those of the tests"
    law = Property(
        id=CHECK,
        aimed_at=FailureClass.WRONG_LOGIC,
        strategies={"args": arguments},
        check=_Law(bench, suite).check,
    )
    return dataclasses.replace(bench.task, properties=(law,))


def _samples(bench: Bench, suite: Suite) -> Sequence[Call]:
    """Return calls that the tests make."""
    if not bench.recorded:
        from codegen_eval.judge.values import SuiteError

        from .run import run_suite

        try:
            run_suite(bench)
        except SuiteError:
            return ()
    del suite
    step = max(1, len(bench.recorded) // _MOST_SAMPLES)
    return list(bench.recorded[::step][:_MOST_SAMPLES])


def contracted(suite: Suite) -> str:
    """Return the canonical solution, which refuses inputs that break the problem's contract where it has one."""
    canonical, prompt = suite.problem.canonical or "", suite.problem.prompt
    contract = suite.tests.contract if isinstance(suite.tests, InputTests) else ""
    if not contract.strip():
        return canonical
    place = len(prompt) if canonical.startswith(prompt) and f"def {suite.entry_point}(" in prompt else -1
    if place < 0:  # MBPP+ has whole functions: it stands behind the line that begins the one that is called
        head = re.search(rf"^def {re.escape(suite.entry_point)}\(.*\).*:[ \t]*(#.*)?\n", canonical, re.MULTILINE)
        if head is None:
            return canonical
        place = head.end()
    lines = contract.strip("\n")
    return f"{canonical[:place]}\n{lines}\n{canonical[place:]}"


class _Law:
    """Compares a candidate with the canonical solution, which runs in the tests' sandbox."""

    def __init__(self, bench: Bench, suite: Suite) -> None:
        self._bench = bench
        self._suite = suite
        self._program = contracted(suite)
        self._reference: Candidate | None = None

    def check(self, candidate: Candidate, args: tuple[object, ...]) -> None:
        """Assert that both do the same where the canonical solution answers at all."""
        expected = self._expected(args)
        actual = candidate(*args)
        assert self._same(args, expected, actual), "it answers otherwise than the canonical solution"  # noqa: S101

    def _expected(self, args: tuple[object, ...]) -> object:
        """Return the canonical solution's answer; an input that it does not answer counts for nothing."""
        try:
            if self._reference is None or self._reference.ended is not None:
                self._reference = Candidate(self._bench.beside, self._suite.entry_point, wall_seconds=_WALL_SECONDS)
                self._reference.load(self._program, _LIMITS)
            (reply,) = self._reference.batch([Call(args=args)])
        except (WorkerEndedError, NotLoadedError, TamperingError):
            self._reference = None
            assume(False)
        assume(reply.error is None and reply.too_large is None and not isinstance(reply.value, Opaque))
        assume(self._same(args, reply.value, reply.value))  # an answer that isn't even equal to itself
        return reply.value

    def _same(self, args: tuple[object, ...], expected: object, actual: object) -> bool:
        tests = self._suite.tests
        if not isinstance(tests, InputTests):
            tests = InputTests(base=(), plus=(), atol=_TOLERANCE)
        try:
            return accepts(tests, args, expected, actual) or loosely_same(actual, expected)
        except FromCandidate:
            return False
