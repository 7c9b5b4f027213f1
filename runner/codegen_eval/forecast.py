"""What a run will come to, before anything is spent: estimates, from the prompts that it would send.

Prompts are known, replies are not. Three assumptions give three figures:

==========  ==========================================================================================
`least`     replies half as long as the reference solution; every turn is answered once
`expected`  replies half as long again as the reference, a review with some prose before it
`most`      replies as long as they may be; every one is cut and asked for again with twice the room;
            every byte of a prompt is a token
==========  ==========================================================================================

A budget of `most` never stops the run. A reviewer is asked about each solution once at least, about each draft as well
as expected, and at most twice about each of both.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from decimal import Decimal

from codegen_eval.budget import most_tokens
from codegen_eval.frozen import Frozen
from codegen_eval.generation import MOST_TOKENS
from codegen_eval.models import Request
from codegen_eval.pricing import PriceTable
from codegen_eval.review.prompt import render_review
from codegen_eval.review.reviewer import MAX_SOURCE_CHARS, review_request
from codegen_eval.solution import Solution, Strategy
from codegen_eval.strategy import TURNS, Briefing, Prompts
from codegen_eval.task import Task
from codegen_eval.tokens import estimate_message_tokens, estimate_tokens

_SHORTEST_CODE = 20
"""Tokens of the smallest solution."""
_PROSE = 40
"""Tokens that usually stand round the code."""
_REVIEW = 400
"""Tokens of the review before a revision."""
_CHARACTERS = 4
"""Of a token of code, of which each may be a token to the reviewer."""
_NO_CLAIM, _CLAIMS = 10, 250
"""Tokens of a reviewer's answer that claims nothing, and of one that claims something."""


class Sums(Frozen):
    """Calls, tokens and their price under one assumption."""

    calls: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    usd: Decimal | None = Decimal(0)
    """None where the model's price is unknown."""

    def __add__(self, other: Sums) -> Sums:
        """Return the sum."""
        return Sums(
            calls=self.calls + other.calls,
            input_tokens=self.input_tokens + other.input_tokens,
            output_tokens=self.output_tokens + other.output_tokens,
            usd=None if self.usd is None or other.usd is None else self.usd + other.usd,
        )


class Estimate(Frozen):
    """What something comes to, under the three assumptions."""

    least: Sums = Sums()
    expected: Sums = Sums()
    most: Sums = Sums()

    def __add__(self, other: Estimate) -> Estimate:
        """Return the sum."""
        return Estimate(
            least=self.least + other.least, expected=self.expected + other.expected, most=self.most + other.most
        )


class Row(Frozen):
    """The estimate for one model and strategy."""

    model: str
    strategy: Strategy | None
    """None: reviews of all of them."""
    solutions: int
    estimate: Estimate


class Forecast(Frozen):
    """The estimate for a run."""

    estimated: bool = True
    """Always: nothing here was counted or charged by a provider."""
    prices_as_of: str
    rows: tuple[Row, ...]
    total: Estimate


def forecast(
    tasks: Mapping[str, Task],
    strategies: Iterable[Strategy],
    models: Iterable[str],
    *,
    samples: int,
    max_tokens: int,
    prices: PriceTable,
    prompts: Briefing | None = None,
    reviewer: str | None = None,
    drafts: bool = True,
    paid: bool = True,
) -> Forecast:
    """Estimate a run. Asks nobody, and needs no key. Without prompts it is of tasks of our own form.

    `reviewer` is the name of the model that reviews; drafts are reviewed where they are judged. What is not `paid` has
    no rows: the canned corpus asks nobody.
    """
    prompts = prompts or Prompts()
    chosen = tuple(strategies)
    asked = tuple(models)
    rows: list[Row] = []
    for model in asked if paid else ():
        for strategy in chosen:
            total = Estimate()
            for task in tasks.values():
                total += _solution(task, strategy, model, max_tokens=max_tokens, prompts=prompts, prices=prices)
            estimate = Estimate(
                least=_times(total.least, samples),
                expected=_times(total.expected, samples),
                most=_times(total.most, samples),
            )
            rows.append(Row(model=model, strategy=strategy, solutions=samples * len(tasks), estimate=estimate))
    if reviewer is not None:
        answers = samples * len(asked)
        reviews = Estimate()
        for task in tasks.values():
            reviews += _reviews(
                task,
                reviewer,
                solutions=answers * len(chosen),
                drafts=answers * sum(TURNS[strategy] > 1 for strategy in chosen) if drafts else 0,
                room=_room(max_tokens),
                prices=prices,
            )
        rows.append(Row(model=reviewer, strategy=None, solutions=answers * len(chosen) * len(tasks), estimate=reviews))
    whole = Estimate()
    for row in rows:
        whole += row.estimate
    return Forecast(prices_as_of=prices.as_of.isoformat(), rows=tuple(rows), total=whole)


def _solution(
    task: Task, strategy: Strategy, model: str, *, max_tokens: int, prompts: Briefing, prices: PriceTable
) -> Estimate:
    code = max(_SHORTEST_CODE, estimate_tokens(task.reference))
    room = _room(max_tokens)
    total = Estimate()
    before = Estimate()
    """What earlier turns have answered, which is shown again."""
    for turn in range(TURNS[strategy]):
        messages = prompts.messages(task, strategy, earlier=("",) * turn)
        request = Request(model=model, messages=messages, task=task.id, strategy=strategy, max_tokens=max_tokens)
        shown = estimate_message_tokens(message.content for message in messages)
        least_out = min(max_tokens, code // 2)
        expected_out = min(max_tokens, code * 3 // 2 + _PROSE + (_REVIEW if turn else 0))
        most_in = most_tokens(request) + before.most.output_tokens
        least = _call(model, shown + before.least.output_tokens, least_out, prices)
        expected = _call(model, shown + before.expected.output_tokens, expected_out, prices)
        most = [_bound(model, most_in, out, prices) for out in dict.fromkeys((max_tokens, room))]
        total += Estimate(least=least, expected=expected, most=sum(most, Sums()))
        before += Estimate(least=least, expected=expected, most=most[-1])
    return total


def _room(max_tokens: int) -> int:
    """Return how many tokens the second reply has, where the first was cut."""
    return max(max_tokens, min(2 * max_tokens, MOST_TOKENS))


def _reviews(task: Task, model: str, *, solutions: int, drafts: int, room: int, prices: PriceTable) -> Estimate:
    """Return what the reviews of the answers to one task come to, as if each were the reference."""
    answer = Solution(id=task.id, task=task.id, strategy=None, model=model, source=task.reference)
    first = review_request(task, model, render_review(task, answer))
    tool = first.tool
    shown = estimate_message_tokens(message.content for message in first.messages)
    shown += 0 if tool is None else estimate_tokens(tool.name + tool.description + tool.parameters)
    least, expected = (_call(model, shown, out, prices) for out in (_NO_CLAIM, _CLAIMS))
    again = review_request(task, model, first.messages[0].content, turn=1)
    longest = most_tokens(first) + min(MAX_SOURCE_CHARS, _CHARACTERS * room)
    most = sum((_bound(model, longest, request.max_tokens, prices) for request in (first, again)), Sums())
    return Estimate(
        least=_times(least, solutions),
        expected=_times(expected, solutions + drafts),
        most=_times(most, solutions + drafts),
    )


def _call(model: str, input_tokens: int, output_tokens: int, prices: PriceTable) -> Sums:
    usd = prices.cost(model, input_tokens, output_tokens)
    return Sums(calls=1, input_tokens=input_tokens, output_tokens=output_tokens, usd=usd)


def _bound(model: str, input_tokens: int, output_tokens: int, prices: PriceTable) -> Sums:
    usd = prices.bound(model, input_tokens, output_tokens)
    return Sums(calls=1, input_tokens=input_tokens, output_tokens=output_tokens, usd=usd)


def _times(sums: Sums, factor: int) -> Sums:
    return Sums(
        calls=factor * sums.calls,
        input_tokens=factor * sums.input_tokens,
        output_tokens=factor * sums.output_tokens,
        usd=None if sums.usd is None else factor * sums.usd,
    )


def render_forecast(found: Forecast, budget: Decimal | None = None) -> str:
    """Return a forecast for people, held against a budget where there is one."""
    lines = ["Estimates: nothing is asked and nothing is spent.", ""]
    for model in dict.fromkeys(row.model for row in found.rows):
        lines.append(model)
        lines.append(f"  {'':12} {'calls':>11} {'tokens in':>10} {'out':>9} {'least $':>9} {'expected':>9} {'most':>9}")
        of_model = [row for row in found.rows if row.model == model]
        lines.extend(_line(row.strategy or "reviews", row.estimate) for row in of_model)
        lines.append("")
    lines.append(_line("all", found.total).strip())
    unknown = sorted({row.model for row in found.rows if row.estimate.most.usd is None})
    if unknown:
        lines.append(f"no price is known of {', '.join(unknown)}: give one with `--prices`")
    else:
        lines.append(f"prices as of {found.prices_as_of}; with a budget of the most, the run never stops for it")
    lines += [] if budget is None else [_held_against(budget, found.total)]
    return "\n".join(lines) + "\n"


def _held_against(budget: Decimal, total: Estimate) -> str:
    if total.most.usd is None or total.expected.usd is None or total.least.usd is None:
        return f"a budget of ${budget} can't be kept: a price is unknown"
    if budget < total.least.usd:
        return f"a budget of ${budget} is less than the least"
    if budget < total.expected.usd:
        return f"a budget of ${budget} is less than expected: the run will probably stop for it"
    return f"a budget of ${budget} {'may stop the run' if budget < total.most.usd else 'never stops the run'}"


def _line(name: str, estimate: Estimate) -> str:
    least, expected, most = estimate.least, estimate.expected, estimate.most
    calls = f"{least.calls}-{most.calls}" if least.calls != most.calls else str(least.calls)
    dollars = " ".join(f"{'unknown' if sums.usd is None else f'{sums.usd:.4f}':>9}" for sums in (least, expected, most))
    return f"  {name:12} {calls:>11} {expected.input_tokens:>10} {expected.output_tokens:>9} {dollars}"
