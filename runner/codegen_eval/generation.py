"""Ask a model for a solution: the turns of a strategy, to code and its price.

A reply that was cut is asked for once more with twice the room; both calls are charged. A turn that gives nothing to go
on with (a refusal, no text) ends the conversation.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from codegen_eval.asking import Ask, cost_of
from codegen_eval.compilation import find_syntax_errors
from codegen_eval.errors import InputError, ModelRequestError
from codegen_eval.extraction import Extraction, extract
from codegen_eval.models import Reply, Request, StopReason
from codegen_eval.pricing import PriceTable
from codegen_eval.solution import Call, Outcome, Solution, Strategy
from codegen_eval.strategy import TURNS, Briefing
from codegen_eval.task import Task

MOST_TOKENS = 65536
"""No reply that was cut is asked for again with more room than this."""
MAX_MODEL_NAME = 200
"""No name of a model is longer."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Sampling:
    """What is asked of the model beside the messages."""

    max_tokens: int = 4096
    temperature: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Assignment:
    """One solution to be written: what, how, by whom, and for the how-many-th time."""

    task: Task
    strategy: Strategy
    model: str
    sample: int = 0
    named: bool = False
    """The run has several models, so the id says which."""

    @property
    def id(self) -> str:
        """The id of the solution."""
        by = f"@{self.model}" if self.named else ""
        return f"{self.task.id}/{self.strategy}{by}" + (f"#{self.sample}" if self.sample else "")


@dataclass(frozen=True, slots=True, kw_only=True)
class Generated:
    """What came of an assignment."""

    solution: Solution
    draft: Solution | None = None
    """The first answer, where the strategy revises it. It has no calls of its own: they are the solution's."""


def assign(
    tasks: Sequence[Task], strategies: Sequence[Strategy], models: Sequence[str], samples: int = 1
) -> list[Assignment]:
    """Return one assignment for each combination, models outermost, so that each is asked in one go."""
    return [
        Assignment(task=task, strategy=strategy, model=model, sample=sample, named=len(models) > 1)
        for model in models
        for sample in range(samples)
        for task in tasks
        for strategy in strategies
    ]


def check_model_name(name: str) -> None:
    """Refuse what is no name of a model, or could not stand in an id.

    Raises:
        InputError: saying why.
    """
    if not name.isprintable() or not name.strip() or len(name) > MAX_MODEL_NAME or set(name) & set("#~ "):
        raise InputError(
            f"{name[:MAX_MODEL_NAME]!a} is no name of a model",
            hint=f"at most {MAX_MODEL_NAME} printable characters without blanks, `#` and `~`",
        )


def generate(
    assignment: Assignment, *, ask: Ask, prices: PriceTable, prompts: Briefing, sampling: Sampling | None = None
) -> Generated:
    """Run the strategy's turns and return the solution that the final answer holds.

    Whether the source compiles is not looked at: see `mark_syntax_errors`.

    Raises:
        ModelError, CorpusError, LedgerError, BudgetExhaustedError: as `ask` does.
    """
    asked = sampling or Sampling()
    task, strategy = assignment.task, assignment.strategy
    wanted = prompts.wanted(task)
    answers: list[_Answer] = []
    calls: list[Call] = []
    for turn in range(TURNS[strategy]):
        request = Request(
            model=assignment.model,
            messages=prompts.messages(task, strategy, earlier=tuple(answer.text for answer in answers)),
            task=task.id,
            strategy=strategy,
            turn=turn,
            sample=assignment.sample,
            max_tokens=asked.max_tokens,
            temperature=asked.temperature,
        )
        replies = _replies(request, ask, wanted)
        calls += [_charge(reply, request, prices) for reply in replies]
        answers.append(_Answer.read(replies[-1], wanted))
        if answers[-1].outcome is Outcome.REFUSED or not answers[-1].text.strip():
            break
    final = Solution(
        id=assignment.id,
        task=task.id,
        strategy=strategy,
        model=assignment.model,
        sample=assignment.sample,
        source=prompts.program(task, answers[-1].code),
        outcome=answers[-1].outcome,
        rule=answers[-1].rule,
        calls=tuple(calls),
    )
    if TURNS[strategy] == 1:
        return Generated(solution=final)
    first = answers[0]
    draft = final.model_copy(
        update={
            "id": f"{final.id}~draft",
            "draft_of": final.id,
            "source": prompts.program(task, first.code),
            "outcome": first.outcome,
            "rule": first.rule,
            "calls": (),
        }
    )
    return Generated(solution=final, draft=draft)


def mark_syntax_errors(generated: Sequence[Generated]) -> list[Generated]:
    """Return the same, where sources that don't compile have that outcome. They are compiled in child processes."""
    solutions = [s for each in generated for s in (each.solution, each.draft) if s and s.outcome is Outcome.OK]
    faults = find_syntax_errors([solution.source for solution in solutions])
    broken = {solution.id for solution, fault in zip(solutions, faults, strict=True) if fault is not None}

    def mark(solution: Solution) -> Solution:
        return solution.model_copy(update={"outcome": Outcome.SYNTAX_ERROR}) if solution.id in broken else solution

    return [Generated(solution=mark(each.solution), draft=each.draft and mark(each.draft)) for each in generated]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Answer:
    """One turn's reply, read."""

    text: str
    code: str
    rule: str
    outcome: Outcome

    @classmethod
    def read(cls, reply: Reply, entry_point: str) -> _Answer:
        found = extract(reply.text, entry_point)
        return cls(text=reply.text, code=found.code or "", rule=found.rule, outcome=outcome_of(reply, found))


def outcome_of(reply: Reply, found: Extraction) -> Outcome:
    """Return how a reply ended: what the provider says of it goes before what it looks like."""
    match reply.stop_reason:
        case StopReason.REFUSAL:
            return Outcome.REFUSED
        case StopReason.MAX_TOKENS:
            return Outcome.TRUNCATED
        case _:
            return found.outcome


def _replies(request: Request, ask: Ask, entry_point: str) -> list[Reply]:
    """Return the reply to a request; where it was cut, that and the reply to the same with twice the room."""
    reply = ask(request)
    room = min(2 * request.max_tokens, MOST_TOKENS)
    if outcome_of(reply, extract(reply.text, entry_point)) is not Outcome.TRUNCATED or room <= request.max_tokens:
        return [reply]
    try:
        return [reply, ask(replace(request, max_tokens=room))]
    except ModelRequestError:  # the model has no more room than that
        return [reply]


def _charge(reply: Reply, request: Request, prices: PriceTable) -> Call:
    return Call(
        turn=request.turn,
        input_tokens=reply.input_tokens,
        output_tokens=reply.output_tokens,
        cached_tokens=reply.cached_tokens,
        estimated=reply.estimated,
        usd=cost_of(reply, request.model, prices),
    )
