"""Is a task sound? Its reference passes, every case and property can fail, and hidden cases add to the shown ones."""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Mapping
from pathlib import Path

from codegen_eval.judge.bench import Bench
from codegen_eval.judge.examples import EXAMPLES
from codegen_eval.layers.performance import run_performance
from codegen_eval.layers.props import Props
from codegen_eval.layers.unit import NO_ANSWER, run_cases
from codegen_eval.mutator import mutants
from codegen_eval.program import Unmutable
from codegen_eval.task_fault import Places
from codegen_eval.verdict import FailureClass, Finding, LayerResult, Verdict

_MUTANTS = 150
_MUTANT_SECONDS = 0.2
_MUTANT_FACTOR = 5.0
"""Of the reference's own CPU time, where that is more: what it imports takes mutants as long."""
_LAW_MUTANTS = 20
"""Mutants that properties are tried on, where no planted bug breaks them."""


class Soundness:
    """Run the reference, the planted bugs and mutants of the reference against the task's own tests."""

    name = "soundness"

    def __init__(self, bench: Bench, folder: Path) -> None:
        self._bench = bench
        self._folder = folder
        self._unusable: dict[str, str] = {}
        """What is wrong with bugs that answer no case at all."""
        self._mutants: dict[str, str] = {}

    def run(self) -> LayerResult:
        """Return a finding for each thing that is unsound."""
        problems = self._reference()
        if not problems:
            bugs = {
                path.name: path.read_text(encoding="utf-8") for path in sorted((self._folder / "bugs").glob("*.py"))
            }
            failed_by = self._failures(bugs)
            problems = [*self._bugs(bugs, failed_by), *self._cases(failed_by), *self._properties(bugs)]
        findings = tuple(Finding(failure_class=FailureClass.WRONG_LOGIC, message=problem) for problem in problems)
        return LayerResult(layer=self.name, verdict=Verdict.FAIL if findings else Verdict.PASS, findings=findings)

    def _reference(self) -> list[str]:
        """The reference passes every case, performance case and property."""
        bench = self._bench
        findings, _ = run_cases(bench, bench.task.cases)
        for case in bench.task.performance:
            findings += run_performance(bench, case)
        places = Places(self._folder)
        problems = [
            f"the reference fails case `{f.check}`: {f.message}{_compared(f)}{places.of(f.check or '')}"
            for f in findings
        ]
        result = Props(bench).run()
        problems += [
            f"the reference fails property `{f.check}`: {f.message} ({f.input}){places.of(f.check or '')}"
            for f in result.findings
        ]
        if result.verdict is Verdict.ERROR:
            problems.append(result.reason or "the properties can't be run")
        return problems

    def _failures(self, bugs: Mapping[str, str]) -> dict[str, set[str]]:
        """Return the ids of the cases that each bug and mutant fails."""
        bench = self._bench
        try:
            population = mutants(bench.solution.source, limit=_MUTANTS, seed=0)
        except Unmutable:
            population = ()
        self._mutants = {mutant.id: mutant.source for mutant in population}
        programs = dict(bugs) | self._mutants
        cpu_seconds = max(_MUTANT_SECONDS, _MUTANT_FACTOR * bench.measures.get("cases_cpu_seconds", 0.0))
        known = {case.id for case in bench.task.cases}
        failed_by: dict[str, set[str]] = {}
        for name, source in programs.items():
            findings, _ = run_cases(bench, bench.task.cases, source, cpu_seconds=cpu_seconds)
            failed_by[name] = {f.check for f in findings if f.check in known and f.message != NO_ANSWER}
            if not failed_by[name] and findings:
                self._unusable[name] = findings[0].message
        return failed_by

    def _bugs(self, bugs: Mapping[str, str], failed_by: Mapping[str, set[str]]) -> list[str]:
        """Every planted bug passes the shown cases and fails a hidden one."""
        shown = {case.id for case in self._bench.task.shown}
        problems = []
        for name in bugs:
            if failed_by[name] & shown:
                problems.append(f"bug `{name}` fails the shown case `{min(failed_by[name] & shown)}`")
            if name in self._unusable:
                problems.append(f"bug `{name}` answers no case: {self._unusable[name]}")
            elif not failed_by[name]:
                problems.append(f"bug `{name}` passes every case")
        return problems

    def _cases(self, failed_by: Mapping[str, set[str]]) -> list[str]:
        """Every case fails something; a hidden one fails what passes all the shown ones."""
        shown = {case.id for case in self._bench.task.shown}
        places = Places(self._folder)
        subtle = [failed for failed in failed_by.values() if not failed & shown]
        problems = []
        for case in self._bench.task.cases:
            against = failed_by.values() if case.shown else subtle
            if not any(case.id in failed for failed in against):
                what = (
                    "mutant or planted bug" if case.shown else "mutant or planted bug that passes all the shown cases"
                )
                problems.append(f"case `{case.id}` fails no {what}{places.of(case.id)}")
        return problems

    def _properties(self, bugs: Mapping[str, str]) -> list[str]:
        """Every property executes enough examples on the reference and fails on a planted bug, or on a mutant."""
        bench = self._bench
        failing: set[str] = set()
        laws = {law.id for law in bench.task.properties}
        mutants_to_try = itertools.islice(self._mutants.values(), _LAW_MUTANTS)
        for place, source in enumerate((*bugs.values(), *mutants_to_try)):
            if place >= len(bugs) and laws <= failing:
                break
            solution = bench.solution.model_copy(update={"source": source})
            result = Props(dataclasses.replace(bench, solution=solution, recorded=[])).run()
            failing |= {finding.check for finding in result.findings if finding.check}
        problems = [
            f"property `{p.id}` fails on no planted bug, and on no mutant of the reference"
            for p in bench.task.properties
            if p.id not in failing
        ]
        for law in bench.task.properties:
            alone = dataclasses.replace(bench, task=dataclasses.replace(bench.task, properties=(law,)), recorded=[])
            executed = Props(alone).run().facts.get("examples", 0)
            if isinstance(executed, int) and executed < EXAMPLES:
                problems.append(f"property `{law.id}` executed {executed} examples, fewer than {EXAMPLES}")
        return problems


def _compared(finding: Finding) -> str:
    """Return what a case got, and what it says should come."""
    got = f", got {finding.actual}" if finding.actual is not None else ""
    return got + (f", expected {finding.expected}" if finding.expected is not None else "")
