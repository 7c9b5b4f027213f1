"""Laws of what a run is estimated to come to."""

from __future__ import annotations

import inspect
import json
from collections.abc import Iterable
from functools import partial
from pathlib import Path

import pytest

from codegen_eval.asking import Asker
from codegen_eval.budget import Budget
from codegen_eval.cli.main import run_argv
from codegen_eval.cli.plan import plan
from codegen_eval.cli.run import run as run_command
from codegen_eval.forecast import Forecast, forecast
from codegen_eval.generation import Sampling, assign, generate
from codegen_eval.ledger import Ledger
from codegen_eval.models import Reply, Request, StopReason
from codegen_eval.models.mock import MockModel
from codegen_eval.pricing import load_prices
from codegen_eval.resources import resource_root
from codegen_eval.solution import Strategy
from codegen_eval.strategy import Prompts
from codegen_eval.task_loader import discover_tasks

PRICES = load_prices()


def _forecast(*, model: str = "mock", samples: int = 1, max_tokens: int = 4096) -> Forecast:
    return forecast(discover_tasks(), Strategy, [model], samples=samples, max_tokens=max_tokens, prices=PRICES)


class Chatterbox:
    """A model that always writes as much as it may, and is always cut."""

    provider = "chatterbox"

    def complete(self, request: Request) -> Reply:
        """Answer with one token for each that is allowed; every byte of the prompt was one."""
        size = sum(len(message.content.encode()) for message in request.messages)
        return Reply(
            text="```python\n" + "x" * (request.max_tokens - 10),
            input_tokens=size,
            output_tokens=request.max_tokens,
            estimated=False,
            stop_reason=StopReason.MAX_TOKENS,
        )


@pytest.mark.parametrize("max_tokens", [1, 100, 4096, 200_000])
def test_the_three_figures_are_in_order(max_tokens: int) -> None:
    """In calls, tokens and dollars, for every strategy; a row for each model and strategy adds up to the total."""
    found = _forecast(max_tokens=max_tokens)

    for estimate in (found.total, *(row.estimate for row in found.rows)):
        least, expected, most = estimate.least, estimate.expected, estimate.most
        assert least.calls <= expected.calls <= most.calls
        assert least.input_tokens <= expected.input_tokens <= most.input_tokens
        assert least.output_tokens <= expected.output_tokens <= most.output_tokens
        assert least.usd is not None
        assert expected.usd is not None
        assert most.usd is not None
        assert least.usd <= expected.usd <= most.usd
    assert sum(row.estimate.most.calls for row in found.rows) == found.total.most.calls


def test_samples_multiply() -> None:
    one, five = _forecast(), _forecast(samples=5)

    assert one.total.expected.usd is not None
    assert five.total.expected.usd == 5 * one.total.expected.usd
    assert five.total.least.calls == 5 * one.total.least.calls == 250


def test_the_corpus_costs_what_such_replies_are_expected_to(tmp_path: Path) -> None:
    """What the forty canned solutions come to lies between the bounds, and near what is expected."""
    found = _forecast().total
    with Ledger.open(tmp_path / "r.ledger", parameters={}) as ledger:
        asker = Asker(MockModel(resource_root() / "corpus"), ledger, PRICES)
        for assignment in assign(tuple(discover_tasks().values()), tuple(Strategy), ["mock"]):
            generate(assignment, ask=asker, prices=PRICES, prompts=Prompts())

    assert asker.spent.calls == found.expected.calls == 50
    assert asker.spent.usd is not None
    assert found.least.usd is not None
    assert found.expected.usd is not None
    assert found.most.usd is not None
    assert found.least.usd <= asker.spent.usd <= found.most.usd
    assert 0.5 < asker.spent.usd / found.expected.usd < 2


def test_a_budget_of_the_most_never_stops_a_run(tmp_path: Path) -> None:
    """Even a model that is cut every time, and whose every byte is a token, stays within it."""
    most = _forecast(max_tokens=300).total.most
    with Ledger.open(tmp_path / "r.ledger", parameters={}) as ledger:
        asker = Asker(Chatterbox(), ledger, PRICES, budget=Budget(most.usd))
        for assignment in assign(tuple(discover_tasks().values()), tuple(Strategy), ["mock"]):
            sampling = Sampling(max_tokens=300)
            generate(assignment, ask=asker, prices=PRICES, prompts=Prompts(), sampling=sampling)

    assert asker.spent.calls == most.calls == 100


def test_a_price_that_is_unknown_stays_unknown() -> None:
    found = _forecast(model="unheard-of").total

    assert found.least.usd is found.expected.usd is found.most.usd is None
    assert found.expected.output_tokens > 0


def test_the_command_needs_no_key(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """It asks nobody: text for people, JSON for programs, and both say that these are estimates."""
    monkeypatch.delenv("ANTHROPIC_API_KEY", raising=False)
    plan = ["plan", "--mode", "claude", "--model", "claude-haiku-4-5", "claude-opus-5", "--samples", "2"]
    assert run_argv([*plan, "--strategies", "bare"]) == 0
    text = capsys.readouterr().out
    assert run_argv([*plan, "--strategies", "bare", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)

    assert text.startswith("Estimates")
    assert [row["model"] for row in found["rows"]] == ["claude-haiku-4-5", "claude-opus-5"]
    assert found["estimated"] is True
    assert found["total"]["expected"]["calls"] == 40
    assert run_argv(["plan"]) == run_argv([*plan, "--samples", "0"]) == 2


def test_a_command_line_of_a_run_is_one_of_a_plan() -> None:
    """Every option of `run` is one of `plan`, but the one that goes on with what was begun."""
    run, planned = (inspect.signature(command, eval_str=True).parameters.values() for command in (run_command, plan))

    def options(parameters: Iterable[inspect.Parameter]) -> set[str]:
        found = [meta for each in parameters for meta in getattr(each.annotation, "__metadata__", ())]
        return {word for meta in found for word in (meta.default, *meta.param_decls) if str(word).startswith("-")}

    assert len(options(run)) > 25
    assert options(run) - options(planned) == {"--resume"}


def test_reviews_are_counted() -> None:
    """One for each solution at least, also of drafts as expected, at most two for each; of the reviewer's prices."""
    tasks = discover_tasks()
    plain = partial(forecast, tasks, Strategy, ["mock"], samples=2, max_tokens=1000, prices=PRICES)
    without = plain()
    found = plain(reviewer="claude-haiku-4-5")
    (reviews,) = (row for row in found.rows if row.strategy is None)
    undrafted = plain(reviewer="claude-haiku-4-5", drafts=False)

    calls = [getattr(reviews.estimate, name).calls for name in ("least", "expected", "most")]
    assert calls == [2 * 40, 2 * 50, 2 * 2 * 50]
    assert found.total == without.total + reviews.estimate
    assert undrafted.total.expected.calls == without.total.expected.calls + 2 * 40
    assert reviews.estimate.expected.usd == PRICES.cost(
        "claude-haiku-4-5", reviews.estimate.expected.input_tokens, reviews.estimate.expected.output_tokens
    )


@pytest.mark.parametrize(
    ("budget", "said"),
    [("0.000001", "less than the least"), ("0.02", "may stop the run"), ("5000", "never stops the run")],
)
def test_a_plan_is_held_against_the_budget(budget: str, said: str, capsys: pytest.CaptureFixture[str]) -> None:
    """With nothing else in the line of a run changed."""
    line = ["plan", "--mode", "claude", "--tasks", "fizzbuzz", "--strategies", "bare", "-j", "2", "--out", "r.json"]
    assert run_argv([*line, "--budget-usd", budget, "--base-url", "http://localhost:1", "--fresh"]) == 0

    assert said in capsys.readouterr().out
