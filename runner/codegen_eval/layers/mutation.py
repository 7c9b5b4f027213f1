"""The mutation layer: would the cases notice if this green solution were slightly wrong?"""

from __future__ import annotations

import random
import secrets
from collections.abc import Sequence
from dataclasses import replace

from codegen_eval.interfaces import EndReason
from codegen_eval.judge.bench import Bench
from codegen_eval.judge.candidate import Call
from codegen_eval.judge.compare import same
from codegen_eval.judge.reply import Reply
from codegen_eval.judge.values import Handle, Iterator, NotLoadedError, TamperingError, WorkerEndedError
from codegen_eval.layers.props import Props
from codegen_eval.layers.unit import run_tests
from codegen_eval.mutator import Mutant, mutants
from codegen_eval.neutral import neutral
from codegen_eval.patience import second_try
from codegen_eval.program import Unmutable
from codegen_eval.verdict import FailureClass, Finding, LayerResult, Verdict

MIN_SCORE = 0.6
"""Killed / (killed + survived) below this is a fragile pass. Lower than what a careful task reaches (0.8 and more)."""
MIN_MUTANTS = 4
"""With fewer mutants that differ, a score says nothing."""
MUTANT_FLOOR_SECONDS = 0.05
"""Least CPU budget of a mutant: more than ten times what a batch of cases takes."""
MUTANT_FACTOR = 10.0
"""A mutant's CPU budget as a multiple of the original's."""
_MAX_RECORDED = 150
"""Recorded calls on which mutant and original are compared."""
_MAX_NAMED = 10


class Mutation:
    """Mutate a green solution and count the mutants that the cases kill."""

    name = "mutation"

    def __init__(self, bench: Bench) -> None:
        self._bench = bench
        self._original: tuple[list[Call], list[Reply] | None] | None = None
        """Recorded calls and what the original answers, once they were needed."""
        self._chance = random.Random(secrets.randbits(64))  # noqa: S311 - no solution can know what is drawn

    def run(self) -> LayerResult:
        """Judge the evidence for the solution."""
        bench = self._bench
        if not self._green():
            return self._skip("its cases do not all pass")
        try:
            population = mutants(bench.solution.source, limit=bench.settings.max_mutants, seed=bench.settings.seed)
        except Unmutable as exc:
            finding = Finding(failure_class=FailureClass.UNANALYSABLE, message=str(exc))
            return LayerResult(layer=self.name, verdict=Verdict.FAIL, findings=(finding,))
        if neutral(bench.solution.source, self._chance) is None:
            return self._skip("no copy of it can be made that means the same")
        budget = max(MUTANT_FLOOR_SECONDS, MUTANT_FACTOR * bench.measures.get("cases_cpu_seconds", 0.0))
        tally = {"killed": 0, "survived": 0, "timeout": 0, "equivalent": 0}
        survivors: list[Mutant] = []
        for number, mutant in enumerate(population, 1):
            fate = self._fate(mutant, budget)
            tally[fate] += 1
            if fate == "survived":
                survivors.append(mutant)
            if number in {len(population) // 2, len(population)}:
                broken = self._asked_again(dict(tally), changed=number < len(population))
                if broken is not None:
                    return broken
        return self._verdict(tally, survivors)

    def _green(self) -> bool:
        """Say whether all cases pass; run them where the unit layer didn't, in this judge."""
        said = self._bench.settings.unit_verdict
        if said is not None and (said != Verdict.PASS or "cases_cpu_seconds" in self._bench.measures):
            return said == Verdict.PASS
        findings, _ = run_tests(self._bench)
        return not findings

    def _asked_again(self, facts: dict[str, int | str], *, changed: bool) -> LayerResult | None:
        """Ask the original once more, or a copy that means the same; return what is wrong, None where it passes.

        A solution that counts its workers, or that compares its own code with what it should be, would have all its
        mutants killed and look well tested.
        """
        source = neutral(self._bench.solution.source, self._chance) if changed else None
        findings, _ = run_tests(self._bench, source, first_only=source is not None)
        if not findings:
            return None
        if any(finding.ended is EndReason.WALL for finding in findings):
            return LayerResult(
                layer=self.name, verdict=Verdict.SKIP, reason="its cases take too long to be asked again", facts=facts
            )
        failure_class, message = FailureClass.NON_DETERMINISM, "it fails its own cases when it is asked again"
        if source is not None:
            failure_class = FailureClass.FRAGILE_PASS
            message = "it fails its own cases once its code is another that means the same: its mutants say nothing"
        finding = Finding(failure_class=failure_class, message=message)
        return LayerResult(layer=self.name, verdict=Verdict.FAIL, findings=(finding,), facts=facts)

    def _fate(self, mutant: Mutant, budget: float) -> str:
        """Run the cases on one mutant, in other words than the original's."""
        mutant = replace(mutant, source=neutral(mutant.source, self._chance) or mutant.source)
        timed_out = self._bench.wall_timeout, self._bench.starved
        findings, _ = run_tests(self._bench, mutant.source, cpu_seconds=budget, first_only=True)
        patience = second_try(starved=False)
        if _took_too_long(findings) and patience > 1:  # gVisor counts waiting for a core as CPU time
            budget *= patience * 2
            findings, _ = run_tests(self._bench, mutant.source, cpu_seconds=budget, first_only=True)
        self._bench.wall_timeout, self._bench.starved = timed_out  # a mutant that hangs is no reason to try again
        if _took_too_long(findings):
            return "timeout"
        if findings:
            return "killed"
        return "equivalent" if self._equivalent(mutant, budget) else "survived"

    def _equivalent(self, mutant: Mutant, budget: float) -> bool:
        """Say whether a mutant answers all recorded calls as the original does."""
        if self._original is None:
            calls = self._recorded()
            self._original = calls, self._answers(None, calls, None)
        calls, original = self._original
        if original is None or not calls:
            return False
        changed = self._answers(mutant.source, calls, budget)
        return changed is not None and all(map(_same_reply, original, changed))

    def _recorded(self) -> list[Call]:
        """Return the calls that properties make, running them where the props layer didn't."""
        if not self._bench.recorded and self._bench.suite is None:
            Props(self._bench).run()
        recorded = self._bench.recorded
        if any(call.handle is not None for call in recorded):  # objects have numbers, in the order of their making
            return recorded[:_MAX_RECORDED]
        step = max(1, len(recorded) // _MAX_RECORDED)
        return recorded[::step][:_MAX_RECORDED]

    def _answers(self, source: str | None, calls: list[Call], budget: float | None) -> list[Reply] | None:
        candidate = self._bench.unloaded()
        try:
            self._bench.load(candidate, source, cpu_seconds=budget)
            answers = candidate.batch(calls)
            candidate.end()
        except (NotLoadedError, WorkerEndedError, TamperingError):
            return None
        return answers

    def _verdict(self, tally: dict[str, int], survivors: list[Mutant]) -> LayerResult:
        facts: dict[str, int | str] = dict(tally)
        decided = tally["killed"] + tally["survived"]
        if decided < MIN_MUTANTS:
            reason = f"only {decided} mutants differ from the original"
            return LayerResult(layer=self.name, verdict=Verdict.SKIP, reason=reason, facts=facts)
        facts["score_percent"] = 100 * tally["killed"] // decided
        if tally["killed"] >= MIN_SCORE * decided:
            return LayerResult(layer=self.name, verdict=Verdict.PASS, facts=facts)
        summary = f"the cases kill {tally['killed']} of {decided} mutants that differ"
        findings = [Finding(failure_class=FailureClass.FRAGILE_PASS, message=summary)]
        findings += [
            Finding(
                failure_class=FailureClass.FRAGILE_PASS, message=f"survived: {m.description}", line=m.line, check=m.id
            )
            for m in survivors[:_MAX_NAMED]
        ]
        return LayerResult(layer=self.name, verdict=Verdict.FAIL, findings=tuple(findings), facts=facts)

    def _skip(self, reason: str) -> LayerResult:
        return LayerResult(layer=self.name, verdict=Verdict.SKIP, reason=reason)


def _took_too_long(findings: Sequence[Finding]) -> bool:
    return any(finding.ended in {EndReason.CPU, EndReason.WALL} for finding in findings)


def _same_reply(one: Reply, other: Reply) -> bool:
    if one.error is not None or other.error is not None:
        return type(one.error) is type(other.error)
    if isinstance(one.value, Handle) and isinstance(other.value, Handle):
        return one.value.number == other.value.number
    return same(_items(one.value), _items(other.value))


def _items(value: object) -> object:
    """Return what an iterator yielded in a form that can be compared; anything else as it is."""
    return ("iterator", list(value.items), value.truncated) if isinstance(value, Iterator) else value
