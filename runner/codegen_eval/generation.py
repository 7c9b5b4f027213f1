"""Ask a model for a solution: the turns of a strategy, through the ledger, to code and its price.

A reply is written to the ledger before it is used, and looked up there before it is asked for: what was paid for once
is never paid for again.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import structlog
from pydantic import JsonValue

from codegen_eval.events import Event
from codegen_eval.extraction import extract
from codegen_eval.ledger import Ledger, key_of
from codegen_eval.models import Model, Reply, Request
from codegen_eval.pricing import PriceTable
from codegen_eval.solution import Call, Solution, Strategy
from codegen_eval.strategy import TURNS, Prompts
from codegen_eval.task import Task


@dataclass(frozen=True, slots=True, kw_only=True)
class Sampling:
    """What is asked of the model beside the messages."""

    max_tokens: int = 4096
    temperature: float | None = None


def generate(
    task: Task,
    strategy: Strategy,
    *,
    model: Model,
    model_name: str,
    ledger: Ledger,
    prices: PriceTable,
    prompts: Prompts,
    sample: int = 0,
    sampling: Sampling | None = None,
) -> Solution:
    """Run the strategy's turns and return the solution that the final answer holds.

    The outcome is OK or NO_CODE: the source is not compiled here.

    Raises:
        ModelError, CorpusError: the model gave no answer.
        LedgerError: the reply can't be recorded.
    """
    replies: tuple[str, ...] = ()
    calls: list[Call] = []
    asked = sampling or Sampling()
    for turn in range(TURNS[strategy]):
        request = Request(
            model=model_name,
            messages=prompts.messages(task, strategy, earlier=replies),
            task=task.id,
            strategy=strategy,
            turn=turn,
            sample=sample,
            max_tokens=asked.max_tokens,
            temperature=asked.temperature,
        )
        reply = _ask(model, request, ledger)
        usd = prices.cost(model_name, reply.input_tokens, reply.output_tokens)
        calls.append(
            Call(
                turn=turn,
                input_tokens=reply.input_tokens,
                output_tokens=reply.output_tokens,
                estimated=reply.estimated,
                usd=usd,
            )
        )
        replies += (reply.text,)
    extraction = extract(replies[-1], task.text.entry_point)
    return Solution(
        id=f"{task.id}/{strategy}" + (f"#{sample}" if sample else ""),
        task=task.id,
        strategy=strategy,
        model=model_name,
        sample=sample,
        source=extraction.code or "",
        outcome=extraction.outcome,
        rule=extraction.rule,
        calls=tuple(calls),
    )


def describe_request(provider: str, request: Request) -> Mapping[str, JsonValue]:
    """Return all that determines a reply, for its key in the ledger.

    Task and strategy are among it: two strategies that begin with the same words get answers of their own.
    """
    tool = request.tool
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
    if tool is not None:
        described["tool"] = {"name": tool.name, "description": tool.description, "parameters": tool.parameters}
    return described


def _ask(model: Model, request: Request, ledger: Ledger) -> Reply:
    described = describe_request(model.provider, request)
    key = key_of(described)
    log = structlog.get_logger().bind(
        task=request.task,
        strategy=request.strategy and request.strategy.value,
        turn=request.turn,
        sample=request.sample,
    )
    known = ledger.get_reply(key)
    if known is not None:
        log.info(Event.REPLY_RECALLED)
        return known
    reply = model.complete(request)
    ledger.put_reply(key, reply, request=described)
    log.info(
        Event.REPLY_RECEIVED,
        input_tokens=reply.input_tokens,
        output_tokens=reply.output_tokens,
        stop_reason=reply.stop_reason.value,
    )
    return reply
