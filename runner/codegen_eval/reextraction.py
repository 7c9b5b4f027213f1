"""Extract the code of a finished run again, from the raw replies that its ledger keeps, and say what changed.

No model is asked, nothing is judged and nothing is written. A reply is found by what it was recorded for and not by
rebuilding its prompt, so that a run of an earlier version can be read as well.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from pathlib import Path

from pydantic import ValidationError

from codegen_eval.compilation import find_syntax_errors
from codegen_eval.errors import InputError, LedgerError
from codegen_eval.extraction import extract
from codegen_eval.frozen import Frozen
from codegen_eval.generation import outcome_of
from codegen_eval.ledger import Ledger, RecordedReply, ledger_path
from codegen_eval.material import open_material
from codegen_eval.models import Reply
from codegen_eval.render.cell import count
from codegen_eval.results import load_results
from codegen_eval.run_request import Request, read_request
from codegen_eval.solution import Outcome, Solution, Strategy
from codegen_eval.strategy import TURNS, Briefing
from codegen_eval.task import Task


class Extracted(Frozen):
    """What a solution's code was taken from, and what came of it."""

    rule: str | None
    outcome: Outcome


class Change(Frozen):
    """A solution that would be another one today."""

    solution: str
    before: Extracted
    after: Extracted | None
    """None where the ledger holds no reply for it, or several that can't be told apart."""
    source_differs: bool


class Reextraction(Frozen):
    """What extracting a run again gave."""

    solutions: int
    """How many were looked at, without drafts."""
    drafts: int = 0
    changes: tuple[Change, ...]
    rules: Mapping[str, int]
    """How many solutions each rule gives today."""


class _Asked(Frozen):
    """What a recorded reply is told by."""

    model: str
    task: str
    strategy: Strategy
    sample: int
    turn: int
    max_tokens: int
    temperature: float | None


_Replies = Mapping[_Asked, Reply | None]


def reextract(results: Path, tasks_dir: Path | None = None) -> Reextraction:
    """Extract again what a run's models answered.

    Raises:
        ResultsError: the results can't be read.
        InputError: the run asked no model, or a task of it is not there.
        LedgerError: the ledger is damaged or in use.
    """
    loaded = load_results(results)
    with Ledger.resume(ledger_path(results)) as ledger:
        request = read_request(ledger, ledger_path(results))
        replies = _replies(ledger)
    before = [scored.solution for scored in (*loaded.solutions, *loaded.drafts)]
    folder = tasks_dir or (None if request.tasks_dir is None else Path(request.tasks_dir))
    with open_material(dataset=request.dataset, tasks_dir=folder) as material:
        known = material.tasks(tuple({solution.task: None for solution in before}))
        for solution in before:
            if solution.task not in known:
                raise InputError(
                    f"task `{solution.task}` of this run is not there", hint="name its folder with `--tasks-dir`"
                )
        after = [_again(solution, known[solution.task], material.briefing, request, replies) for solution in before]
    if request.real:
        after = _mark_syntax_errors(after)
    changes = tuple(
        _change(old, new)
        for old, new in zip(before, after, strict=True)
        if new is None or (old.rule, old.outcome, old.source) != (new.rule, new.outcome, new.source)
    )
    rules = Counter(new.rule or "none" for new in after if new is not None)
    return Reextraction(
        solutions=len(loaded.solutions), drafts=len(loaded.drafts), changes=changes, rules=dict(sorted(rules.items()))
    )


def render_reextraction(found: Reextraction, *, rules: bool) -> str:
    """Return what changed, one line for each solution, and the count; before it the rules where they are wanted."""
    lines = [f"{count:6} {rule}" for rule, count in found.rules.items()] if rules else []
    lines += [_line(change) for change in found.changes]
    drafts = f" and {count(found.drafts, 'draft')}" if found.drafts else ""
    return "\n".join((*lines, f"{count(found.solutions, 'solution')}{drafts}, {len(found.changes)} changed")) + "\n"


def _line(change: Change) -> str:
    after = change.after
    if after is None:
        return f"{change.solution}: no reply for it in the ledger"
    parts = []
    if change.before.rule != after.rule:
        parts.append(f"rule {change.before.rule or 'none'} -> {after.rule}")
    if change.before.outcome is not after.outcome:
        parts.append(f"outcome {change.before.outcome} -> {after.outcome}")
    if change.source_differs:
        parts.append("source differs")
    return f"{change.solution}: {', '.join(parts)}"


def _change(before: Solution, after: Solution | None) -> Change:
    return Change(
        solution=before.id,
        before=Extracted(rule=before.rule, outcome=before.outcome),
        after=None if after is None else Extracted(rule=after.rule, outcome=after.outcome),
        source_differs=after is None or before.source != after.source,
    )


def _replies(ledger: Ledger) -> _Replies:
    """Return the replies by what they are told by. What this run paid for goes before what it took over."""
    own: dict[_Asked, Reply | None] = {}
    others: dict[_Asked, Reply | None] = {}
    for _, record in ledger.replies():
        if (asked := _asked(record)) is not None:
            group = own if record.run == ledger.run else others
            group[asked] = None if asked in group else record.reply
    return others | own


def _asked(record: RecordedReply) -> _Asked | None:
    """Return what a reply is told by; None for a review.

    Raises:
        LedgerError: its request is none of ours.
    """
    if record.request.get("strategy") is None:
        return None
    try:
        return _Asked.model_validate({name: record.request.get(name) for name in _Asked.model_fields})
    except ValidationError as exc:
        raise LedgerError("a reply in the ledger was asked for by nothing that this program asks") from exc


def _again(solution: Solution, task: Task, briefing: Briefing, request: Request, replies: _Replies) -> Solution | None:
    """Return a solution as it would be today, as far as its reply tells; None where there is no such reply."""
    if solution.strategy is None:
        return None
    entry_point = briefing.wanted(task)
    chosen: Reply | None = None
    for turn in range(1 if solution.draft_of is not None else TURNS[solution.strategy]):
        reply = _reply(solution, turn, entry_point, request, replies)
        if reply is None:
            return None
        chosen = reply
        found = extract(reply.text, entry_point)
        if outcome_of(reply, found) is Outcome.REFUSED or not reply.text.strip():
            break
    if chosen is None:
        return None
    found = extract(chosen.text, entry_point)
    source = briefing.program(task, found.code or "")
    update = {"source": source, "rule": found.rule, "outcome": outcome_of(chosen, found)}
    return solution.model_copy(update=update)


def _reply(solution: Solution, turn: int, entry_point: str, request: Request, replies: _Replies) -> Reply | None:
    """Return the reply to one turn: where it is cut and was asked for again, the second one."""
    asked = _Asked(
        model=solution.model,
        task=solution.task,
        strategy=solution.strategy or Strategy.BARE,
        sample=solution.sample,
        turn=turn,
        max_tokens=request.max_tokens,
        temperature=request.temperature,
    )
    first = replies.get(asked)
    if first is None or outcome_of(first, extract(first.text, entry_point)) is not Outcome.TRUNCATED:
        return first
    longer = [
        reply
        for other, reply in replies.items()
        if reply is not None
        and other.max_tokens > asked.max_tokens
        and other == asked.model_copy(update={"max_tokens": other.max_tokens})
    ]
    return longer[-1] if longer else first


def _mark_syntax_errors(solutions: list[Solution | None]) -> list[Solution | None]:
    fine = [solution for solution in solutions if solution is not None and solution.outcome is Outcome.OK]
    faults = find_syntax_errors([solution.source for solution in fine])
    broken = {solution.id for solution, fault in zip(fine, faults, strict=True) if fault is not None}
    return [
        solution.model_copy(update={"outcome": Outcome.SYNTAX_ERROR})
        if solution and solution.id in broken
        else solution
        for solution in solutions
    ]
