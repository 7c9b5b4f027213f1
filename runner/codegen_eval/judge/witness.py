"""Is a seeded failure really there? Run its witness on the solution and on the reference."""

from __future__ import annotations

from codegen_eval.corpus import Seeded, WitnessKind, load_manifest
from codegen_eval.judge.bench import Bench
from codegen_eval.judge.candidate import Call
from codegen_eval.judge.compare import same
from codegen_eval.judge.reply import Reply
from codegen_eval.judge.values import NotLoadedError, TamperingError, WorkerEndedError
from codegen_eval.verdict import FailureClass, Finding, LayerResult, Verdict

_GROWTH_EXPONENT = 1.5
"""Between linear (1) and quadratic (2)."""
_SECONDS = 60.0


class WitnessCheck:
    """Check the witness of one seeded solution of the corpus."""

    name = "witness"

    def __init__(self, bench: Bench) -> None:
        self._bench = bench

    def run(self) -> LayerResult:
        """PASS where the witness shows the failure."""
        entry = next((entry for entry in load_manifest().seeded if entry.id == self._bench.solution.id), None)
        problem = "it is not in the manifest" if entry is None else self._problem(entry)
        if problem is None:
            return LayerResult(layer=self.name, verdict=Verdict.PASS)
        finding = Finding(failure_class=FailureClass.WRONG_LOGIC, message=problem)
        return LayerResult(layer=self.name, verdict=Verdict.FAIL, findings=(finding,))

    def _problem(self, entry: Seeded) -> str | None:
        match entry.witness.kind:
            case WitnessKind.INPUT:
                call = Call(args=entry.witness.arguments(), files=entry.witness.files)
                one, other = self._reply(None, call), self._reply(self._bench.task.reference, call)
                if other is None:
                    return "the reference gives no answer on the witness"
                return None if one is None or not _alike(one, other) else "the witness input tells no difference"
            case WitnessKind.PATTERN:
                found = (entry.witness.text or "") in self._bench.solution.source
                return None if found else "the witness pattern is not in the source"
            case WitnessKind.GROWTH:
                return self._growth(entry.witness.sizes)

    def _reply(self, source: str | None, call: Call) -> Reply | None:
        """Return what one call gives, None where the worker ended."""
        candidate = self._bench.unloaded()
        try:
            self._bench.load(candidate, source)
            (reply,) = candidate.batch([call])
            candidate.end()
        except NotLoadedError as exc:
            return Reply(error=exc.error)
        except (WorkerEndedError, TamperingError):
            return None
        return reply

    def _growth(self, sizes: tuple[int, ...]) -> str | None:
        """The solution's CPU time grows much faster than the size."""
        if not self._bench.task.performance:
            return "the task has no performance case to take inputs from"
        small, large = min(sizes), max(sizes)
        case = self._bench.task.performance[0]
        spent = [self._spent(Call(args=case.make_args(size))) for size in (small, large)]
        return None if spent[1] > spent[0] * (large / small) ** _GROWTH_EXPONENT else "it does not grow as said"

    def _spent(self, call: Call) -> float:
        candidate = self._bench.unloaded(wall_seconds=2 * _SECONDS)
        self._bench.load(candidate, cpu_seconds=_SECONDS)
        candidate.batch([call])
        return candidate.end().cpu_seconds


def _alike(one: Reply, other: Reply) -> bool:
    if one.error is not None or other.error is not None:
        return type(one.error) is type(other.error)
    return same(one.value, other.value, tolerance=1e-9)
