"""The props layer: Hypothesis properties, run here, against the candidate in its sandbox."""

from __future__ import annotations

import copy
import hashlib
import random
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from hypothesis.errors import Flaky, HypothesisDeprecationWarning, Unsatisfiable, UnsatisfiedAssumption

from codegen_eval.judge import blame
from codegen_eval.judge.bench import Bench
from codegen_eval.judge.candidate import Candidate
from codegen_eval.judge.describe import clip, describe
from codegen_eval.judge.examples import Example, explore
from codegen_eval.judge.recorder import Recorder
from codegen_eval.judge.reply import Reply
from codegen_eval.judge.values import FromCandidate, NotLoadedError, TamperingError, WorkerEndedError
from codegen_eval.layers.unit import show_input
from codegen_eval.task import Kind, Property
from codegen_eval.verdict import FailureClass, Finding, LayerResult, Verdict


@dataclass(kw_only=True)
class _Run:
    """What happened while one property ran."""

    executed: int = 0
    asking: Property | None = None
    """The property that is being asked, where it is not the one that was begun with."""
    failing: Mapping[str, object] | None = None
    unsure: bool = False
    """The planned examples could not all be checked, and none that was checked fails."""
    fatal: bool = False
    """The worker ended, or lied: what comes after would cost the whole limit again."""


class Props:
    """Run every property of the task; a minimal failing input is a finding."""

    name = "props"

    def __init__(self, bench: Bench) -> None:
        self._bench = bench
        self._candidate = bench.unloaded()
        """In the worker that was started last."""
        self._known: dict[tuple[str, int, int], Reply] = {}
        """Answers to what planned examples ask first: by property, number of the example, place of the question."""
        self._sweeping = False
        """That worker has been asked planned examples only, and may be asked more."""

    def run(self) -> LayerResult:
        """Judge the solution."""
        bench = self._bench
        if bench.suite is not None:
            from codegen_eval.suite.differential import with_differential

            made = with_differential(bench, bench.suite)
            if isinstance(made, str):
                return LayerResult(layer=self.name, verdict=Verdict.SKIP, reason=made)
            bench.task = made
        if not bench.task.properties:
            return LayerResult(layer=self.name, verdict=Verdict.SKIP, reason="the task has no properties")
        executed = 0
        bench.recorded.clear()
        ahead = _Run()
        finding = self._attempt(bench.task.properties[0], ahead, lambda: self._ask_ahead(ahead))
        if finding is not None:
            return LayerResult(layer=self.name, verdict=Verdict.FAIL, findings=(finding,), facts=self._facts())
        findings: list[Finding] = []
        for law in bench.task.properties:
            run = _Run()
            finding = self._check(law, run)
            executed += run.executed
            if finding is not None:
                findings.append(finding)
                if run.fatal:
                    break
            elif not run.executed:
                reason = f"every example of property {law.id} was assumed away"
                verdict = Verdict.ERROR if bench.suite is None else Verdict.SKIP
                return LayerResult(layer=self.name, verdict=verdict, reason=reason)
        try:
            findings += self._leave()
        except TamperingError as exc:
            findings.append(blame.on_tampering(exc, check=None))
        facts = self._facts() if findings else self._facts() | {"examples": executed}
        verdict = Verdict.FAIL if findings else Verdict.PASS
        return LayerResult(layer=self.name, verdict=verdict, findings=tuple(findings), facts=facts)

    def _facts(self) -> dict[str, int | str]:
        return {"properties": len(self._bench.task.properties)}

    def _check(self, law: Property, run: _Run) -> Finding | None:
        """Run one property on its planned examples and, where they don't all hold, have Hypothesis shrink."""
        recorded = len(self._bench.recorded)
        examples = self._bench.examples(law)
        broken: Finding | None = None
        if examples is not None:
            broken = self._attempt(law, run, lambda: self._sweep(law, examples, run))
            if run.fatal or (broken is None and not run.unsure):
                return broken
            del self._bench.recorded[recorded:]
            run.executed = 0
        shrunk = self._attempt(law, run, lambda: self._explore(law, run))
        return _two_ways(law) if broken is not None and shrunk is None else shrunk

    def _attempt(self, law: Property, run: _Run, ask: Callable[[], None]) -> Finding | None:
        """Ask; return what is wrong."""
        workdir = self._candidate.workdir
        try:
            ask()
        except NotLoadedError as exc:
            return blame.on_load(exc.error, workdir=workdir)
        except WorkerEndedError:
            law, run.fatal = run.asking or law, True
            end = self._candidate.ended
            self._bench.note_end(self._candidate)
            if not self._candidate.loaded:
                return blame.on_end(end, FailureClass.WRONG_LOGIC, check="load", shown_input=None)
            shown = None if run.failing is None else _show(run.failing)
            return blame.on_end(end, law.aimed_at, check=law.id, shown_input=shown)
        except TamperingError as exc:
            law, run.fatal = run.asking or law, True
            return blame.on_tampering(exc, check=law.id)
        except Flaky:
            return _two_ways(law)
        except Unsatisfiable:
            return None
        except Exception as exc:  # noqa: BLE001 - whatever a broken law raises, the reference does not
            return self._broken(law, run, self._candidate.last, exc, workdir)
        return None

    def _load(self, *, laws: int) -> Candidate:
        """Start a fresh worker, with the CPU time of so many properties."""
        self._candidate = self._bench.unloaded()
        self._bench.load(self._candidate, cpu_seconds=laws * self._bench.settings.cpu_seconds)
        return self._candidate

    def _leave(self) -> list[Finding]:
        """End the worker that is sweeping; return what it left. Raises TamperingError where it had sent too much."""
        was, self._sweeping = self._sweeping, False
        return blame.on_lingering(self._candidate.end()) if was and self._candidate.ended is None else []

    def _sweep(self, law: Property, examples: Sequence[Example], run: _Run) -> None:
        """Check the law on planned examples, in order. Raises what the law raises on the first that fails.

        All properties of the task share one worker for this.
        """
        candidate = self._candidate if self._sweeping else self._load(laws=len(self._bench.task.properties))
        self._sweeping = True
        recorder = Recorder(candidate, self._bench.recorded)
        try:
            with warnings.catch_warnings():
                # Hypothesis wants `assume` inside its own runs only
                warnings.simplefilter("ignore", HypothesisDeprecationWarning)
                for number, example in enumerate(examples):
                    places = [(call, (law.id, number, place)) for place, call in enumerate(example.asked)]
                    recorder.know([(call, self._known[where]) for call, where in places if where in self._known])
                    run.failing = copy.deepcopy(example.drawn)
                    law.check(recorder, **run.failing)
                    run.executed += 1
        except UnsatisfiedAssumption:
            run.unsure = True
        run.failing = None

    def _ask_ahead(self, run: _Run) -> None:
        """Ask at once, mixed, what all planned examples of all properties ask before they look at an answer.

        The order follows from the solution's source, so that it repeats, and a solution can't tell by its place which
        property a question is for.
        """
        bench = self._bench
        if bench.task.text.kind is Kind.CLASS:  # an object is no answer; what it does then is
            return
        questions = [
            (law, example, (law.id, number, place))
            for law in bench.task.properties
            for number, example in enumerate(bench.examples(law) or ())
            for place in range(len(example.asked))
        ]
        key = repr((bench.settings.seed, bench.task.id, bench.solution.source)).encode("utf-8", "surrogatepass")
        random.Random(hashlib.sha256(key).digest()).shuffle(questions)  # noqa: S311 - an order, not a secret
        candidate = self._load(laws=len(bench.task.properties))
        self._sweeping = True
        answers = candidate.stream([example.asked[place] for _, example, (_, _, place) in questions])
        for law, example, where in questions:
            run.asking, run.failing = law, example.drawn
            self._known[where] = next(answers)

    def _explore(self, law: Property, run: _Run) -> None:
        """Generate and shrink in a worker of its own. Raises what the law raises on the minimal failing input."""
        self._leave()
        candidate = self._load(laws=1)
        candidate.settle()
        recorder = Recorder(candidate, self._bench.recorded)

        def body(**drawn: object) -> None:
            candidate.last = None
            previous, run.failing = run.failing, drawn
            try:
                law.check(recorder, **drawn)
            except UnsatisfiedAssumption:
                run.failing = previous
                raise
            run.executed += 1
            run.failing = previous

        explore(law, body, seed=self._bench.settings.seed, task=self._bench.task.id)
        candidate.end()

    @staticmethod
    def _broken(law: Property, run: _Run, last: Reply | None, exc: Exception, workdir: str) -> Finding:
        shown = None if run.failing is None else _show(run.failing)
        actual: str | None
        if isinstance(exc, FromCandidate):
            message, actual = "raised an exception", blame.raised(exc, workdir=workdir)
        else:
            message = "the property does not hold"
            actual = None if last is None or last.error is not None else describe(last.value, workdir=workdir)
        return Finding(
            failure_class=law.aimed_at,
            message=message,
            check=law.id,
            input=shown,
            actual=None if actual is None else clip(actual),
        )


def _show(drawn: Mapping[str, object]) -> str:
    return show_input((), drawn)


def _two_ways(law: Property) -> Finding:
    message = "it answered the same question in two ways"
    return Finding(failure_class=FailureClass.NON_DETERMINISM, message=message, check=law.id)
