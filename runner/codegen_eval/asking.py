"""Asking models: every call of a run goes through here, to the ledger, within the budget, and counted.

A reply is written to the ledger before it is used, and looked up there before it is asked for: what was paid for once
is never paid for again. An error is neither recorded nor counted.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from decimal import Decimal
from typing import Protocol

import structlog
from pydantic import JsonValue

from codegen_eval.budget import Budget, most_cost
from codegen_eval.errors import LedgerError
from codegen_eval.events import Event
from codegen_eval.ledger import Ledger, key_of
from codegen_eval.models import Model, Reply, Request
from codegen_eval.pricing import PriceTable
from codegen_eval.results import Spending


class Ask(Protocol):
    """Where replies come from. Called from several threads at once."""

    def __call__(self, request: Request) -> Reply:
        """Answer one request.

        Raises:
            ModelError: no answer can be had.
            BudgetExhaustedError: the call could exceed the budget.
            LedgerError: the reply can't be recorded, or a recorded one is damaged.
        """


class Asker:
    """Ask one model through the ledger and within the budget."""

    def __init__(
        self,
        model: Model,
        ledger: Ledger,
        prices: PriceTable,
        *,
        budget: Budget | None = None,
        on_reply: Callable[[Decimal], None] | None = None,
    ) -> None:
        """`on_reply` is told, after every reply, what the run has spent."""
        self._model = model
        self._ledger = ledger
        self._prices = prices
        self._budget = budget or Budget()
        self._on_reply = on_reply
        self._lock = threading.Lock()
        self._spent = Spending()

    @property
    def spent(self) -> Spending:
        """What was paid so far through this, and so in this session."""
        with self._lock:
            return self._spent

    def __call__(self, request: Request) -> Reply:
        """Answer from the ledger, or else ask the model and record its reply before anybody sees it."""
        described = describe_request(self._model.provider, request)
        key = key_of(described)
        log = structlog.get_logger().bind(
            model=request.model,
            task=request.task,
            strategy=request.strategy and request.strategy.value,
            turn=request.turn,
            sample=request.sample,
        )
        known = self._ledger.get_reply(key)
        if known is None:
            reply = self._pay(request, key, described)
            log.info(
                Event.REPLY_RECEIVED,
                input_tokens=reply.input_tokens,
                output_tokens=reply.output_tokens,
                stop_reason=reply.stop_reason.value,
            )
        else:
            reply = known
            log.info(Event.REPLY_RECALLED)
        if self._on_reply is not None:
            self._on_reply(self._budget.spent)
        return reply

    def stop(self) -> None:
        """Let no further call begin."""
        self._budget.stop()

    def _pay(self, request: Request, key: str, described: Mapping[str, JsonValue]) -> Reply:
        kept = self._budget.set_aside(most_cost(request, self._prices))
        cost: Decimal | None = None
        try:
            reply = self._model.complete(request)
            paid = paid_for(reply, request.model, self._prices)
            cost = paid.usd
            self._ledger.put_reply(key, reply, request=described)
        finally:
            self._budget.book(kept, cost)
        with self._lock:
            self._spent += paid
        return reply


class Recall:
    """Answer from a ledger only: what a finished run was told can be used again without a model."""

    def __init__(self, ledger: Ledger, provider: str) -> None:
        self._ledger = ledger
        self._provider = provider

    def __call__(self, request: Request) -> Reply:
        """Return the recorded reply.

        Raises:
            LedgerError: there is none.
        """
        reply = self._ledger.get_reply(key_of(describe_request(self._provider, request)))
        if reply is None:
            raise LedgerError(
                f"the ledger holds no reply to turn {request.turn} of task `{request.task}`",
                hint="finish the run with `--resume` first",
            )
        return reply


def describe_request(provider: str, request: Request) -> Mapping[str, JsonValue]:
    """Return all that determines a reply, for its key in the ledger.

    Task and strategy are among it: two strategies that begin with the same words get answers of their own.
    """
    described: dict[str, JsonValue] = {
        "kind": "reply",
        "provider": provider,
        "model": request.model,
        "messages": [{"role": message.role.value, "content": message.content} for message in request.messages],
        "max_tokens": request.max_tokens,
        "temperature": request.temperature,
        "task": request.task,
        "strategy": request.strategy and request.strategy.value,
        "sample": request.sample,
        "turn": request.turn,
    }
    tool = request.tool
    if tool is not None:
        described["tool"] = {"name": tool.name, "description": tool.description, "parameters": tool.parameters}
    return described


def cost_of(reply: Reply, model: str, prices: PriceTable) -> Decimal | None:
    """Return what a reply costs by the price table; None where its model's price is unknown."""
    return prices.cost(model, reply.input_tokens, reply.output_tokens, cached_tokens=reply.cached_tokens)


def paid_for(reply: Reply, model: str, prices: PriceTable) -> Spending:
    """Return what was paid to have a reply: for itself, and for the answers before it that were of no use."""
    total = Spending.of(reply, cost_of(reply, model, prices))
    for lost in reply.lost:
        usd = prices.cost(model, lost.input_tokens, lost.output_tokens, cached_tokens=lost.cached_tokens)
        total += Spending.of(lost, usd)
    return total


def paid_by_run(ledger: Ledger, prices: PriceTable) -> Spending:
    """Return what the run of this ledger has paid in all its sessions.

    What it took over from an earlier run is not counted, as that was paid for there; nor what the canned corpus says.
    """
    total = Spending()
    for _, record in ledger.replies():
        if record.run == ledger.run and record.request.get("provider") != "mock":
            total += paid_for(record.reply, str(record.request.get("model")), prices)
    return total
