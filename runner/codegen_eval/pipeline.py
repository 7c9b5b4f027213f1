"""The pipeline: every solution through every layer, each outcome into the ledger as it comes.

The only place where a failure of ours becomes `Verdict.ERROR`.
"""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path

import structlog
from pydantic import JsonValue

from codegen_eval import __version__
from codegen_eval.battery import is_sandboxed
from codegen_eval.errors import CodegenEvalError, SandboxUnavailableError
from codegen_eval.events import Event
from codegen_eval.gate import Gate
from codegen_eval.interfaces import OutcomeStore, SandboxProvider, Suites
from codegen_eval.judge.bench import Outcome, Settings
from codegen_eval.judge.pool import JudgePool
from codegen_eval.judge.server import CALIBRATE, Job
from codegen_eval.layers import llm_review
from codegen_eval.layers.lint import Lint, LintItem, attach
from codegen_eval.layers.performance import PERFORMANCE_FLOOR_SECONDS
from codegen_eval.ledger import key_of
from codegen_eval.no_answer import results_without_answer
from codegen_eval.patience import PAUSES, second_try
from codegen_eval.place import Place, SpareSandboxes
from codegen_eval.progress import Progress
from codegen_eval.review.desk import ReviewDesk
from codegen_eval.solution import Solution
from codegen_eval.task import Task
from codegen_eval.verdict import FailureClass, Finding, LayerResult, Verdict, combine

_BATCH = 64
"""Solutions that are scanned together. Another batch is begun when no more than this many are in work."""
_GRACE_SECONDS = 20.0
"""How long reviews that were asked for may still come when an error ends a run. Who interrupts it doesn't wait."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """What to run on every solution."""

    layers: tuple[str, ...]
    settings: Settings
    jobs: int
    memory_mib: int
    python: str = ""
    """Version of the Python that runs solutions, where it is known; the store gives nothing of another one."""
    annotated: bool = True
    """Other tools scan every solution; where not, those alone in which the lint layer finds anything."""


@dataclass(kw_only=True)
class Judged:
    """What the battery said of one solution, and what it took."""

    solution: Solution
    results: dict[str, LayerResult] = field(default_factory=dict)
    measures: dict[str, float] = field(default_factory=dict)
    annotations: tuple[str, ...] = ()
    """What other tools flag in it, as `line:bandit:B307`."""


class Pipeline:
    """Run the battery. Collaborators are the caller's: this opens and closes only sandboxes and judges."""

    def __init__(
        self,
        plan: Plan,
        *,
        tasks: Mapping[str, Task],
        task_folders: Mapping[str, Path],
        provider: SandboxProvider,
        store: OutcomeStore,
        progress: Progress,
        desk: ReviewDesk | None = None,
        suites: Suites | None = None,
    ) -> None:
        self._desk = desk
        self._plan = plan
        self._tasks = tasks
        self._folders = task_folders
        self._provider = provider
        self._store = store
        self._progress = progress
        self._log = structlog.get_logger()
        asked = "props" in plan.layers or "mutation" in plan.layers
        self._judges = JudgePool(seed=plan.settings.seed if asked else None)
        self._suites = suites
        self._spare = None if suites is None else SpareSandboxes(provider)
        self._gate = Gate()
        self._stopping = threading.Event()
        self._budgets: dict[str, Future[dict[str, float] | str]] = {}

    def run(self, solutions: Sequence[Solution]) -> dict[str, Judged]:
        """Judge all solutions; return what was said, by solution id.

        Raises:
            As `stream`.
        """
        found = {one.solution.id: one for one in self.stream(solutions, total=len(solutions))}
        return {solution.id: found[solution.id] for solution in solutions}

    def stream(self, solutions: Iterable[Solution], *, total: int) -> Iterator[Judged]:
        """Judge solutions and yield each as it is done, in no certain order; once only.

        No more than two batches of them are held at a time, so `solutions` may be as long as it likes. `total` is what
        progress is measured by.

        Raises:
            SandboxUnavailableError: no sandbox can be had any more. What was done is in the ledger.
            CodegenEvalError: the reviewer can't be asked, for a reason that will not go away.
            KeyboardInterrupt: after everything that ran was stopped.
        """
        self._progress.start(total)
        coming = iter(solutions)
        working: dict[Future[None], tuple[Judged, ...]] = {}
        owed: dict[str, int] = {}
        with ThreadPoolExecutor(self._plan.jobs + 1, thread_name_prefix="job") as executor:
            try:
                while True:
                    if len(owed) <= _BATCH:
                        batch = tuple(Judged(solution=solution) for solution in islice(coming, _BATCH))
                        for future, ones in self._submit(executor, batch):
                            working[future] = ones
                            for one in ones:
                                owed[one.solution.id] = owed.get(one.solution.id, 0) + 1
                    if not working:
                        return
                    done, _ = wait(working, return_when=FIRST_COMPLETED)
                    for future in done:
                        future.result()
                        for one in working.pop(future):
                            owed[one.solution.id] -= 1
                            if not owed[one.solution.id]:
                                del owed[one.solution.id]
                                yield one
            finally:
                self._stop(executor)

    def _stop(self, executor: ThreadPoolExecutor) -> None:
        """End everything that runs."""
        self._stopping.set()
        if self._desk is not None:
            hurried = sys.exception() is not None and not isinstance(sys.exception(), Exception)
            self._desk.close(grace_seconds=0.0 if hurried else _GRACE_SECONDS)
        executor.shutdown(wait=False, cancel_futures=True)
        self._judges.close()
        if self._spare is not None:
            self._spare.close()
        self._provider.close()
        self._progress.stop()

    def _submit(
        self, executor: ThreadPoolExecutor, batch: tuple[Judged, ...]
    ) -> Iterator[tuple[Future[None], tuple[Judged, ...]]]:
        """Start what a batch needs; yield each piece of work with the solutions that wait for it."""
        there = tuple(one for one in batch if one.solution.outcome.can_be_judged)
        if there and any(map(is_sandboxed, self._plan.layers)):
            self._judges.expect(dict.fromkeys(self._folder(one.solution.task) for one in there))
        if there and "lint" in self._plan.layers:
            yield executor.submit(self._lint, there), there
        self._begin_reviews([one.solution for one in there])
        self._calibrate_all(executor, there)
        for one in batch:
            yield executor.submit(self._judge, one), (one,)

    # --- one solution -----------------------------------------------------------------------------------------------

    def _judge(self, judged: Judged) -> None:
        """Run the layers that need the sandbox, and the reviewer, on one solution."""
        if self._stopping.is_set():
            return
        solution = judged.solution
        reviewed = None if self._desk is None else self._desk.take(solution)  # before a sandbox is opened for it
        started = time.monotonic()
        self._progress.solution_started(solution.id)
        if not solution.outcome.can_be_judged:
            for result in results_without_answer(solution.outcome, self._plan.layers).values():
                self._record(result, judged)
            self._progress.solution_recalled(solution.id)
            return
        suite = None if self._suites is None else self._suites.suite(solution.task)
        bench = Place(
            self._provider, self._judges, self._folder(solution.task), solution, suite=suite, spare=self._spare
        )
        bench.reviewed = reviewed
        fresh = False
        try:
            for layer in self._plan.layers:
                if layer == "lint" or self._stopping.is_set():
                    continue
                fresh |= self._one_layer(layer, judged, bench)
        finally:
            bench.close()
        judged.measures["wall_seconds"] = round(time.monotonic() - started, 3)
        if fresh:
            verdict = combine(result.verdict for result in judged.results.values())
            self._progress.solution_finished(solution.id, verdict)
        else:
            self._progress.solution_recalled(solution.id)

    def _one_layer(self, layer: str, judged: Judged, place: Place) -> bool:
        """Run a layer where it is not known what it says; say whether it was run."""
        solution, settings = judged.solution, self._plan.settings
        if layer == "mutation" and "unit" in judged.results:
            settings = settings.model_copy(update={"unit_verdict": judged.results["unit"].verdict.value})
        key = self._key(layer, solution, settings)
        known = self._store.get_outcome(key)
        if known is not None:
            self._record(known, judged, Event.LAYER_RECALLED)
            return False
        try:
            outcome = self._run_layer(layer, solution, settings, place)
        except SandboxUnavailableError:
            raise
        except CodegenEvalError as exc:
            outcome = Outcome(result=LayerResult(layer=layer, verdict=Verdict.ERROR, reason=exc.message))
        except Exception as exc:  # noqa: BLE001 - the one place where a fault of ours becomes a verdict
            reason = f"{type(exc).__name__}: {exc}"[:300]
            self._log.error(Event.LAYER_BROKE, layer=layer, solution=solution.id, reason=reason)
            outcome = Outcome(result=LayerResult(layer=layer, verdict=Verdict.ERROR, reason=reason))
        if self._stopping.is_set():
            return True  # what a sandbox says while it is being torn down is no evidence
        if outcome.result.verdict is not Verdict.ERROR:
            self._store.put_outcome(key, outcome.result)
        judged.measures |= {f"{layer}.{name}": round(value, 6) for name, value in outcome.measures.items()}
        self._record(outcome.result, judged)
        return True

    def _record(self, result: LayerResult, judged: Judged, event: Event = Event.LAYER_FINISHED) -> None:
        judged.results[result.layer] = result
        solution = judged.solution.id
        self._progress.layer_finished(solution, result.layer, result.verdict)
        self._log.info(event, solution=solution, layer=result.layer, verdict=result.verdict.value)

    def _run_layer(self, layer: str, solution: Solution, settings: Settings, place: Place) -> Outcome:
        task = self._tasks[solution.task]
        if layer == llm_review.NAME:
            return self._review(solution, settings, place)
        if layer == "unit" and task.performance:
            budgets = self._budgets[task.id].result()
            if isinstance(budgets, str):
                return Outcome(result=LayerResult(layer=layer, verdict=Verdict.ERROR, reason=budgets))
            settings = settings.model_copy(update={"budgets": budgets})
        return self._in_judge(Job(layer=layer, settings=settings), solution, place)

    def _in_judge(self, job: Job, solution: Solution, place: Place) -> Outcome:
        """Run a job in the solution's judge; once more, alone, where that may tell more."""
        outcome = self._once(job, place, self._gate.together())
        hung = (outcome.wall_timeout or outcome.judge_lost or outcome.tests_lost) and not place.gave_second_try
        again = hung or outcome.not_up or place.lost
        for pause in PAUSES:
            if not again or self._stopping.wait(pause):
                break
            self._log.info(Event.LAYER_REPEATED, solution=solution.id, layer=job.layer)
            place.gave_second_try |= hung
            place.patience = max(place.patience, second_try(starved=outcome.starved))
            place.close()  # what it left in its sandbox is not there the second time
            outcome = self._once(job, place, self._gate.alone())
            again = place.lost
            if outcome.not_up and not outcome.first_worker:
                why = "no worker could be started after it"
                finding = Finding(failure_class=FailureClass.RESOURCE_LIMIT, message=why)
                outcome = Outcome(result=LayerResult(layer=job.layer, verdict=Verdict.FAIL, findings=(finding,)))
        return outcome

    def _once(self, job: Job, place: Place, gate: AbstractContextManager[None]) -> Outcome:
        """Run a job in the solution's judge; with claims to check, over a sandbox of the reference's, too."""
        update: dict[str, object] = {"settings": job.settings.model_copy(update={"patience": place.patience})}
        with gate:
            judge = place.judge()
            reference = place.reference() if job.claims or place.suite is not None else None
            if reference is not None:
                update["reference_workdir"] = reference.workdir
            outcome = judge.run(job.model_copy(update=update), reference=reference)
        if outcome.answers is not None and place.suite is not None and self._suites is not None:
            self._suites.keep(place.suite, outcome.answers)
        return outcome

    def _folder(self, task: str) -> str:
        """Return where a task's judges find it; nowhere for problems that come with tests of their own."""
        return "" if self._suites is not None else str(self._folders[task])

    def _key(self, layer: str, solution: Solution, settings: Settings) -> str:
        """Return the ledger key: everything that determines this outcome."""
        desk = self._desk if layer == llm_review.NAME else None
        described: dict[str, JsonValue] = {
            "version": __version__,
            "layer": layer,
            "task": self._tasks[solution.task].digest,
            "source": solution.source,
            "settings": settings.model_dump(mode="json"),
            "memory_mib": self._plan.memory_mib,
            "python": self._plan.python.rpartition(".")[0],
        }
        return key_of(described | ({"reviewer": desk.identity} if desk else {}))

    # --- review -----------------------------------------------------------------------------------------------------

    def _begin_reviews(self, solutions: Iterable[Solution]) -> None:
        """Have those solutions reviewed of which it is not known yet what that gives."""
        if self._desk is not None and llm_review.NAME in self._plan.layers:
            for solution in solutions:
                if self._suites is not None and self._suites.suite(solution.task).unclaimable is not None:
                    continue
                key = self._key(llm_review.NAME, solution, self._plan.settings)
                if self._store.get_outcome(key) is None:
                    self._desk.begin(self._tasks[solution.task], solution)

    def _review(self, solution: Solution, settings: Settings, place: Place) -> Outcome:
        """Check what the reviewer claims of a solution."""
        reviewed = place.reviewed
        if self._desk is not None and place.suite is not None and place.suite.unclaimable is not None:
            return Outcome(result=llm_review.skip(place.suite.unclaimable))
        if self._desk is None or reviewed is None:
            return Outcome(result=llm_review.skip())
        executed = scanned = None
        if any(claim.call for claim in reviewed.claims):
            job = Job(layer=llm_review.NAME, settings=settings, claims=reviewed.claims)
            executed = self._in_judge(job, solution, place)
        if any(claim.cwe for claim in reviewed.claims):
            scanned = Lint(tools=()).run_batch([self._lint_item(solution)])[solution.id]
        result = llm_review.settle(reviewed, None if executed is None else executed.result, scanned, self._desk.policy)
        return (executed or Outcome(result=result)).model_copy(update={"result": result})

    # --- lint -------------------------------------------------------------------------------------------------------

    def _lint(self, batch: Sequence[Judged]) -> None:
        """Scan solutions together, in child processes."""
        lint = Lint()
        keys = {one.solution.id: self._key("lint", one.solution, self._plan.settings) for one in batch}
        by_id = {one.solution.id: one for one in batch}
        items: list[LintItem] = []
        for one in batch:
            known = self._store.get_outcome(keys[one.solution.id])
            if known is not None:
                self._record(known, one, Event.LAYER_RECALLED)
                continue
            items.append(self._lint_item(one.solution))
        scanned = lint.run_batch(items)
        flagged = {name for name, result in scanned.items() if result.findings}
        noted = [self._lint_item(one.solution) for one in batch if self._plan.annotated or one.solution.id in flagged]
        for solution_id, notes in lint.annotate(noted).items():
            by_id[solution_id].annotations = notes
        for solution_id, plain in scanned.items():
            if self._stopping.is_set():
                return
            result = attach(plain, by_id[solution_id].annotations)
            if result.verdict is not Verdict.ERROR:
                self._store.put_outcome(keys[solution_id], result)
            self._record(result, by_id[solution_id])

    def _lint_item(self, solution: Solution) -> LintItem:
        return LintItem(id=solution.id, source=solution.source, untrusted=self._tasks[solution.task].untrusted)

    # --- references -------------------------------------------------------------------------------------------------

    def _calibrate_all(self, executor: ThreadPoolExecutor, batch: Iterable[Judged]) -> None:
        """Have the references of all tasks with performance cases measured, before anything waits for them."""
        if "unit" not in self._plan.layers:
            return
        for task_id in sorted({one.solution.task for one in batch} - set(self._budgets)):
            if self._tasks[task_id].performance:
                self._budgets[task_id] = executor.submit(self._calibrate, self._tasks[task_id])

    def _calibrate(self, task: Task) -> dict[str, float] | str:
        """Return the CPU budget of each performance case of a task, or what is wrong with its reference."""
        if self._stopping.is_set():
            return "the run was stopped"
        reference = Solution(id=f"{task.id}/reference", task=task.id, strategy=None, model="", source=task.reference)
        place = Place(self._provider, self._judges, str(self._folders[task.id]), reference)
        job = Job(layer=CALIBRATE, settings=self._plan.settings)
        try:
            with self._gate.together():
                outcome = place.judge().run(job)
                if place.lost:
                    outcome = place.judge().run(job)
        except SandboxUnavailableError:
            raise
        except CodegenEvalError as exc:
            return exc.message
        finally:
            place.close()
        if outcome.result.verdict is not Verdict.PASS:
            return outcome.result.reason or "the reference could not be measured"
        return {
            case.id: max(PERFORMANCE_FLOOR_SECONDS, case.factor * outcome.measures[case.id])
            for case in task.performance
        }
