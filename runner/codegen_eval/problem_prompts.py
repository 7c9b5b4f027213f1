"""What the strategies show of problems of public sets.

=============  ======================================================================================================
strategy       what it shows
=============  ======================================================================================================
`bare`         the prompt as its set has it: the beginning of a program to go on with, or a description
`spec`         what `bare` shows; that a complete module is wanted, what it defines, and the libraries it may use
`test-first`   what `spec` shows, and the tests that the set means to be shown
`self-review`  what `spec` shows; then its own answer, to be revised
=============  ======================================================================================================

Tests that decide and are not part of the prompt are never shown. HumanEval's examples stand in its prompt. MBPP's
assertions are, as published, part of the prompt: without them nobody knows the function's name; so they are shown under
every strategy, and MBPP has no hidden tests. HumanEvalFix has tests to be shown, and LiveCodeBench has public cases.
Where a set has none of its own, `test-first` says that what stands in the prompt must pass.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable

from codegen_eval.datasets import Problem, PromptForm, Tests
from codegen_eval.datasets.problem import CheckTests, FunctionalTests, StdinTests
from codegen_eval.models import Message
from codegen_eval.samples.assembly import around, wanted_name
from codegen_eval.solution import Strategy
from codegen_eval.strategy import converse
from codegen_eval.task import Task
from codegen_eval.template import prompt_templates

_MOST_SHOWN = 20_000
"""Characters of tests in one prompt. Cases that don't fit are left out whole."""
_SHORTEST_FENCE = 3


class ProblemPrompts:
    """The templates for problems, whose parts are looked up as they are needed."""

    def __init__(self, problem: Callable[[str], Problem], tests: Callable[[str], Tests]) -> None:
        self._problem = problem
        self._tests = tests
        self._templates = prompt_templates()

    def messages(self, task: Task, strategy: Strategy, *, earlier: tuple[str, ...] = ()) -> tuple[Message, ...]:
        """Return the conversation, as `Briefing` says."""
        problem = self._problem(task.id)
        tests = self._tests(task.id) if strategy is Strategy.TEST_FIRST or problem.test_form == "functional" else None
        shown = shown_tests(problem, tests) if tests is not None and strategy is Strategy.TEST_FIRST else None
        statement = problem.prompt.strip("\n")

        def render(name: str) -> str:
            return self._templates.get_template(f"problem/{name}.j2").render(
                statement=statement,
                fence=_fence(statement),
                continues=problem.form is PromptForm.CODE,
                entry_point=problem.entry_point,
                owner=tests.owner if isinstance(tests, FunctionalTests) else None,
                libraries=problem.libraries,
                shown=shown,
                shown_fence=_fence(shown or ""),
            )

        return converse(strategy, earlier, render)

    def wanted(self, task: Task) -> str:
        """Return the entry point; of a program, which has none, any other name."""
        return wanted_name(self._problem(task.id))

    def program(self, task: Task, code: str) -> str:
        """Return the code with the prompt's helpers, or the whole prompt, before it."""
        return around(self._problem(task.id), code)


def shown_tests(problem: Problem, tests: Tests) -> str | None:
    """Return the tests of a problem that models may see and that its prompt doesn't show; None where there are none."""
    match tests:
        case CheckTests(shown=str(shown)) if len(shown) <= _MOST_SHOWN:
            return shown.strip("\n")
        case StdinTests(cases=cases):
            return _fitting(f"Input:\n{case.stdin}\nOutput:\n{case.stdout}\n" for case in cases if case.shown)
        case FunctionalTests(cases=cases):
            return _fitting(
                f"{problem.entry_point} with the arguments (JSON)\n{chr(10).join(case.arguments)}\n"
                f"returns (JSON)\n{case.expected}\n"
                for case in cases
                if case.shown
            )
    return None


def _fitting(cases: Iterable[str]) -> str | None:
    """Return the cases that fit, one after another."""
    kept: list[str] = []
    room = _MOST_SHOWN
    for case in cases:
        if len(case) <= room:
            kept.append(case)
            room -= len(case)
    return "\n".join(kept).strip("\n") or None


def _fence(text: str) -> str:
    """Return a fence of backticks that nothing in the text closes."""
    return "`" * max(_SHORTEST_FENCE, max(map(len, re.findall(r"`+", text)), default=0) + 1)
