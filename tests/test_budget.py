"""Laws of the budget."""

from __future__ import annotations

import threading
from decimal import Decimal
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from codegen_eval.asking import Asker, paid_by_run
from codegen_eval.budget import Budget, most_cost, most_tokens
from codegen_eval.crew import do_all
from codegen_eval.errors import BudgetExhaustedError, InputError, InterruptedRunError, ModelError
from codegen_eval.ledger import Ledger
from codegen_eval.models import Message, Reply, Request, Role, Tool
from codegen_eval.pricing import LongPromptPrice, ModelPrice, PriceTable, load_prices
from codegen_eval.tokens import estimate_message_tokens

ONE = Decimal(1)
PRICES = load_prices()


class Dear:
    """A model each of whose replies costs what was asked for at most, for the output."""

    provider = "dear"

    def __init__(self, *, failing: frozenset[int] = frozenset()) -> None:
        self.failing = failing
        self.asked: list[int] = []
        self.open = 0
        self.most_open = 0
        self._lock = threading.Lock()

    def complete(self, request: Request) -> Reply:
        """Answer with as many tokens as are allowed, or fail."""
        with self._lock:
            self.asked.append(request.sample)
            self.open += 1
            self.most_open = max(self.most_open, self.open)
        try:
            if request.sample in self.failing:
                raise ModelError("no")
            return Reply(text="x", input_tokens=1, output_tokens=request.max_tokens, estimated=False)
        finally:
            with self._lock:
                self.open -= 1


def _request(sample: int = 0, *, text: str = "hi", max_tokens: int = 100_000, tool: Tool | None = None) -> Request:
    messages = (Message(role=Role.USER, content=text),)
    return Request(
        model="mock", messages=messages, task="t", strategy=None, sample=sample, max_tokens=max_tokens, tool=tool
    )


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "r.ledger"


@given(st.text(), st.text(max_size=50))
def test_no_estimate_exceeds_the_bound(text: str, schema: str) -> None:
    """The most tokens that a request can have are at least as many as any count of them, tool included."""
    tool = Tool(name="t", description=schema, parameters=schema)
    request = _request(text=text, tool=tool)

    assert most_tokens(request) > estimate_message_tokens([text, schema, schema])
    assert most_tokens(request) >= len((text + schema + schema).encode("utf-8", "surrogatepass"))


@given(st.integers(0, 10**6), st.integers(0, 10**6), st.integers(0, 10**6), st.integers(0, 10**5))
def test_no_call_costs_more_than_its_bound(most_in: int, fresh: int, cached: int, out: int) -> None:
    """Whichever share of the tokens comes from a cache, and however long the prompt turns out."""
    long_prompt = LongPromptPrice(above=1000, input=Decimal(4), output=Decimal(9), cached=Decimal(1))
    price = ModelPrice(input=Decimal(1), output=Decimal(5), cached=Decimal(2), long_prompt=long_prompt)
    table = PriceTable(as_of=PRICES.as_of, models={"m": price})
    fresh = min(fresh, most_in)
    cached = min(cached, most_in - fresh)
    cost, bound = table.cost("m", fresh, out, cached_tokens=cached), table.bound("m", most_in, out)

    assert cost is not None
    assert bound is not None
    assert cost <= bound


@given(st.lists(st.integers(1, 20), max_size=30), st.integers(0, 100))
def test_a_budget_is_never_exceeded(costs: list[int], limit: int) -> None:
    """Calls begin as long as they are covered, in their order, and the first that is not ends it."""
    budget = Budget(Decimal(limit))
    begun = 0
    for cost in costs:
        try:
            kept = budget.set_aside(Decimal(cost))
        except BudgetExhaustedError:
            assert budget.spent + cost > limit
            break
        begun += cost
        budget.book(kept, Decimal(cost))

    assert begun == budget.spent <= limit


def test_a_call_waits_for_what_calls_in_flight_may_leave() -> None:
    """What was set aside and not spent covers the next call; nothing is refused too early."""
    budget = Budget(Decimal(10))
    first = budget.set_aside(Decimal(8))
    begun: list[Decimal] = []
    other = threading.Thread(target=lambda: begun.append(budget.set_aside(Decimal(8))))
    other.start()
    assert begun == []
    budget.book(first, ONE)
    other.join(10)

    assert begun == [Decimal(8)]


def test_nothing_begins_after_a_stop() -> None:
    """Neither a new call nor one that waits."""
    budget = Budget(Decimal(10))
    budget.set_aside(Decimal(8))
    refused: list[BaseException] = []

    def wait() -> None:
        try:
            budget.set_aside(Decimal(8))
        except InterruptedRunError as exc:
            refused.append(exc)

    other = threading.Thread(target=wait)
    other.start()
    budget.stop()
    other.join(10)

    assert len(refused) == 1
    with pytest.raises(InterruptedRunError):
        budget.set_aside(Decimal(0))


def test_an_unknown_price_and_a_limit_do_not_go_together() -> None:
    with pytest.raises(InputError, match="unknown"):
        Budget(ONE).set_aside(None)
    assert Budget().set_aside(None) == 0


@pytest.mark.parametrize("threads", [1, 4, 16])
def test_calls_at_a_time_together_stay_within_the_budget(path: Path, threads: int) -> None:
    """As many calls are answered as the budget covers, each is recorded, and the rest are never made."""
    most = most_cost(_request(), PRICES)
    assert most is not None
    model = Dear()
    with Ledger.open(path, parameters={}) as ledger:
        asker = Asker(model, ledger, PRICES, budget=Budget(3 * most))
        with pytest.raises(BudgetExhaustedError, match="allows no further call"):
            do_all([_request(n) for n in range(20)], asker, threads=threads, stop=asker.stop, grace_seconds=10)

        assert len(model.asked) == len(list(ledger.replies())) == asker.spent.calls == 3
        assert asker.spent == paid_by_run(ledger, PRICES)
        assert asker.spent.usd is not None
        assert asker.spent.usd <= 3 * most


def test_a_budget_goes_on_where_it_was(path: Path) -> None:
    """A resume counts what the run has paid before; a new run at the same place does not, and pays nothing twice."""
    with Ledger.open(path, parameters={}) as ledger:
        Asker(Dear(), ledger, PRICES)(_request(0))
    with Ledger.resume(path) as ledger:
        assert paid_by_run(ledger, PRICES).calls == 1
    with Ledger.open(path, parameters={}, keep_replies=True) as ledger:
        model = Dear()
        asker = Asker(model, ledger, PRICES, budget=Budget(Decimal(0)))
        asker(_request(0))

        assert paid_by_run(ledger, PRICES).calls == asker.spent.calls == len(model.asked) == 0
        with pytest.raises(BudgetExhaustedError):
            asker(_request(1))


def test_an_error_ends_the_work_and_keeps_what_was_answered(path: Path) -> None:
    """The first error is raised, nothing new begins, an error is not recorded, and every answer is."""
    model = Dear(failing=frozenset({5}))
    with Ledger.open(path, parameters={}) as ledger:
        asker = Asker(model, ledger, PRICES, budget=Budget(Decimal(1000)))
        with pytest.raises(ModelError):
            do_all([_request(n) for n in range(500)], asker, threads=3, stop=asker.stop, grace_seconds=10)

        assert len(model.asked) < 500
        assert len(list(ledger.replies())) == len(model.asked) - 1
        assert model.most_open <= 3


@given(st.integers(0, 20), st.integers(1, 8))
def test_work_comes_back_in_the_order_of_the_jobs(jobs: int, threads: int) -> None:
    done = do_all(range(jobs), lambda n: n * n, threads=threads, stop=lambda: None, grace_seconds=1)

    assert done == [n * n for n in range(jobs)]
