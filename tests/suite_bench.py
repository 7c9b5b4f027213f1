"""Judge programs by tests of a problem set's form, over two real sandboxes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Protocol

from codegen_eval.datasets.problem import (
    AssertTests,
    CheckTests,
    Problem,
    PromptForm,
    StdinCase,
    StdinTests,
    Tests,
    UnittestTests,
)
from codegen_eval.datasets.suite import case_methods
from codegen_eval.interfaces import Sandbox
from codegen_eval.judge.bench import Bench, Settings
from codegen_eval.layers.unit import Unit
from codegen_eval.sandbox import wire
from codegen_eval.sandbox.process import ProcessProvider
from codegen_eval.suite import Suite
from codegen_eval.verdict import LayerResult
from factories import make_solution

Pair = tuple[Sandbox, Sandbox]
Checked = Callable[[str, str], LayerResult]

_FORGE = """\
import json, os, struct
def frames(*messages):
    data = b""
    for message in messages:
        body = json.dumps(message).encode()
        data += struct.pack({frame!r}, len(body)) + body
    for fd in range(3, 20):
        try:
            os.write(fd, data)
        except OSError:
            pass
def f(x):
    {call}
    return None
"""


class Judging(Protocol):
    """Judges a source by a suite."""

    def __call__(self, suite: Suite, source: str, *, wall_seconds: float = 5.0) -> LayerResult:
        """Return what the unit layer says."""


def make_problem(
    *, entry_point: str | None = "f", canonical: str | None = None, preamble: str = "", uses: tuple[str, ...] = ()
) -> Problem:
    """Return a problem of no certain set."""
    return Problem(
        dataset="humaneval",
        id="HumanEval/0",
        line=1,
        prompt="def f(x):\n",
        form=PromptForm.CODE,
        entry_point=entry_point,
        preamble=preamble,
        canonical=canonical,
        test_form="check",
        test_count=1,
        uses=uses,
    )


def make_suite(tests: Tests, *, problem: Problem | None = None) -> Suite:
    """Return a problem with tests."""
    return Suite(problem=problem or make_problem(), tests=tests)


def check(*lines: str, before: str = "", canonical: str | None = None) -> Suite:
    """Return a suite whose `check` has these lines."""
    body = "".join(f"    {line}\n" for line in "\n".join(lines).split("\n"))
    tests = CheckTests(code=f"{before}\ndef check(candidate):\n{body}")
    return make_suite(tests, problem=make_problem(canonical=canonical))


def asserts(*statements: str, setup: str = "") -> Suite:
    """Return a suite of assertions that call `f`."""
    return make_suite(AssertTests(setup=setup, asserts=statements))


def cases(text: str, *, canonical: str | None = None) -> Suite:
    """Return a suite whose class of `unittest` has this body, or is in this program, and which calls `f`."""
    if "class TestCases" not in text:
        body = "".join(f"    {line}\n" for line in text.strip("\n").split("\n"))
        text = f"import unittest\nclass TestCases(unittest.TestCase):\n{body}"
    tests = UnittestTests(code=text, case_classes=("TestCases",), methods=case_methods(text, ["TestCases"]))
    return make_suite(tests, problem=make_problem(canonical=canonical))


def make_bench(suite: Suite, source: str, sandboxes: Pair, *, wall_seconds: float = 5.0) -> Bench:
    """Return a bench on which a source is judged by a suite."""
    solution, tests = sandboxes
    return Bench(
        sandbox=solution,
        task=suite.task,
        solution=make_solution(task=suite.problem.id, source=source),
        settings=Settings(wall_seconds=wall_seconds, cpu_seconds=0.4 * wall_seconds),
        suite=suite,
        tests_sandbox=tests,
    )


@contextmanager
def two_sandboxes() -> Iterator[Pair]:
    """Give a sandbox for the solution and one for the tests."""
    provider = ProcessProvider(memory_mib=256)
    pair = provider.open(), provider.open()
    try:
        yield pair
    finally:
        for sandbox in pair:
            sandbox.close()
        provider.close()


def judge_in(sandboxes: Pair) -> Judging:
    """Return a function that judges there."""

    def run(suite: Suite, source: str, *, wall_seconds: float = 5.0) -> LayerResult:
        return Unit(make_bench(suite, source, sandboxes, wall_seconds=wall_seconds)).run()

    return run


def runs(*pairs: tuple[str, str]) -> Suite:
    """Return a suite of runs of a program."""
    cases = tuple(StdinCase(stdin=given, stdout=printed) for given, printed in pairs)
    return make_suite(StdinTests(cases=cases), problem=make_problem(entry_point=None))


def forge(call: str) -> str:
    """Return a solution that writes frames of its own."""
    return _FORGE.format(frame=wire.FRAME.format, call=call)
