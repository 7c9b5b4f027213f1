"""Evaluate somebody's samples on a public problem set: references first, then the samples, one by one as they come.

No more than a few samples are held at a time. A line is written for each as it is judged; at the end the lines stand in
the order of the samples, and a summary beside them.
"""

from __future__ import annotations

import secrets
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import structlog

from codegen_eval.datasets import Dataset
from codegen_eval.events import Event
from codegen_eval.fault import FaultLog
from codegen_eval.interfaces import OutcomeStore, SandboxFacts
from codegen_eval.judge.bench import CPU_SHARE, Settings
from codegen_eval.pipeline import Judged, Pipeline, Plan
from codegen_eval.progress import Progress
from codegen_eval.samples import AssemblyRule, Coverage, Program, Sample, assemble, other_programs
from codegen_eval.sandbox.attestation import Attestation
from codegen_eval.sandbox.choice import Wish, choose_sandbox
from codegen_eval.sandbox.survey import attest_like
from codegen_eval.solution import Outcome, Solution
from codegen_eval.verdict import Verdict

from .lines import LineFile, line_of
from .record import Evaluation, RuleLoss
from .shelf import SuiteShelf, SuiteTasks
from .source import Own, SteadySamples
from .tally import Tally

DEFAULT_KS = (1, 5, 10, 25, 50, 100)
_MAX_SOURCE = 1 << 20
"""Characters: a longer program is a reply that never ended."""
_UNIT = ("unit",)


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """What is to be evaluated, and how."""

    samples: Path | Own
    layers: tuple[str, ...]
    rule: AssemblyRule | None = None
    """How programs are made of all samples; None: by the default rule of each."""
    ks: tuple[int, ...] = DEFAULT_KS
    other_rules: bool = False
    seed: int = 0
    max_mutants: int = 20
    timeout_seconds: float = 5.0
    memory_mib: int = 256
    sandbox: str = "auto"
    runtime: str | None = None
    jobs: int = 1
    allow_unsafe: bool = False
    limit: int | None = None
    """Most samples that are judged."""


@dataclass(slots=True)
class Found:
    """An evaluation that is done."""

    evaluation: Evaluation
    attestation: Attestation
    facts: SandboxFacts
    leftovers: tuple[str, ...] = field(default_factory=tuple)


class Evaluator:
    """Runs one evaluation. The store keeps what was found out, for going on with it later."""

    def __init__(
        self, request: Request, dataset: Dataset, store: OutcomeStore, progress: Callable[[str], Progress]
    ) -> None:
        self._request = request
        self._dataset = dataset
        self._store = store
        self._progress = progress
        self.samples = SteadySamples(request.samples, dataset, request.limit)
        """Read more than once, the same each time."""
        self._tally = Tally(dataset.problems, request.layers)
        self._shelf: SuiteShelf | None = None
        self._python = ""
        self._facts: SandboxFacts | None = None
        self._leftovers: tuple[str, ...] = ()

    def survey(self) -> tuple[Coverage, FaultLog]:
        """Read all samples once, without running any: which problems have how many, and what can't be read.

        Raises:
            InputError: they can't be read at all.
        """
        stream = self.samples.survey()
        return stream.coverage, stream.faults

    def run(self, coverage: Coverage, faults: FaultLog, lines: LineFile, cache: Path) -> Found:
        """Judge references and samples, and write a line for each sample.

        Raises:
            EnvironmentFaultError: the sandbox, or the disk. What was done is in the store.
        """
        request = self._request
        attestation = self._attest()
        self._python = attestation.python
        self._shelf = SuiteShelf(self._dataset, cache, python=attestation.python)
        missing = set(coverage.missing)
        self._check_references([name for name in self._dataset.problems if name not in missing])
        total = coverage.samples if request.limit is None else min(coverage.samples, request.limit)
        failed = bytearray()
        for judged in self._judge("samples", self._solutions(), request.layers, total):
            place = int(judged.solution.id.rpartition("@")[2])
            passed = self._tally.add(judged)
            failed.extend(bytes(max(0, place + 1 - len(failed))))
            failed[place] = not passed
            lines.write(place, line_of(judged, request.layers, passed=passed))
        losses = self._losses(failed) if request.other_rules else ()
        if self._facts is None:
            raise LookupError("no sandbox was used")
        return Found(self._summary(coverage, faults, losses), attestation, self._facts, self._leftovers)

    # --- what is judged ---------------------------------------------------------------------------------------------

    def _solutions(self) -> Iterator[Solution]:
        for place, sample in enumerate(self.samples):
            problem = self._dataset.problems[sample.task_id]
            program = assemble(problem, sample, self._request.rule)
            yield _solution(sample, program, f"{sample.origin}@{place}")

    def _check_references(self, names: Sequence[str]) -> None:
        """Run the canonical solutions under the same limits; those that don't pass exclude their problems."""
        problems = self._dataset.problems
        with_reference = [name for name in names if problems[name].canonical is not None]
        references = (
            Solution(id=f"{name}/canonical", task=name, strategy=None, model="", source=problems[name].canonical or "")
            for name in with_reference
        )
        for judged in self._judge("references", references, _UNIT, len(with_reference)):
            self._tally.add_reference(judged.solution.task, judged.results["unit"])
        for name in names:
            if problems[name].canonical is None and self._suite_is_unusable(name):
                self._tally.excluded[name] = self._suite_is_unusable(name) or ""

    def _suite_is_unusable(self, name: str) -> str | None:
        return None if self._shelf is None else self._shelf.suite(name).unusable

    def _losses(self, failed: bytearray) -> tuple[RuleLoss, ...]:
        """Say what other rules of reading a sample would have saved. A rule makes one program of a sample, or none."""
        tried, saved = Counter[str](), Counter[str]()

        def others() -> Iterator[Solution]:
            for place, sample in enumerate(self.samples):
                if failed[place : place + 1] != b"\1" or sample.task_id in self._tally.excluded:
                    continue
                for program in other_programs(self._dataset.problems[sample.task_id], sample):
                    solution = _solution(sample, program, f"{program.rule}~{sample.origin}@{place}")
                    tried[solution.rule or ""] += 1
                    yield solution

        total = sum(1 for _ in others())
        tried.clear()
        for judged in self._judge("other programs", others(), _UNIT, total):
            saved[judged.solution.rule or ""] += judged.results["unit"].verdict is Verdict.PASS
        return tuple(RuleLoss(rule=rule, tried=count, would_pass=saved[rule]) for rule, count in sorted(tried.items()))

    # --- how it is judged -------------------------------------------------------------------------------------------

    def _judge(self, what: str, solutions: Iterator[Solution], layers: tuple[str, ...], total: int) -> Iterator[Judged]:
        """Judge solutions, which progress calls `what`, in sandboxes that end when all are judged."""
        request, shelf = self._request, self._shelf
        if shelf is None:
            return
        choice = choose_sandbox(self._wish(total), run_id=secrets.token_hex(8))
        try:
            settings = Settings(
                seed=request.seed,
                max_mutants=request.max_mutants,
                wall_seconds=request.timeout_seconds,
                cpu_seconds=CPU_SHARE * request.timeout_seconds,
            )
            pipeline = Pipeline(
                Plan(
                    layers=layers,
                    settings=settings,
                    jobs=request.jobs,
                    memory_mib=request.memory_mib,
                    python=self._python,
                    annotated=False,
                ),
                tasks=SuiteTasks(shelf, self._dataset.problems),
                task_folders={},
                provider=choice.provider,
                store=self._store,
                progress=self._progress(what),
                suites=shelf,
            )
            for number, judged in enumerate(pipeline.stream(solutions, total=total)):
                if not number and self._facts is None:
                    self._facts = choice.provider.facts()
                yield judged
        finally:
            choice.provider.close()
            self._leftovers += choice.provider.not_removed

    def _wish(self, expected: int) -> Wish:
        request = self._request
        return Wish(
            name=request.sandbox,
            runtime=request.runtime,
            memory_mib=request.memory_mib,
            jobs=request.jobs,
            expected=expected + request.jobs,
            allow_unsafe=request.allow_unsafe,
        )

    def _attest(self) -> Attestation:
        """Try the sandbox's limits before anything of anybody's runs in it.

        Raises:
            SandboxTooWeakError: one that it promises does not bite.
        """
        clock = time.monotonic()
        choice = choose_sandbox(self._wish(1), run_id=secrets.token_hex(8))
        log = structlog.get_logger()
        if choice.warning:
            log.warning(Event.SANDBOX_CHOSEN, sandbox=choice.provider.name, warning=choice.warning)
        try:
            attestation = attest_like(choice.provider, runtime=self._request.runtime)
        finally:
            choice.provider.close()
        seconds = round(time.monotonic() - clock, 1)
        log.info(Event.SANDBOX_ATTESTED, sandbox=attestation.sandbox, seconds=seconds, **attestation.counts())
        attestation.require()
        return attestation

    # --- what it amounts to -----------------------------------------------------------------------------------------

    def _summary(self, coverage: Coverage, faults: FaultLog, losses: tuple[RuleLoss, ...]) -> Evaluation:
        tally, dataset = self._tally, self._dataset
        return Evaluation(
            dataset=dataset.spec.name,
            dataset_sha256=dataset.digest,
            layers=self._request.layers,
            coverage=coverage,
            limit=self._request.limit,
            references=tally.references,
            references_passed=tally.references_passed,
            excluded=tally.exclusions(),
            scored_samples=tally.scored_samples,
            errors=tally.errors,
            pass_at_k=tally.estimates(self._request.ks),
            base_pass_at_k=tally.estimates(self._request.ks, base=True) if tally.has_base else (),
            adds=tally.adds(),
            losses=losses,
            problems=tally.problems(),
            fault_count=len(faults) + len(dataset.faults),
            faults=(*dataset.faults.kept, *faults.kept),
        )


def _solution(sample: Sample, program: Program, name: str) -> Solution:
    rule = program.rule if program.extraction is None else f"{program.rule}:{program.extraction}"
    source = program.source
    if len(source) > _MAX_SOURCE:  # a part of it would be another program
        source, rule = "", f"{rule}:too-long"
    elif any("\ud800" <= char <= "\udfff" for char in source):  # so would one with another character in its place
        source, rule = "", f"{rule}:no-unicode"
    return Solution(
        id=name,
        task=sample.task_id,
        strategy=None,
        model="",
        sample=sample.index,
        source=source,
        outcome=Outcome.OK if source.strip() else Outcome.NO_CODE,
        rule=rule,
    )


def short_name(solution: str) -> str:
    """Return what is shown of a solution's id: the file where it stands, without its folders, and the line."""
    origin, at, _ = solution.rpartition("@")
    return origin.rpartition("/")[2] if at else solution
