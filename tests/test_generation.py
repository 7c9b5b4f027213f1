"""Laws of generation."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path

import pytest

from codegen_eval.asking import Asker
from codegen_eval.errors import CorpusError
from codegen_eval.generation import Assignment, Generated, Sampling, generate
from codegen_eval.ledger import Ledger
from codegen_eval.models import Model, Reply, Request
from codegen_eval.models.mock import MockModel
from codegen_eval.pricing import load_prices
from codegen_eval.solution import Outcome, Strategy
from codegen_eval.strategy import Prompts
from test_strategy import make_task

CODE = "def f(x):\n    return x\n"


class Counting:
    """A model that passes requests on and remembers them."""

    provider = "mock"

    def __init__(self, inner: MockModel) -> None:
        self.inner = inner
        self.requests: list[Request] = []

    def complete(self, request: Request) -> Reply:
        """Remember the request and pass it on."""
        self.requests.append(request)
        return self.inner.complete(request)


@pytest.fixture
def model(tmp_path: Path) -> Counting:
    folder = tmp_path / "mock" / "t"
    folder.mkdir(parents=True)
    replies = {name: f"Here.\n\n```python\n# {name}\n{CODE}```\n" for name in ("bare", "bare@1", "spec", "test-first")}
    replies |= {
        "self-review.1": f"```python\n# draft\n{CODE}```",
        "self-review.2": f"So.\n```python\n# final\n{CODE}```",
    }
    for name, text in replies.items():
        (folder / f"{name}.md").write_text(text, "utf-8")
    return Counting(MockModel(tmp_path))


@pytest.fixture
def ledger(tmp_path: Path) -> Iterator[Ledger]:
    with Ledger.open(tmp_path / "results.ledger", parameters={}) as ledger:
        yield ledger


def _generate(model: Model, ledger: Ledger, strategy: Strategy, *, sample: int = 0) -> Generated:
    prices = load_prices()
    return generate(
        Assignment(task=make_task(), strategy=strategy, model="mock", sample=sample),
        ask=Asker(model, ledger, prices),
        prices=prices,
        prompts=Prompts(),
        sampling=Sampling(max_tokens=100),
    )


def test_a_solution_is_the_code_of_the_reply(model: Counting, ledger: Ledger) -> None:
    """The solution says what it is, where its code was found, and what it cost by the price table."""
    solution = _generate(model, ledger, Strategy.BARE).solution

    (call,) = solution.calls
    assert solution.id == "t/bare"
    assert solution.source == f"# bare\n{CODE}"
    assert (solution.outcome, solution.rule, solution.model) == (Outcome.OK, "fence", "mock")
    assert call.estimated
    assert call.usd == Decimal(2 * call.input_tokens + 10 * call.output_tokens) / 1_000_000
    assert model.requests[0].max_tokens == 100


def test_self_review_is_judged_by_its_final_answer(model: Counting, ledger: Ledger) -> None:
    """Both calls are charged; the second carries the first answer, and its code is the solution."""
    generated = _generate(model, ledger, Strategy.SELF_REVIEW)
    solution, draft = generated.solution, generated.draft

    assert solution.source == f"# final\n{CODE}"
    assert [call.turn for call in solution.calls] == [0, 1]
    assert solution.calls[1].input_tokens > solution.calls[0].input_tokens + solution.calls[0].output_tokens
    assert "# draft" in model.requests[1].messages[2].content
    assert draft is not None
    assert (draft.id, draft.draft_of, draft.source) == ("t/self-review~draft", solution.id, f"# draft\n{CODE}")
    assert draft.calls == ()


def test_costs_rise_with_what_is_shown(model: Counting, ledger: Ledger) -> None:
    """For the same length of answer, more context costs more."""
    costs = [
        sum((call.usd or Decimal(0) for call in _generate(model, ledger, strategy).solution.calls), Decimal(0))
        for strategy in (Strategy.BARE, Strategy.SPEC, Strategy.TEST_FIRST, Strategy.SELF_REVIEW)
    ]

    assert costs == sorted(set(costs))


@pytest.mark.parametrize("strategy", Strategy)
def test_no_call_is_paid_for_twice(model: Counting, ledger: Ledger, strategy: Strategy) -> None:
    """What the ledger holds is not asked again, and gives the same solution."""
    first = _generate(model, ledger, strategy)
    asked = len(model.requests)

    assert _generate(model, ledger, strategy) == first
    assert len(model.requests) == asked


def test_an_interrupted_conversation_goes_on_where_it_stopped(model: Counting, ledger: Ledger, tmp_path: Path) -> None:
    """Where the second turn failed, only the second turn is asked again."""
    final = tmp_path / "mock" / "t" / "self-review.2.md"
    text = final.read_text("utf-8")
    final.unlink()
    with pytest.raises(CorpusError):
        _generate(model, ledger, Strategy.SELF_REVIEW)
    final.write_text(text, "utf-8")
    _generate(model, ledger, Strategy.SELF_REVIEW)

    assert [request.turn for request in model.requests] == [0, 1, 1]


def test_strategies_and_samples_have_answers_of_their_own(model: Counting, ledger: Ledger) -> None:
    """Equal messages for another strategy, or another sample, are another question."""
    sources = {
        _generate(model, ledger, Strategy.BARE).solution.source,
        _generate(model, ledger, Strategy.BARE, sample=1).solution.source,
        _generate(model, ledger, Strategy.SPEC).solution.source,
        _generate(model, ledger, Strategy.SELF_REVIEW).solution.source,
    }

    assert len(sources) == 4
    assert _generate(model, ledger, Strategy.BARE, sample=1).solution.id == "t/bare#1"


def test_a_reply_without_code_is_a_solution_without_source(model: Counting, ledger: Ledger, tmp_path: Path) -> None:
    """A refusal is an outcome and not an error, and it is charged."""
    (tmp_path / "mock" / "t" / "bare.md").write_text("I would rather not.", "utf-8")

    solution = _generate(model, ledger, Strategy.BARE).solution
    assert (solution.source, solution.outcome, solution.rule) == ("", Outcome.NO_CODE, "none")
    assert len(solution.calls) == 1


def test_a_price_that_is_unknown_stays_unknown(model: Counting, ledger: Ledger) -> None:
    prices = load_prices()
    generated = generate(
        Assignment(task=make_task(), strategy=Strategy.BARE, model="unheard-of"),
        ask=Asker(model, ledger, prices),
        prices=prices,
        prompts=Prompts(),
    )

    assert generated.solution.calls[0].usd is None
