"""One run from request to results: generate, judge, score, write.

`results.json` holds what is the same on every machine, `results.run.json` beside it what varies.
"""

from __future__ import annotations

import resource
import secrets
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path

import structlog
from pydantic import Field, ValidationError

from codegen_eval import __version__
from codegen_eval.battery import select_layers
from codegen_eval.corpus import load_manifest
from codegen_eval.errors import InputError, LedgerError
from codegen_eval.events import Event
from codegen_eval.frozen import Frozen
from codegen_eval.generation import generate
from codegen_eval.json_file import write_atomic
from codegen_eval.judge.bench import CPU_SHARE, Settings
from codegen_eval.ledger import Ledger
from codegen_eval.models import Model
from codegen_eval.models.mock import MockModel
from codegen_eval.models.provider import load_provider
from codegen_eval.pipeline import Judged, Pipeline, Plan
from codegen_eval.pricing import load_prices
from codegen_eval.progress import Progress
from codegen_eval.resources import resource_root
from codegen_eval.results import (
    Annotation,
    Fact,
    Measure,
    Results,
    RunRecord,
    SandboxRecord,
    ScoredSolution,
    Timing,
    Truth,
    check_place,
    dump,
    run_record_path,
)
from codegen_eval.sandbox.attestation import Attestation
from codegen_eval.sandbox.choice import Choice, Wish, choose_sandbox
from codegen_eval.sandbox.survey import attest_like
from codegen_eval.solution import Solution, Strategy
from codegen_eval.strategy import Prompts
from codegen_eval.task import Task
from codegen_eval.task_loader import discover_tasks
from codegen_eval.verdict import combine

MOCK = "mock"


class Request(Frozen):
    """What determines the bytes of a run's results. Stands in the ledger, so that a resume can read it back."""

    mode: str = MOCK
    model: str = MOCK
    tasks: tuple[str, ...]
    strategies: tuple[Strategy, ...]
    layers: tuple[str, ...]
    seed: int = 0
    max_mutants: int = 20
    timeout_seconds: float = 5.0
    memory_mib: int = 256
    version: str = Field(default=__version__)
    digests: dict[str, str] = {}
    """Of every task, so that a resume notices that one has changed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Means:
    """With what a run is done; changes no byte of the results."""

    sandbox: str = "auto"
    runtime: str | None = None
    jobs: int
    allow_unsafe: bool = False


def make_request(
    *,
    mode: str,
    model: str,
    tasks: Sequence[str],
    strategies: Sequence[str],
    layers: Sequence[str],
    seed: int,
    max_mutants: int,
    timeout_seconds: float,
    memory_mib: int,
) -> Request:
    """Check what the user asked for and complete it.

    Raises:
        InputError: an unknown task, strategy or layer.
    """
    known = discover_tasks()
    chosen = _choose("task", tasks, list(known))
    wanted = _choose("strategy", strategies, [s.value for s in Strategy])
    return Request(
        mode=mode,
        model=model,
        tasks=tuple(sorted(chosen)),
        strategies=tuple(s for s in Strategy if s.value in wanted),
        layers=select_layers(tuple(layers)),
        seed=seed,
        max_mutants=max_mutants,
        timeout_seconds=timeout_seconds,
        memory_mib=memory_mib,
        digests={name: known[name].digest for name in sorted(chosen)},
    )


def read_request(ledger: Ledger, path: Path) -> Request:
    """Return the request of an earlier run.

    Raises:
        LedgerError: its parameters are not those of a run.
    """
    try:
        return Request.model_validate(ledger.parameters)
    except ValidationError as exc:
        raise LedgerError(
            f"ledger `{path}` is damaged: its parameters are not those of a run",
            hint="move it away and start the run again",
        ) from exc


def _choose(what: str, wanted: Sequence[str], known: Sequence[str]) -> list[str]:
    import difflib

    for name in wanted:
        if name not in known:
            close = difflib.get_close_matches(name, known, 1)
            hint = f"did you mean `{close[0]}`?" if close else f"there are {', '.join(known)}"
            raise InputError(f"unknown {what} `{name}`", hint=hint)
    return [name for name in known if name in wanted] if wanted else list(known)


@dataclass(frozen=True, slots=True, kw_only=True)
class Ready:
    """A run that can begin: everything that can be refused has been looked at, and nothing is written yet."""

    request: Request
    means: Means
    tasks: Mapping[str, Task]
    model: Model
    choice: Choice
    attestation: Attestation | None = None
    """None for the shipped corpus, which needs none."""


@contextmanager
def prepare(request: Request, means: Means, out: Path) -> Iterator[Ready]:
    """Check a request against this machine and start its sandboxes; they end with the block.

    Raises:
        InputError: a task has changed, the model's provider is unknown, or `out` can't be a file.
        SandboxUnavailableError: no sandbox of the kind asked for can be had.
        SandboxTooWeakError: a real model would answer, and a limit that the sandbox promises does not bite.
    """
    check_place(out)
    tasks = _load_tasks(request)
    model = _model(request)
    wish = Wish(
        name=means.sandbox,
        runtime=means.runtime,
        memory_mib=request.memory_mib,
        jobs=means.jobs,
        expected=len(tasks) * len(request.strategies) + sum(bool(task.performance) for task in tasks.values()),
        trusted=request.mode == MOCK,
        allow_unsafe=means.allow_unsafe,
    )
    choice = choose_sandbox(wish, run_id=secrets.token_hex(8))
    try:
        attestation = None if request.mode == MOCK else _attest(choice, means)
        yield Ready(request=request, means=means, tasks=tasks, model=model, choice=choice, attestation=attestation)
    finally:
        choice.provider.close()


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


def execute(ready: Ready, ledger: Ledger, out: Path, progress: Progress) -> Results:
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
    solutions = _generate(request, tasks, ready.model, ledger)
    pipeline = Pipeline(
        _plan(request, means),
        tasks=tasks,
        task_folders={name: resource_root() / "tasks" / name for name in tasks},
        provider=choice.provider,
        store=ledger,
        progress=progress,
    )
    with ThreadPoolExecutor(1, thread_name_prefix="facts") as side:  # which waits for the first sandbox
        asked = side.submit(choice.provider.facts)
        judged = pipeline.run(solutions)
        facts = asked.result()
    results = _assemble(request, solutions, judged)
    write_atomic(out, dump(results))
    record = RunRecord(
        started=started,
        finished=datetime.now(UTC),
        versions=_facts(versions()),
        sandbox=SandboxRecord.of(facts),
        attestation=ready.attestation,
        parameters=_facts(_parameters(request, means, choice.warning)),
        datasets=_facts(request.digests | ({"corpus": results.corpus} if results.corpus else {})),
        resources=_resources(time.monotonic() - clock),
        timings=tuple(Timing(solution=name, measures=_measures(judged[name].measures)) for name in sorted(judged)),
        annotations=tuple(
            Annotation(solution=name, rules=one.annotations) for name, one in sorted(judged.items()) if one.annotations
        ),
        leftovers=choice.provider.not_removed,
    )
    write_atomic(run_record_path(out), dump(record))
    ledger.finish()
    log.info(Event.RUN_FINISHED, results=str(out), solutions=len(solutions))
    return results


def _plan(request: Request, means: Means) -> Plan:
    settings = Settings(
        seed=request.seed,
        max_mutants=request.max_mutants,
        wall_seconds=request.timeout_seconds,
        cpu_seconds=CPU_SHARE * request.timeout_seconds,
    )
    return Plan(layers=request.layers, settings=settings, jobs=means.jobs, memory_mib=request.memory_mib)


def _load_tasks(request: Request) -> dict[str, Task]:
    known = discover_tasks()
    for name in request.tasks:
        if name not in known or known[name].digest != request.digests.get(name):
            raise InputError(
                f"task `{name}` is not what it was when the run began", hint="start the run again without `--resume`"
            )
    if request.version != __version__:
        raise InputError(
            f"the run was begun by version {request.version}, this is {__version__}",
            hint="start the run again without `--resume`",
        )
    return {name: known[name] for name in request.tasks}


def _model(request: Request) -> Model:
    return MockModel(resource_root() / "corpus") if request.mode == MOCK else load_provider(request.mode)


def _generate(request: Request, tasks: Mapping[str, Task], model: Model, ledger: Ledger) -> list[Solution]:
    """Ask the model for every task under every strategy; sorted by solution id."""
    prices, prompts = load_prices(), Prompts()
    solutions = [
        generate(task, strategy, model=model, model_name=request.model, ledger=ledger, prices=prices, prompts=prompts)
        for task in tasks.values()
        for strategy in request.strategies
    ]
    return sorted(solutions, key=lambda solution: solution.id)


def _assemble(request: Request, solutions: Sequence[Solution], judged: Mapping[str, Judged]) -> Results:
    scored = [
        ScoredSolution(
            solution=solution,
            verdict=combine(result.verdict for result in judged[solution.id].results.values()),
            layers=tuple(judged[solution.id].results[layer] for layer in request.layers),
        )
        for solution in solutions
    ]
    truth: dict[str, Truth] = {}
    corpus = None
    if request.mode == MOCK:
        manifest = load_manifest()
        corpus = manifest.digest
        seeded = {entry.id: entry for entry in manifest.seeded}
        truth = {
            s.id: Truth(failure_class=seeded[s.id].failure_class, summary=seeded[s.id].summary)
            for s in solutions
            if s.id in seeded
        }
    return Results(
        format=1,
        seed=request.seed,
        max_mutants=request.max_mutants,
        tasks=request.tasks,
        strategies=request.strategies,
        layers=request.layers,
        models=(request.model,),
        corpus=corpus,
        solutions=tuple(scored),
        truth=truth,
        has_truth=request.mode == MOCK,
    )


def _facts(values: Mapping[str, str]) -> tuple[Fact, ...]:
    return tuple(Fact(name=name, value=value) for name, value in sorted(values.items()))


def _measures(values: Mapping[str, float]) -> tuple[Measure, ...]:
    return tuple(Measure(name=name, value=value) for name, value in sorted(values.items()))


def _parameters(request: Request, means: Means, warning: str | None) -> dict[str, str]:
    dumped = request.model_dump(mode="json", exclude={"digests", "version"})
    values = {name: ",".join(value) if isinstance(value, list) else str(value) for name, value in dumped.items()}
    values |= {"sandbox": means.sandbox, "runtime": means.runtime or "", "jobs": str(means.jobs)}
    return values | ({"warning": warning} if warning else {})


def _resources(wall_seconds: float) -> tuple[Measure, ...]:
    usage, children = resource.getrusage(resource.RUSAGE_SELF), resource.getrusage(resource.RUSAGE_CHILDREN)
    peak = usage.ru_maxrss / (1 << 20 if sys.platform == "darwin" else 1 << 10)
    values = {
        "wall_seconds": round(wall_seconds, 3),
        "own_cpu_seconds": round(usage.ru_utime + usage.ru_stime, 3),
        "children_cpu_seconds": round(children.ru_utime + children.ru_stime, 3),
        "peak_memory_mib": round(peak, 1),
    }
    return _measures(values)


def versions() -> dict[str, str]:
    """Return the versions of this program, of Python and of the tools that layers use."""
    names = ("bandit", "docker", "hypothesis", "ruff")
    python = ".".join(map(str, sys.version_info[:3]))
    return {"codegen-eval": __version__, "python": python} | {name: version(name) for name in names}
