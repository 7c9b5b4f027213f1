"""The props layer: Hypothesis properties, run here, against the candidate in its sandbox."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import hypothesis
from hypothesis import HealthCheck, Phase, Verbosity, given, settings
from hypothesis.errors import Flaky, Unsatisfiable
from hypothesis.internal.conjecture import providers
from hypothesis.internal.constants_ast import Constants

from codegen_eval.interfaces import EndReason
from codegen_eval.judge import blame
from codegen_eval.judge.bench import Bench
from codegen_eval.judge.candidate import Call, Candidate, Reply
from codegen_eval.judge.describe import clean, clip, describe
from codegen_eval.judge.values import FromCandidate, TamperingError, WorkerEndedError
from codegen_eval.layers.unit import show_input
from codegen_eval.task import Property
from codegen_eval.verdict import FailureClass, Finding, LayerResult, Verdict

EXAMPLES = 50
"""Executed examples a property has when nothing fails."""


def _no_constants() -> object:
    """Stand in for Hypothesis's harvest of literals from local modules.

    The harvest depends on which modules happen to be imported and where they are installed, so an editable install and
    a wheel would generate different examples.
    """
    return Constants()


providers._get_local_constants = _no_constants  # type: ignore[assignment] # noqa: SLF001 - no public switch exists


@dataclass(kw_only=True)
class _Run:
    """What happened while one property ran."""

    executed: int = 0
    failing: Mapping[str, object] | None = None
    fatal: bool = False
    """The worker ended, or lied: what comes after would cost the whole limit again."""


class Recorder:
    """A candidate that notes the calls made through it."""

    def __init__(self, candidate: Candidate, calls: list[Call]) -> None:
        self._candidate = candidate
        self._calls = calls

    def __call__(self, *args: object, **kwargs: object) -> object:
        """Call the entry point."""
        self._calls.append(Call(args=args, kwargs=kwargs))
        return self._candidate(*args, **kwargs)

    def call(self, args: Sequence[object], *, files: Mapping[str, str | bytes | None] | None = None) -> object:
        """Call the entry point with files in the worker's directory."""
        self._calls.append(Call(args=args, files=files or {}))
        return self._candidate.call(args, files=files)

    def method(self, handle: object, name: str, *args: object) -> object:
        """Call a method of an object that the solution returned."""
        return self._candidate.method(handle, name, *args)


class Props:
    """Run every property of the task; a minimal failing input is a finding."""

    name = "props"

    def __init__(self, bench: Bench) -> None:
        self._bench = bench

    def run(self) -> LayerResult:
        """Judge the solution."""
        bench = self._bench
        if not bench.task.properties:
            return LayerResult(layer=self.name, verdict=Verdict.SKIP, reason="the task has no properties")
        findings: list[Finding] = []
        executed = 0
        bench.recorded.clear()
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
                return LayerResult(layer=self.name, verdict=Verdict.ERROR, reason=reason)
        facts: dict[str, int | str] = {"properties": len(bench.task.properties)}
        if not findings:
            facts["examples"] = executed
        verdict = Verdict.FAIL if findings else Verdict.PASS
        return LayerResult(layer=self.name, verdict=verdict, findings=tuple(findings), facts=facts)

    def _check(self, law: Property, run: _Run) -> Finding | None:
        """Run one property in a worker of its own."""
        candidate = self._bench.unloaded()
        workdir = candidate.workdir
        try:
            self._bench.load(candidate)
            if candidate.load_error is not None:
                return blame.on_load(candidate.load_error, workdir=workdir)
            self._explore(law, candidate, run)
            candidate.end()
        except WorkerEndedError:
            run.fatal = True
            self._bench.wall_timeout |= candidate.ended is not None and candidate.ended.reason is EndReason.WALL
            shown = None if run.failing is None else _show(run.failing)
            return blame.on_end(candidate.ended, law.aimed_at, check=law.id, shown_input=shown)
        except TamperingError as exc:
            run.fatal = True
            return blame.on_tampering(exc, check=law.id)
        except Flaky:
            message = "it answered the same question in two ways"
            return Finding(failure_class=FailureClass.NON_DETERMINISM, message=message, check=law.id)
        except Unsatisfiable:
            return None
        except Exception as exc:  # noqa: BLE001 - whatever a broken law raises, the reference does not
            return self._broken(law, run, candidate.last, exc, workdir)
        return None

    def _explore(self, law: Property, candidate: Candidate, run: _Run) -> None:
        """Generate and shrink. Raises what the law raises on the minimal failing input."""
        recorder = Recorder(candidate, self._bench.recorded)

        def body(**drawn: object) -> None:
            candidate.last = None
            previous, run.failing = run.failing, drawn
            try:
                law.check(recorder, **drawn)
            except hypothesis.errors.UnsatisfiedAssumption:
                run.failing = previous
                raise
            run.executed += 1
            run.failing = previous

        test = settings(
            max_examples=EXAMPLES,
            database=None,
            deadline=None,
            derandomize=False,
            phases=(Phase.generate, Phase.shrink),
            suppress_health_check=list(HealthCheck),
            report_multiple_bugs=False,
            print_blob=False,
            verbosity=Verbosity.quiet,
        )(hypothesis.seed(_seed(self._bench.settings.seed, self._bench.task.id, law.id))(given(**law.strategies)(body)))
        test()

    @staticmethod
    def _broken(law: Property, run: _Run, last: Reply | None, exc: Exception, workdir: str) -> Finding:
        shown = None if run.failing is None else _show(run.failing)
        actual: str | None
        if isinstance(exc, FromCandidate):
            message, actual = (
                "raised an exception",
                f"raises {clean(exc.class_name)}: {clean(exc.text, workdir=workdir)}",
            )
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


def _seed(*parts: object) -> int:
    """Derive a seed from everything that should change it."""
    return int.from_bytes(hashlib.sha256(repr(parts).encode()).digest()[:8])
