"""What a run is asked for: what determines its bytes, and with what means it is done."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path

from pydantic import Field, ValidationError

from codegen_eval import __version__
from codegen_eval.battery import select_layers
from codegen_eval.errors import InputError, LedgerError
from codegen_eval.frozen import Frozen
from codegen_eval.generation import Sampling, check_model_name
from codegen_eval.layers.llm_review import ReviewPolicy, read_policy
from codegen_eval.ledger import Ledger
from codegen_eval.material import Material, OwnTasks, check_known, open_material
from codegen_eval.models.patience import CALL_SECONDS, Policy
from codegen_eval.models.provider import CONCURRENCY
from codegen_eval.pricing import PriceTable, load_prices
from codegen_eval.review.reviewer import ReviewerName
from codegen_eval.solution import Strategy
from codegen_eval.task import Task

MOCK = "mock"
TEMPERATURE = 0.0
"""The temperature that makes runs comparable; any other is a deviation that the run's record names."""
MAX_TOKENS = 4096


class Request(Frozen):
    """What determines the bytes of a run's results. Stands in the ledger, so that a resume can read it back."""

    mode: str = MOCK
    models: tuple[str, ...] = (MOCK,)
    """Each a column of the scorecard; solutions say which in their id where there are several."""
    samples: int = Field(default=1, ge=1)
    """Independent answers to each task under each strategy."""
    temperature: float | None = None
    """None leaves it to the provider, and is of no meaning for the canned corpus."""
    max_tokens: int = MAX_TOKENS
    """Of a reply; one that is cut is asked for once more with twice as much."""
    drafts: bool = False
    """First answers that a strategy revises go through the battery as well."""
    prices: PriceTable | None = None
    """In place of the shipped table."""
    reviewer: str | None = None
    """`MODE:MODEL` of the model that reviews solutions; None where nobody does."""
    review_policy: ReviewPolicy = ReviewPolicy.CONFIRMED
    reviewer_temperature: float | None = None
    """None leaves it to the provider: some models refuse any other choice, and what is said is executed anyway."""
    dataset: str | None = None
    """`NAME=PATH` of a public problem set; its problems are the tasks."""
    dataset_sha256: str | None = None
    """Of its file."""
    tasks_dir: str | None = None
    """Folder of the user's own tasks; None: the shipped ones."""
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

    @property
    def real(self) -> bool:
        """A model is asked, and not the canned corpus."""
        return self.mode != MOCK

    @property
    def sampling(self) -> Sampling:
        """What is asked of models beside the messages."""
        return Sampling(max_tokens=self.max_tokens, temperature=self.temperature)

    @property
    def pays(self) -> bool:
        """A model is asked, for solutions or for reviews."""
        return self.real or self.reviewer is not None

    @property
    def reviewer_name(self) -> ReviewerName | None:
        """Which model reviews."""
        return None if self.reviewer is None else ReviewerName.parse(self.reviewer)

    @property
    def priced(self) -> tuple[str, ...]:
        """The models whose calls are paid for."""
        reviewer = self.reviewer_name
        return (self.models if self.real else ()) + ((reviewer.model,) if reviewer is not None else ())

    @property
    def deviations(self) -> tuple[str, ...]:
        """Where the run departs from what makes runs comparable, or a reviewer from being independent."""
        found: list[str] = []
        if self.real and self.temperature != TEMPERATURE:
            used = "left to the provider" if self.temperature is None else f"{self.temperature:g}"
            found.append(f"temperature {used}, where the protocol has {TEMPERATURE:g}")
        reviewer = self.reviewer_name
        found += [
            f"the reviewer {reviewer} is the model {name} that it reviews, and not independent of it"
            for name in self.models
            if reviewer is not None and reviewer.is_model(name)
        ]
        return tuple(found)

    def price_table(self) -> PriceTable:
        """Return the prices that hold for this run."""
        return self.prices or load_prices()

    @contextmanager
    def open_again(self) -> Iterator[Material]:
        """Open what the run was begun with.

        Raises:
            InputError: the file is not what it was when the run began, or the program is of another version.
        """
        hint = "start the run again without `--resume`"
        if self.version != __version__:
            raise InputError(f"the run was begun by version {self.version}, this is {__version__}", hint=hint)
        folder = None if self.tasks_dir is None else Path(self.tasks_dir)
        with open_material(dataset=self.dataset, tasks_dir=folder) as material:
            if material.digest != self.dataset_sha256:
                raise InputError(f"`{self.dataset}` is not the file that the run began with", hint=hint)
            yield material

    def load_tasks(self, material: Material) -> dict[str, Task]:
        """Return the tasks by id.

        Raises:
            InputError: one is not what it was when the run began.
        """
        known = material.tasks(self.tasks)
        for name in self.tasks:
            if name not in known or known[name].digest != self.digests.get(name):
                raise InputError(
                    f"task `{name}` is not what it was when the run began",
                    hint="start the run again without `--resume`",
                )
        return known


@dataclass(frozen=True, slots=True, kw_only=True)
class Means:
    """With what a run is done; changes no byte of the results."""

    sandbox: str = "auto"
    runtime: str | None = None
    jobs: int
    allow_unsafe: bool = False
    concurrency: int = CONCURRENCY
    """Calls of models at a time."""
    call_seconds: float = CALL_SECONDS
    """For one attempt of a call."""
    budget_usd: Decimal | None = None
    """What the run may spend in all its sessions. None in a session that goes on: as in the one before."""
    base_url: str | None = None
    """Where the provider is, if not at its usual place."""
    reviewer_base_url: str | None = None
    """Where the reviewer's provider is."""

    @property
    def policy(self) -> Policy:
        """How patient calls are."""
        return Policy.with_call(self.call_seconds)


def make_request(
    *,
    mode: str,
    models: Sequence[str],
    tasks: Sequence[str],
    strategies: Sequence[str],
    layers: Sequence[str],
    seed: int = 0,
    max_mutants: int = 20,
    timeout_seconds: float = 5.0,
    memory_mib: int = 256,
    samples: int = 1,
    temperature: float | None = TEMPERATURE,
    max_tokens: int = MAX_TOKENS,
    drafts: bool | None = None,
    prices: Path | None = None,
    reviewer: str | None = None,
    review_policy: str = ReviewPolicy.CONFIRMED,
    reviewer_temperature: float | None = None,
    material: Material | None = None,
    limit: int | None = None,
) -> Request:
    """Check what the user asked for and complete it. `drafts` are judged by default where a real model answers.

    Without material it is about the shipped tasks; of those that are chosen, the first up to the limit.

    Raises:
        InputError: an unknown task, strategy, layer or policy, or an impossible name of a model.
    """
    material = material or OwnTasks()
    if mode == MOCK and material.place is not None:
        raise InputError(
            "the canned corpus answers the shipped tasks only", hint="name a model's provider with `--mode`"
        )
    chosen = material.choose(tasks, limit)
    known = [strategy.value for strategy in Strategy]
    for name in strategies:
        check_known("strategy", name, known)
    for name in models:
        check_model_name(name)
    return Request(
        mode=mode,
        models=tuple(models),
        samples=samples,
        temperature=None if mode == MOCK else temperature,
        max_tokens=max_tokens,
        drafts=mode != MOCK if drafts is None else drafts,
        prices=None if prices is None else load_prices(prices),
        reviewer=None if reviewer is None else str(ReviewerName.parse(reviewer)),
        review_policy=read_policy(review_policy),
        reviewer_temperature=None if reviewer is None else reviewer_temperature,
        dataset=None if material.digest is None else material.place,
        dataset_sha256=material.digest,
        tasks_dir=material.place if material.digest is None else None,
        tasks=chosen,
        strategies=tuple(s for s in Strategy if not strategies or s.value in strategies),
        layers=select_layers(tuple(layers)),
        seed=seed,
        max_mutants=max_mutants,
        timeout_seconds=timeout_seconds,
        memory_mib=memory_mib,
        digests={name: task.digest for name, task in sorted(material.tasks(chosen).items())},
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
