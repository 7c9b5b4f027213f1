"""What a layer works with: candidates in fresh workers, and the settings of the run."""

from __future__ import annotations

from dataclasses import dataclass, field

from codegen_eval.frozen import Frozen
from codegen_eval.interfaces import EndReason, Sandbox, WorkerLimits
from codegen_eval.judge.candidate import Call, Candidate
from codegen_eval.judge.examples import Example, plan_examples
from codegen_eval.solution import Solution
from codegen_eval.suite import Suite
from codegen_eval.task import Kind, Property, Task
from codegen_eval.verdict import LayerResult

CPU_SHARE = 0.4
"""A worker's CPU budget as a share of the wall limit: what computes is decided by CPU time, on a loaded machine too."""


_COMPUTING_SECONDS = 0.03
"""What sleeps or waits uses less CPU time than this until a wall limit: starting takes a third of it. What computes
gets more on any machine, also where a control group of containers has one share beside many busy processes."""


class Settings(Frozen):
    """What a run sets for the layers that run in judges."""

    seed: int = 0
    max_mutants: int = 20
    wall_seconds: float = 5.0
    """Longest wait for one answer."""
    cpu_seconds: float = 2.0
    """CPU time of one worker, except on performance cases."""
    budgets: dict[str, float] = {}
    """CPU seconds for each performance case, from the reference's own measure."""
    patience: float = 1.0
    """By how much wall limits are longer: for a second try on a loaded machine."""
    unit_verdict: str | None = None
    """What the unit layer said of this solution; None where it is off."""


class Outcome(Frozen):
    """What a judge says of one layer on one solution."""

    result: LayerResult
    measures: dict[str, float] = {}
    """Figures of time, which never go into the results."""
    wall_timeout: bool = False
    """It hung on a wall limit with CPU to spare: worth one more try, alone."""
    starved: bool = False
    """It had computed until that wall limit, so a longer one may tell more."""
    judge_lost: bool = False
    """The judge ended over it. Worth one more try."""
    not_up: bool = False
    """A worker did not come up. Worth one more try in a fresh sandbox."""
    tests_lost: bool = False
    """The worker of a suite's tests ended by accident. Worth one more try."""
    answers: str | None = None
    """What a suite's canonical solution answers to its inputs, encoded, where that was asked now."""
    first_worker: bool = True
    """That was the first worker of its sandbox: nothing of the solution had run there."""


@dataclass(kw_only=True)
class Bench:
    """One solution's sandbox and the settings; shared by the layers that judge that solution."""

    sandbox: Sandbox
    task: Task
    solution: Solution
    settings: Settings
    recorded: list[Call] = field(default_factory=list)
    """Calls that properties made, for telling equivalent mutants."""
    planned: dict[tuple[str, int], tuple[Example, ...] | None] = field(default_factory=dict)
    """The examples of each property and seed that were planned so far."""
    measures: dict[str, float] = field(default_factory=dict)
    wall_timeout: bool = False
    starved: bool = False
    workers: int = 0
    """How many were started for this bench."""
    suite: Suite | None = None
    """Tests that came with somebody's problem; None where the task has cases of our own form."""
    tests_sandbox: Sandbox | None = None
    """Holds the suite's tests, and never the solution."""
    tests_lost: bool = False
    """Their worker ended by accident."""
    answers: list[object] | None = None
    """What the canonical solution answers to the suite's inputs, once that is known."""

    @property
    def beside(self) -> Sandbox:
        """The sandbox of the suite's tests."""
        if self.tests_sandbox is None:
            raise LookupError("there is no sandbox for tests")
        return self.tests_sandbox

    def examples(self, law: Property) -> tuple[Example, ...] | None:
        """Return the planned examples of a property, planning them where nobody has; None: they can't be planned."""
        key = law.id, self.settings.seed
        if key not in self.planned:
            self.planned[key] = plan_examples(law, seed=self.settings.seed, task=self.task.id)
        return self.planned[key]

    def note_end(self, candidate: Candidate) -> None:
        """Note whether a worker's end was a wall limit, which load can bring about."""
        end = candidate.ended
        if end is not None and end.reason is EndReason.WALL:
            self.wall_timeout = True
            self.starved |= end.cpu_seconds > _COMPUTING_SECONDS

    def unloaded(self, *, wall_seconds: float | None = None, entry_point: str | None = None) -> Candidate:
        """Return a candidate whose worker is not started yet."""
        wall = self.settings.wall_seconds if wall_seconds is None else wall_seconds
        entry = self.task.text.entry_point if entry_point is None else entry_point
        wall *= self.settings.patience
        relays, kind = self.suite is not None, self.task.text.kind
        return Candidate(self.sandbox, entry, wall_seconds=wall, relays=relays, kind=kind)

    def load(self, candidate: Candidate, source: str | None = None, *, cpu_seconds: float | None = None) -> None:
        """Start the candidate's worker, which runs the source before its first call."""
        cpu = self.settings.cpu_seconds if cpu_seconds is None else cpu_seconds
        self.workers += 1
        text = self.solution.source if source is None else source
        if self.task.text.kind is Kind.PROGRAM:
            from codegen_eval.suite.program import around_program

            text = around_program(text)
        candidate.load(text, WorkerLimits(cpu_seconds=cpu))
