"""The two files of a run: `results.json` is evidence and deterministic, `results.run.json` holds what varies."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from pathlib import Path
from typing import Self

from pydantic import AwareDatetime, Field, FiniteFloat, ValidationInfo, field_validator, model_validator

from codegen_eval.errors import InputError, ResultsError
from codegen_eval.frozen import FormatOne, Frozen, PathText
from codegen_eval.interfaces import SandboxFacts
from codegen_eval.json_file import check_writable, dump_json, load_json, write_atomic
from codegen_eval.models import Lost, Reply
from codegen_eval.sandbox.attestation import Attestation
from codegen_eval.solution import Call, Solution, Strategy
from codegen_eval.verdict import SEEDED_CLASSES, FailureClass, LayerResult, Verdict, combine

__all__ = [
    "Annotation",
    "Fact",
    "Measure",
    "Results",
    "RunRecord",
    "SandboxRecord",
    "ScoredSolution",
    "Spending",
    "Timing",
    "Truth",
    "changed_tasks",
    "dump",
    "load_results",
    "load_run_record",
    "run_record_path",
    "write_atomic",
]

MAX_USD = 10**9
"""A call that cost more is a defect of the file, and its sums would overflow."""
_MAX_USD_PLACES = 30
MAX_TOKENS = 10**12
"""A call of more tokens is a defect of the file."""


class Truth(Frozen):
    """What is wrong with a seeded solution, from the corpus's manifest."""

    failure_class: FailureClass = Field(alias="class")
    summary: str

    @field_validator("failure_class")
    @classmethod
    def _is_seeded(cls, value: FailureClass) -> FailureClass:
        if value not in SEEDED_CLASSES:
            raise ValueError(f"`{value.value}` is never seeded")
        return value


class ScoredSolution(Frozen):
    """One solution and what the battery said of it."""

    solution: Solution
    verdict: Verdict
    layers: tuple[LayerResult, ...]

    @model_validator(mode="after")
    def _is_consistent(self) -> Self:
        combined = combine(result.verdict for result in self.layers)
        if self.verdict is not combined:
            raise ValueError(f"the verdict is `{self.verdict.value}`, but the layers amount to `{combined.value}`")
        return self

    def in_order(self, rank: Mapping[str, int]) -> Self:
        """Return the same with the layers sorted by rank."""
        layers = tuple(sorted(self.layers, key=lambda result: rank.get(result.layer, len(rank))))
        return self if layers == self.layers else self.model_copy(update={"layers": layers})

    def result(self, layer: str) -> LayerResult:
        """Return what one layer said."""
        return next(result for result in self.layers if result.layer == layer)


class Results(Frozen):
    """What a run found: the same bytes for the same inputs."""

    format: FormatOne
    seed: int
    max_mutants: int = Field(ge=0)
    tasks: tuple[str, ...]
    strategies: tuple[Strategy, ...]
    """Empty where the solutions are files of the user's own."""
    layers: tuple[str, ...]
    """All layers that ran, in the order of every table."""
    models: tuple[str, ...] = ()
    """Empty where the solutions are files of the user's own."""
    corpus: str | None = None
    """Digest of the canned corpus; None where a real model answered."""
    solutions: tuple[ScoredSolution, ...]
    """Sorted by id, the layers of each in the order of `layers`."""
    drafts: tuple[ScoredSolution, ...] = ()
    """First answers of strategies that revise them, judged like solutions and counted nowhere among them."""
    has_truth: bool
    """It is known which solutions have a failure; those not in `truth` are clean."""
    truth: Mapping[str, Truth]
    """Seeded solutions by id."""

    @field_validator("solutions", "drafts")
    @classmethod
    def _sort(cls, value: tuple[ScoredSolution, ...], info: ValidationInfo) -> tuple[ScoredSolution, ...]:
        rank = {name: index for index, name in enumerate(info.data.get("layers", ()))}
        in_order = sorted(value, key=lambda scored: scored.solution.id)
        return tuple(scored.in_order(rank) for scored in in_order)

    @model_validator(mode="after")
    def _is_consistent(self) -> Self:
        ids = [scored.solution.id for scored in (*self.solutions, *self.drafts)]
        if len(set(ids)) != len(ids):
            raise ValueError("two solutions have the same id")
        if len(set(self.layers)) != len(self.layers):
            raise ValueError("a layer is listed twice")
        if len(set(self.models)) != len(self.models):
            raise ValueError("a model is listed twice")
        for scored in (*self.solutions, *self.drafts):
            self._check(scored)
        finals = {scored.solution.id for scored in self.solutions}
        if any(scored.solution.draft_of is not None for scored in self.solutions):
            raise ValueError("a draft stands among the solutions")
        if any(scored.solution.draft_of not in finals for scored in self.drafts):
            raise ValueError("a draft is of no solution of this run")
        if self.truth and not self.has_truth:
            raise ValueError("`truth` is given, but `has_truth` is false")
        strangers = sorted(set(self.truth) - set(ids))
        if strangers:
            raise ValueError(f"`truth` names {strangers[0]!a}, which is no solution of this run")
        return self

    def _check(self, scored: ScoredSolution) -> None:
        solution = scored.solution
        if tuple(result.layer for result in scored.layers) != self.layers:
            raise ValueError(f"solution {solution.id!a} lacks a layer or has one too many")
        if solution.task not in self.tasks:
            raise ValueError(f"solution {solution.id!a} is of a task that is not listed")
        if solution.strategy is not None and solution.strategy not in self.strategies:
            raise ValueError(f"solution {solution.id!a} is of a strategy that is not listed")
        if self.models and solution.model not in self.models:
            raise ValueError(f"solution {solution.id!a} is of a model that is not listed")
        for call in (*solution.calls, *(call for result in scored.layers for call in result.calls)):
            if call.usd is not None and not _is_sane(call.usd):
                raise ValueError(f"solution {solution.id!a} has a cost that is no sum of money")
            if max(call.input_tokens, call.output_tokens, call.cached_tokens) > MAX_TOKENS:
                raise ValueError(f"solution {solution.id!a} has a call of more tokens than there are")


def _is_sane(usd: Decimal) -> bool:
    exponent = usd.as_tuple().exponent
    return 0 <= usd <= MAX_USD and isinstance(exponent, int) and exponent >= -_MAX_USD_PLACES


class Fact(Frozen):
    """A name and what it was."""

    name: str
    value: PathText
    """Often a path."""


class Measure(Frozen):
    """A name and a figure; the unit is in the name."""

    name: str
    value: FiniteFloat


class Timing(Frozen):
    """What one solution took."""

    solution: str
    measures: tuple[Measure, ...]


class Annotation(Frozen):
    """What other tools flag in one solution."""

    solution: str
    rules: tuple[str, ...]


class Spending(Frozen):
    """What calls of models came to."""

    calls: int = Field(default=0, ge=0)
    input_tokens: int = Field(default=0, ge=0)
    cached_tokens: int = Field(default=0, ge=0)
    output_tokens: int = Field(default=0, ge=0)
    estimated: bool = False
    """Some of the tokens are our estimate and not the provider's count."""
    usd: Decimal | None = Decimal(0)
    """None where the price of some call is unknown."""
    at_least_usd: Decimal = Decimal(0)
    """Of the calls whose price is known."""

    def __add__(self, other: Spending) -> Spending:
        """Return the sum."""
        return Spending(
            calls=self.calls + other.calls,
            input_tokens=self.input_tokens + other.input_tokens,
            cached_tokens=self.cached_tokens + other.cached_tokens,
            output_tokens=self.output_tokens + other.output_tokens,
            estimated=self.estimated or other.estimated,
            usd=None if self.usd is None or other.usd is None else self.usd + other.usd,
            at_least_usd=self.at_least_usd + other.at_least_usd,
        )

    @classmethod
    def of(cls, counted: Call | Reply | Lost, usd: Decimal | None) -> Self:
        """Return what one call came to."""
        return cls(
            calls=1,
            input_tokens=counted.input_tokens,
            cached_tokens=counted.cached_tokens,
            output_tokens=counted.output_tokens,
            estimated=not isinstance(counted, Lost) and counted.estimated,
            usd=usd,
            at_least_usd=usd or Decimal(0),
        )


class SandboxRecord(Frozen):
    """Which sandbox ran the solutions."""

    name: str
    isolated: bool
    python: str
    details: tuple[Fact, ...] = ()

    @classmethod
    def of(cls, facts: SandboxFacts) -> Self:
        """Return the record of what a provider says of its sandboxes."""
        details = tuple(Fact(name=name, value=value) for name, value in facts.details)
        return cls(name=facts.name, isolated=facts.isolated, python=facts.python, details=details)


class RunRecord(Frozen):
    """What varies from one run to the next."""

    format: FormatOne = 1
    started: AwareDatetime
    finished: AwareDatetime
    versions: tuple[Fact, ...] = ()
    """Of the harness, Python, the libraries and tools that decide or annotate."""
    sandbox: SandboxRecord | None = None
    """None where no layer needed one."""
    attestation: Attestation | None = None
    """Which limits of the sandbox bit before the run; None where only the shipped corpus ran."""
    parameters: tuple[Fact, ...] = ()
    deviations: tuple[str, ...] = ()
    """Where the run departs from the protocol, as by a temperature other than 0."""
    spent_now: Spending | None = None
    """Paid by the session that wrote the results. None where no real model was asked."""
    spent_in_all: Spending | None = None
    """Paid by all sessions of the run: what its budget is compared with."""
    from_scratch: Spending | None = None
    """What all the calls that the results rest on cost, whoever paid for them and when."""
    datasets: tuple[Fact, ...] = ()
    """Digests of tasks and corpora."""
    left_out: tuple[Fact, ...] = ()
    """Problems of a set that count nowhere, with the reason: they can't be run, or their canonical solution fails."""
    known_bad: tuple[Fact, ...] = ()
    """Problems that were run and of which it is known why a right solution may fail or a wrong one pass."""
    resources: tuple[Measure, ...] = ()
    timings: tuple[Timing, ...] = ()
    annotations: tuple[Annotation, ...] = ()
    leftovers: tuple[str, ...] = ()
    """What could not be removed afterwards."""


def dump(value: Results | RunRecord) -> bytes:
    """Return the file's bytes: keys sorted, ASCII, one line feed at the end; equal values give equal bytes."""
    return dump_json(value)


def load_results(path: Path) -> Results:
    """Read a `results.json` that anybody may have written.

    Raises:
        ResultsError: it is missing, too large, or not what `dump` writes; says what and where.
    """
    if path.name.endswith(".run.json"):
        main = path.with_name(path.name.removesuffix(".run.json") + ".json")
        raise ResultsError(f"`{path}` is the record of a run", hint=f"its results are in `{main}`")
    return load_json(path, Results)


def check_place(path: Path) -> None:
    """Refuse a place for results that can't be written, or that holds something else than earlier results.

    Raises:
        InputError: saying which.
    """
    hint = "choose another place with `--out`"
    if path.name.startswith("-") or path.name.endswith((".run.json", ".adjudication.json", ".ledger")):
        raise InputError(f"`{path}` is no name for results: what lies beside them has such names", hint=hint)
    check_writable(path)
    if path.exists() and path.stat().st_size:
        try:
            load_results(path)
        except ResultsError as exc:
            raise InputError(f"`{path}` is there, and is not a results file", hint=f"move it away, or {hint}") from exc


def load_run_record(path: Path) -> RunRecord:
    """Read a `results.run.json`.

    Raises:
        ResultsError: as for `load_results`.
    """
    return load_json(path, RunRecord)


def changed_tasks(before: Path, after: Path) -> tuple[str, ...]:
    """Return the tasks of which the records beside two results files say that they are not the same any more.

    Nothing is known where a record is missing.

    Raises:
        ResultsError: a record is there and does not validate.
    """
    digests = []
    for path in (before, after):
        beside = run_record_path(path)
        known = load_run_record(beside).datasets if beside.exists() else ()
        digests.append({fact.name: fact.value for fact in known})
    old, new = digests
    return tuple(sorted(name for name in old if name in new and old[name] != new[name]))


def run_record_path(results: Path) -> Path:
    """Return where the run record of a results file is: `results.run.json` beside `results.json`."""
    return results.with_name(f"{results.name.removesuffix('.json')}.run.json")
