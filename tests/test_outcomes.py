"""Laws of how generation ends: cut replies, refusals, nothing, and code that does not compile."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from codegen_eval.asking import Asker
from codegen_eval.generation import MOST_TOKENS, Assignment, Generated, Sampling, generate, mark_syntax_errors
from codegen_eval.ledger import Ledger
from codegen_eval.models import Reply, Request, StopReason
from codegen_eval.no_answer import results_without_answer
from codegen_eval.pricing import load_prices
from codegen_eval.solution import Outcome, Strategy
from codegen_eval.strategy import Prompts
from codegen_eval.verdict import FailureClass, Verdict, combine
from factories import make_task

CODE = "def double(n):\n    return 2 * n\n"
WHOLE = f"```python\n{CODE}```\n"
CUT = "```python\ndef double(n):\n    ret"


class Scripted:
    """A model that answers as a function of the request, and remembers what it was asked."""

    provider = "scripted"

    def __init__(self, answer: Callable[[Request], tuple[str, StopReason]]) -> None:
        self.answer = answer
        self.requests: list[Request] = []

    def complete(self, request: Request) -> Reply:
        """Answer as the script says."""
        self.requests.append(request)
        text, stop = self.answer(request)
        return Reply(text=text, input_tokens=10, output_tokens=5, estimated=False, stop_reason=stop)


def _run(tmp_path: Path, model: Scripted, strategy: Strategy = Strategy.BARE, *, max_tokens: int = 100) -> Generated:
    prices = load_prices()
    with Ledger.open(tmp_path / "r.ledger", parameters={}, keep_replies=True) as ledger:
        return generate(
            Assignment(task=make_task(), strategy=strategy, model="mock"),
            ask=Asker(model, ledger, prices),
            prices=prices,
            prompts=Prompts(),
            sampling=Sampling(max_tokens=max_tokens),
        )


def test_a_cut_reply_gets_twice_the_room_once(tmp_path: Path) -> None:
    """What was lost to a limit is had with a larger one; both calls are charged to the same turn."""
    model = Scripted(lambda r: (CUT, StopReason.MAX_TOKENS) if r.max_tokens <= 100 else (WHOLE, StopReason.END))

    solution = _run(tmp_path, model).solution
    assert (solution.outcome, solution.source) == (Outcome.OK, CODE)
    assert [request.max_tokens for request in model.requests] == [100, 200]
    assert [call.turn for call in solution.calls] == [0, 0]


def test_a_reply_that_is_cut_twice_is_truncated(tmp_path: Path) -> None:
    """There is no third call, and a recorded conversation is not paid for again."""
    model = Scripted(lambda _: (CUT, StopReason.MAX_TOKENS))

    solution = _run(tmp_path, model).solution
    assert solution.outcome is Outcome.TRUNCATED
    assert len(model.requests) == len(solution.calls) == 2
    assert _run(tmp_path, model).solution == solution
    assert len(model.requests) == 2


def test_room_has_a_bound(tmp_path: Path) -> None:
    """Where no more room can be given nothing is asked for again."""
    model = Scripted(lambda _: (CUT, StopReason.MAX_TOKENS))

    assert _run(tmp_path, model, max_tokens=MOST_TOKENS).solution.outcome is Outcome.TRUNCATED
    assert len(model.requests) == 1


@pytest.mark.parametrize(
    ("text", "stop", "outcome"),
    [
        ("I can't help with that.", StopReason.REFUSAL, Outcome.REFUSED),
        (WHOLE, StopReason.REFUSAL, Outcome.REFUSED),
        ("", StopReason.REFUSAL, Outcome.REFUSED),
        ("", StopReason.END, Outcome.NO_CODE),
        ("Just multiply by two.", StopReason.END, Outcome.NO_CODE),
        (WHOLE, StopReason.OTHER, Outcome.OK),
    ],
)
def test_every_ending_has_its_outcome(tmp_path: Path, text: str, stop: StopReason, outcome: Outcome) -> None:
    """The reply's own words and why it stopped decide; it is charged whatever they are."""
    solution = _run(tmp_path, Scripted(lambda _: (text, stop))).solution

    assert solution.outcome is outcome
    assert len(solution.calls) == 1


@pytest.mark.parametrize(("text", "stop"), [("No.", StopReason.REFUSAL), (" \n", StopReason.END)])
def test_a_turn_that_gives_nothing_ends_the_conversation(tmp_path: Path, text: str, stop: StopReason) -> None:
    """No provider is sent an empty answer of its own, and a refusal is not argued with."""
    model = Scripted(lambda _: (text, stop))
    generated = _run(tmp_path, model, Strategy.SELF_REVIEW)

    assert len(model.requests) == len(generated.solution.calls) == 1
    assert generated.draft is not None
    assert generated.draft.outcome is generated.solution.outcome


def test_a_refused_revision_leaves_the_draft(tmp_path: Path) -> None:
    """Each version has the outcome of its own reply."""
    model = Scripted(lambda r: (WHOLE, StopReason.END) if r.turn == 0 else ("No.", StopReason.REFUSAL))
    generated = _run(tmp_path, model, Strategy.SELF_REVIEW)

    assert generated.solution.outcome is Outcome.REFUSED
    assert generated.draft is not None
    assert (generated.draft.outcome, generated.draft.source) == (Outcome.OK, CODE)


def test_code_that_does_not_compile_is_an_outcome(tmp_path: Path) -> None:
    """The source stays what it is; drafts are looked at as well as solutions, and nothing else changes."""
    broken = "```python\ndef double(n):\n    return 2 *\n```"
    model = Scripted(lambda r: (broken if r.turn == 0 else WHOLE, StopReason.END))
    generated = _run(tmp_path, model, Strategy.SELF_REVIEW)

    (marked,) = mark_syntax_errors([generated])
    assert marked.solution == generated.solution
    assert generated.draft is not None
    assert marked.draft == generated.draft.model_copy(update={"outcome": Outcome.SYNTAX_ERROR})


@pytest.mark.parametrize("outcome", [outcome for outcome in Outcome if not outcome.can_be_judged])
def test_what_is_no_answer_neither_passes_nor_is_wrong(outcome: Outcome) -> None:
    """The battery fails it with a class of its own, in one layer, and says nothing else of it."""
    results = results_without_answer(outcome, ("unit", "props", "lint"))

    assert combine(result.verdict for result in results.values()) is Verdict.FAIL
    assert [result.verdict for result in results.values()] == [Verdict.FAIL, Verdict.SKIP, Verdict.SKIP]
    assert [finding.failure_class for finding in results["unit"].findings] == [FailureClass.NO_ANSWER]
    assert all(result.reason for result in results.values() if result.verdict is Verdict.SKIP)
