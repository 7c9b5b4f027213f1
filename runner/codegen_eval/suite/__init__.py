"""Tests that came with somebody's problem: run in a sandbox that holds them and not the solution.

The tests call the solution through the judge, which passes values on and notes what was asked. So the tests can't hurt
this machine, and the solution can't reach them: it sees arguments, as everywhere.
"""

from __future__ import annotations

import hashlib
import re

from codegen_eval.datasets import Problem, Tests
from codegen_eval.datasets.problem import (
    AssertTests,
    CheckTests,
    FunctionalTests,
    InputTests,
    Oracle,
    StdinTests,
    UnittestTests,
)
from codegen_eval.frozen import Frozen
from codegen_eval.task import PROGRAM, Task, TaskText

from .apart import runs_answers, why_not_apart

_PLAIN = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_MAX_SUMMARY = 120


class Suite(Frozen):
    """A problem of a public set with its tests."""

    problem: Problem
    tests: Tests
    expected: str | None = None
    """What the canonical solution answers to inputs that come without answers, encoded; None: not asked yet."""

    @property
    def unusable(self) -> str | None:
        """Why these tests can't be run here; None where they can."""
        if isinstance(self.tests, UnittestTests) and (why := why_not_apart(self.problem, self.tests)) is not None:
            return why
        if isinstance(self.tests, AssertTests | CheckTests | UnittestTests) and runs_answers(self.tests):
            return "its tests run what a solution answers as a program"
        if self.problem.entry_point is None and not isinstance(self.tests, StdinTests):
            return "it does not say what its tests call"
        if not _PLAIN.fullmatch(self.entry_point):
            return "the name of its entry point is no identifier"
        return None

    @property
    def unclaimable(self) -> str | None:
        """Why a call that a reviewer names can't be made to the solution and the canonical one; None where it can."""
        if self.problem.canonical is None:
            return "the problem has no canonical solution to compare with"
        if self.problem.entry_point is None:
            return "the solution is a program and no function"
        if isinstance(self.tests, FunctionalTests) and self.tests.owner is not None:
            return "the solution is a class"
        if isinstance(self.tests, InputTests) and self.tests.oracle is not Oracle.EQUAL:
            return "the problem takes several answers for right"
        return None

    @property
    def entry_point(self) -> str:
        """What is called in the solution's module."""
        return self.problem.entry_point or PROGRAM

    @property
    def task(self) -> Task:
        """The problem as a task: without cases and properties of our own form."""
        entry = self.entry_point if _PLAIN.fullmatch(self.entry_point) else PROGRAM
        digest = hashlib.sha256(self.model_dump_json(exclude={"expected"}).encode()).hexdigest()
        text = TaskText(
            entry_point=entry,
            signature=f"def {entry}(...):",
            summary=f"{self.problem.dataset} {self.problem.id}"[:_MAX_SUMMARY],
            statement=self.problem.prompt,
            constraints=("As the statement says.",),
            edge_cases=("As the statement says.",),
        )
        return Task(
            id=self.problem.id,
            text=text,
            cases=(),
            performance=(),
            properties=(),
            reference=self.problem.canonical or "",
            digest=digest,
        )
