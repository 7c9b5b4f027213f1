"""One run from request to results: generate, judge, score, write.

`results.json` holds what is the same on every machine, `results.run.json` beside it what varies.
"""

from __future__ import annotations

import secrets
import time
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path

import structlog

from codegen_eval.asking import Asker, paid_by_run
from codegen_eval.budget import Budget
from codegen_eval.crew import do_all
from codegen_eval.errors import CodegenEvalError, InputError
from codegen_eval.events import Event
from codegen_eval.generation import Assignment, Generated, assign, generate, mark_syntax_errors
from codegen_eval.interfaces import Suites
from codegen_eval.json_file import write_atomic
from codegen_eval.judge.bench import CPU_SHARE, Settings
from codegen_eval.layers import llm_review
from codegen_eval.ledger import Ledger
from codegen_eval.material import Material, OwnTasks
from codegen_eval.models import Model
from codegen_eval.models.mock import MockModel
from codegen_eval.models.provider import make_model
from codegen_eval.pipeline import Pipeline, Plan
from codegen_eval.progress import RunProgress
from codegen_eval.references import failing_references
from codegen_eval.resources import resource_root
from codegen_eval.results import (
    Annotation,
    Results,
    RunRecord,
    SandboxRecord,
    Spending,
    Timing,
    check_place,
    dump,
    run_record_path,
)
from codegen_eval.review.desk import ReviewDesk
from codegen_eval.review.reviewer import ModelReviewer
from codegen_eval.run_record import (
    cost_from_scratch,
    datasets_of,
    facts_of,
    measures_of,
    parameters_of,
    resources_of,
    versions,
)
from codegen_eval.run_request import Means, Request
from codegen_eval.run_results import assemble_results, find_twins, judged_again
from codegen_eval.run_session import Session
from codegen_eval.sandbox.attestation import Attestation
from codegen_eval.sandbox.choice import Choice, Wish, choose_sandbox
from codegen_eval.sandbox.survey import attest_like
from codegen_eval.strategy import TURNS
from codegen_eval.task import Task

GRACE_SECONDS = 20.0
"""How long calls in flight may go on once something has ended the run: they are paid for."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ready:
    """A run that can begin: everything that can be refused has been looked at, and nothing is written yet."""

    request: Request
    means: Means
    material: Material
    tasks: Mapping[str, Task]
    model: Model
    choice: Choice
    session: Session
    reviewer: Model | None = None
    attestation: Attestation | None = None
    """None for the shipped corpus, which needs none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Finished:
    """A run whose results are written."""

    results: Results
    record: RunRecord


@contextmanager
def prepare(
    request: Request, means: Means, out: Path, material: Material | None = None, *, earlier: Session | None = None
) -> Iterator[Ready]:
    """Check a request against this machine and start its sandboxes; they end with the block.

    Without material the run is about the shipped tasks. A run that goes on asks where its earlier session did.

    Raises:
        InputError: a task has changed, the model's provider is unknown, a budget is set and a price is unknown, `out`
            can't be a file, or the environment would have another server asked than before.
        SandboxUnavailableError: no sandbox of the kind asked for can be had.
        SandboxTooWeakError: a real model would answer, and a limit that the sandbox promises does not bite.
    """
    check_place(out)
    material = material or OwnTasks()
    tasks = request.load_tasks(material)
    _check_prices(request, means)
    model = _model(request, means)
    reviewer = _reviewer(request, means)
    session = Session.of(means, model, reviewer)
    if earlier is not None:
        earlier.require_same_place(session)
    generated = len(tasks) * len(request.strategies) * len(request.models) * request.samples
    performance = sum(bool(task.performance) for task in tasks.values())
    choice = choose_sandbox(_wish(request, means, generated + performance), run_id=secrets.token_hex(8))
    try:
        attestation = _attest(choice, means) if request.real else None
        yield Ready(
            request=request,
            means=means,
            material=material,
            tasks=tasks,
            model=model,
            reviewer=reviewer,
            choice=choice,
            session=session,
            attestation=attestation,
        )
    finally:
        choice.provider.close()


def _wish(request: Request, means: Means, expected: int) -> Wish:
    return Wish(
        name=means.sandbox,
        runtime=means.runtime,
        memory_mib=request.memory_mib,
        jobs=means.jobs,
        expected=expected,
        trusted=not request.real,
        allow_unsafe=means.allow_unsafe,
    )


def _attest(choice: Choice, means: Means) -> Attestation:
    """Try the sandbox's limits.

    Raises:
        SandboxTooWeakError: one that it promises does not bite.
    """
    clock = time.monotonic()
    attestation = attest_like(choice.provider, runtime=means.runtime)
    structlog.get_logger().info(
        Event.SANDBOX_ATTESTED,
        sandbox=attestation.sandbox,
        seconds=round(time.monotonic() - clock, 1),
        **attestation.counts(),
    )
    attestation.require()
    return attestation


def execute(ready: Ready, ledger: Ledger, out: Path, progress: RunProgress) -> Finished:
    """Do a run, or what is left of it, and write its results.

    Raises:
        InputError, EnvironmentFaultError: as the parts say. What was done is in the ledger.
    """
    log = structlog.get_logger()
    started, clock = datetime.now(UTC), time.monotonic()
    request, means, tasks, choice = ready.request, ready.means, ready.tasks, ready.choice
    if choice.warning:
        log.warning(Event.SANDBOX_CHOSEN, sandbox=choice.provider.name, warning=choice.warning)
    else:
        log.info(Event.SANDBOX_CHOSEN, sandbox=choice.provider.name)
    if request.pays:
        ledger.begin_session(ready.session.model_dump(mode="json"))
    for deviation in request.deviations:
        log.warning(Event.PROTOCOL_DEVIATED, warning=deviation)
    suites = None if ready.attestation is None else ready.material.suites(ready.attestation.python)
    left_out = dict(ready.material.left_out)
    if suites is not None:
        failing = _failing(ready, suites, ledger, progress)
        left_out |= failing
        request, ready = _without(ready, failing)
        tasks = ready.tasks
    till = _till(ready, ledger, progress)
    try:
        generated = _generate(ready, till.asker, progress)
    except BaseException:
        progress.stop()
        raise
    solutions = sorted((each.solution for each in generated), key=lambda solution: solution.id)
    drafts = sorted((e.draft for e in generated if e.draft and request.drafts), key=lambda draft: draft.id)
    twins = find_twins(solutions, drafts)
    pipeline = Pipeline(
        _plan(request, means, ready.attestation),
        tasks=tasks,
        task_folders=ready.material.folders(request.tasks),
        provider=choice.provider,
        store=ledger,
        progress=progress,
        desk=_desk(ready, till),
        suites=suites,
    )
    with ThreadPoolExecutor(1, thread_name_prefix="facts") as side:  # which waits for the first sandbox
        asked = side.submit(choice.provider.facts)
        judged = pipeline.run([*solutions, *(draft for draft in drafts if draft.id not in twins)])
        facts = asked.result()
    results = assemble_results(
        request, solutions, drafts, judged | {draft: judged_again(judged[twins[draft]]) for draft in twins}
    )
    write_atomic(out, dump(results))
    record = RunRecord(
        started=started,
        finished=datetime.now(UTC),
        versions=facts_of(versions()),
        sandbox=SandboxRecord.of(facts),
        attestation=ready.attestation,
        parameters=parameters_of(request, means, ready.session, choice.warning),
        deviations=request.deviations,
        spent_now=till.spent if request.pays else None,
        spent_in_all=till.paid_before + till.spent if request.pays else None,
        from_scratch=cost_from_scratch(results) if request.pays else None,
        datasets=datasets_of(request, results.corpus),
        left_out=facts_of(left_out),
        known_bad=facts_of(ready.material.known_bad(request.tasks)),
        resources=resources_of(time.monotonic() - clock),
        timings=tuple(Timing(solution=name, measures=measures_of(judged[name].measures)) for name in sorted(judged)),
        annotations=tuple(
            Annotation(solution=name, rules=one.annotations) for name, one in sorted(judged.items()) if one.annotations
        ),
        leftovers=choice.provider.not_removed,
    )
    write_atomic(run_record_path(out), dump(record))
    ledger.finish()
    log.info(Event.RUN_FINISHED, results=str(out), solutions=len(solutions))
    return Finished(results=results, record=record)


def _failing(ready: Ready, suites: Suites, ledger: Ledger, progress: RunProgress) -> Mapping[str, str]:
    """Return the problems whose own canonical solution does not pass, before any model is asked about them."""
    request, means = ready.request, ready.means
    choice = choose_sandbox(_wish(request, means, len(ready.tasks)), run_id=secrets.token_hex(8))
    try:
        failing = failing_references(
            tuple(ready.tasks.values()),
            _plan(request, means, ready.attestation),
            suites=suites,
            provider=choice.provider,
            store=ledger,
            progress=progress,
        )
    finally:
        choice.provider.close()
    for name, why in failing.items():
        structlog.get_logger().warning(Event.PROBLEM_LEFT_OUT, task=name, warning=why)
    return failing


def _without(ready: Ready, failing: Mapping[str, str]) -> tuple[Request, Ready]:
    """Return the run without some of its problems.

    Raises:
        InputError: none is left.
    """
    kept = tuple(name for name in ready.request.tasks if name not in failing)
    if not kept:
        name, why = next(iter(failing.items()))
        raise InputError(f"no problem is left to run: `{name}`: {why}")
    request = ready.request.model_copy(update={"tasks": kept})
    return request, replace(ready, request=request, tasks={name: ready.tasks[name] for name in kept})


def _plan(request: Request, means: Means, attestation: Attestation | None) -> Plan:
    settings = Settings(
        seed=request.seed,
        max_mutants=request.max_mutants,
        wall_seconds=request.timeout_seconds,
        cpu_seconds=CPU_SHARE * request.timeout_seconds,
    )
    return Plan(
        layers=request.layers,
        settings=settings,
        jobs=means.jobs,
        memory_mib=request.memory_mib,
        python="" if attestation is None else attestation.python,
    )


def _model(request: Request, means: Means) -> Model:
    if not request.real:
        return MockModel(resource_root() / "corpus")
    return make_model(request.mode, base_url=means.base_url, concurrency=means.concurrency, policy=means.policy)


def _reviewer(request: Request, means: Means) -> Model | None:
    name = request.reviewer_name
    if name is None or llm_review.NAME not in request.layers:
        return None
    try:
        return make_model(
            name.mode, base_url=means.reviewer_base_url, concurrency=means.concurrency, policy=means.policy
        )
    except CodegenEvalError as exc:
        exc.message = f"the reviewer: {exc.message}"
        exc.hint = exc.hint and exc.hint.replace("`--base-url`", "`--reviewer-base-url`")
        raise


def _check_prices(request: Request, means: Means) -> None:
    """Refuse a budget that could not be kept.

    Raises:
        InputError: a model's price is unknown.
    """
    if means.budget_usd is None:
        return
    prices = request.price_table()
    for name in request.priced:
        if prices.price(name) is None:
            raise InputError(
                f"a budget can't be kept: the price of model `{name}` is unknown",
                hint="give its price in a file with `--prices`, or leave `--budget-usd` out",
            )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Till:
    """Who asks models, out of one budget."""

    asker: Asker
    """Of solutions."""
    reviewer: Asker | None
    paid: tuple[Asker, ...]
    """Those of the two whose replies cost money."""
    paid_before: Spending
    """What the run had paid before this session."""

    @property
    def spent(self) -> Spending:
        """What was paid in this session."""
        return sum((asker.spent for asker in self.paid), Spending())


def _till(ready: Ready, ledger: Ledger, progress: RunProgress) -> _Till:
    prices = ready.request.price_table()
    before = paid_by_run(ledger, prices) if ready.request.pays else Spending()
    budget = Budget(ready.means.budget_usd if ready.request.pays else None, spent=before.usd or Decimal(0))
    asker = Asker(
        ready.model,
        ledger,
        prices,
        budget=budget if ready.request.real else None,
        on_reply=progress.reply_had,
    )
    reviewer = None if ready.reviewer is None else Asker(ready.reviewer, ledger, prices, budget=budget)
    paid = ((asker,) if ready.request.real else ()) + ((reviewer,) if reviewer is not None else ())
    return _Till(asker=asker, reviewer=reviewer, paid=paid, paid_before=before)


def _desk(ready: Ready, till: _Till) -> ReviewDesk | None:
    """Return where reviews are asked for; None where nobody reviews."""
    request, name = ready.request, ready.request.reviewer_name
    if name is None or till.reviewer is None:
        return None
    reviewer = ModelReviewer(
        name, ask=till.reviewer, prices=request.price_table(), temperature=request.reviewer_temperature
    )
    return ReviewDesk(reviewer, policy=request.review_policy, concurrency=ready.means.concurrency)


def _generate(ready: Ready, asker: Asker, progress: RunProgress) -> list[Generated]:
    """Have every solution written.

    Raises:
        ModelError, LedgerError, BudgetExhaustedError: the first that comes. Calls in flight had some time to end.
    """
    request, prices, prompts = ready.request, ready.request.price_table(), ready.material.briefing
    assignments = assign(tuple(ready.tasks.values()), request.strategies, request.models, request.samples)
    progress.start_replies(sum(TURNS[assignment.strategy] for assignment in assignments))

    def work(assignment: Assignment) -> Generated:
        return generate(assignment, ask=asker, prices=prices, prompts=prompts, sampling=request.sampling)

    if not request.real:
        return [work(assignment) for assignment in assignments]
    generated = do_all(assignments, work, threads=ready.means.concurrency, stop=asker.stop, grace_seconds=GRACE_SECONDS)
    marked = mark_syntax_errors(generated)
    structlog.get_logger().info(Event.GENERATION_FINISHED, solutions=len(marked), calls=asker.spent.calls)
    return marked
