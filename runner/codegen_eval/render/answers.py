"""What a report shows of answers: how generation ended, what passed, what revising them did, what claims were worth."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from decimal import Decimal
from typing import Protocol, TypeVar

from codegen_eval.answers import NOT_OK, AnswerScore
from codegen_eval.claims import ClaimScore, ReviewScore
from codegen_eval.render.cell import NOTHING, Cell, Row, Table, Tone, blank, interval, number, rate, usd
from codegen_eval.revision import RevisionScore
from codegen_eval.scorecard import Scorecard
from codegen_eval.solution import Outcome

_WORDS = {Outcome.NO_CODE: "no code", Outcome.SYNTAX_ERROR: "syntax error"}


class _OfModel(Protocol):
    @property
    def model(self) -> str: ...


Score = TypeVar("Score", bound=_OfModel)


def by_model(
    models: Iterable[str], scores: Iterable[Score], row: Callable[[Score], Row], columns: int
) -> Iterator[Row]:
    """Yield the rows of all scores, under the name of their model where there are several."""
    names, known = tuple(models), tuple(scores)
    for name in names:
        own = [score for score in known if score.model == name]
        if len(names) > 1 and own:
            yield (Cell(name, Tone.HEAD), *blank(columns - 1))
        for score in own:
            label, *cells = row(score)
            yield (Cell(f"  {label.text}", label.tone) if len(names) > 1 else label, *cells)


def answers_tables(card: Scorecard) -> Iterator[Table]:
    """Yield how many answers passed and, where a model was asked or not all were whole, how generation ended."""
    several = any(x.samples > 1 for x in card.answers)
    notes = [
        "pass rate: of all answers but errors (not theirs). unusable: no code that compiles; neither pass nor fail."
    ]
    if several:
        most = max(x.samples for x in card.answers)
        notes.append(f"up to {most} samples of an answer; the intervals allow for samples of one task being alike.")
    if not card.self_test and len(card.models) > 1:
        yield _models_table(card)
    headings: tuple[str, ...] = ("strategy", "pass", "fail", "unusable", "error", "pass rate", "95% interval")
    if not card.self_test:
        yield Table(
            title="Answers",
            headings=headings,
            rows=tuple(by_model(card.models, card.answers, _answers_row, len(headings))),
            notes=tuple(notes),
        )
    if not card.self_test or any(n for x in card.answers for _, n in x.not_ok):
        headings = ("strategy", "answers", "ok", *(_WORDS.get(outcome, outcome.value) for outcome in NOT_OK))
        yield Table(
            title="How generation ended",
            headings=headings,
            rows=tuple(by_model(card.models, card.answers, _ended_row, len(headings))),
            notes=("truncated, refused, no code: nothing was judged, so they are in no count of a layer.",),
        )


def _models_table(card: Scorecard) -> Table:
    """Return the pass rates with a column for each model."""
    found = {(x.model, x.strategy): rate(x.passed, x.judged, Tone.GOOD, intervals=False) for x in card.answers}
    nothing = Cell(NOTHING, Tone.QUIET)
    return Table(
        title="Pass rate of each model",
        headings=("strategy", *card.models),
        named=True,
        rows=tuple(
            (Cell(strategy or "all"), *(found.get((model, strategy), nothing) for model in card.models))
            for strategy in dict.fromkeys(x.strategy for x in card.answers)
        ),
    )


def _answers_row(x: AnswerScore) -> Row:
    without = sum(n for _, n in x.not_ok)
    return (
        Cell(x.strategy or "all"),
        Cell(str(x.passed)),
        Cell(str(x.failed)),
        number(without, Tone.BAD),
        number(x.errors, Tone.BAD),
        rate(x.passed, x.judged, Tone.GOOD, intervals=False),
        Cell(interval(x.interval)),
    )


def _ended_row(x: AnswerScore) -> Row:
    whole = x.passed + x.failed + x.errors
    return (Cell(x.strategy or "all"), Cell(str(x.answers)), number(whole), *(number(n, Tone.BAD) for _, n in x.not_ok))


def revisions_table(card: Scorecard) -> Table:
    """Return what revising the first answer fixed and broke."""
    headings = ("layer", "fixed", "broke", "both pass", "both fail", "undecided")
    return Table(
        title="What revising the first answer did",
        headings=headings,
        rows=tuple(by_model(card.models, card.revisions, _revision_row, len(headings))),
        notes=(
            "fixed: the first answer fails and the final one passes; broke: the other way round.",
            "undecided: an error of ours, no answer, or a layer that does not apply, on either side.",
        ),
    )


def _revision_row(x: RevisionScore) -> Row:
    label = x.strategy if x.layer is None else f"  {x.layer}"
    counts = (Cell(str(x.kept)), Cell(str(x.failed)), number(x.undecided))
    return (Cell(label), number(x.fixed, Tone.GOOD), number(x.broke, Tone.BAD), *counts)


def reviews_tables(card: Scorecard) -> Iterator[Table]:
    """Yield what became of reviewers' claims, and what the layers that asked models cost."""
    rows = [row for x in card.reviews for row in _claims(x)]
    yield Table(
        title="Claims of reviewers, executed",
        headings=("layer", "claims", "confirmed", "refuted", "unverifiable", "precision", "95% interval"),
        rows=tuple(rows),
        notes=(
            "confirmed: solution and reference do different things on the input that was named; refuted: the same.",
            "precision: confirmed of confirmed and refuted.",
        ),
    )
    estimated = any(x.estimated for x in card.reviews)
    yield Table(
        title="Cost of reviewing in USD (estimated: token counts are estimates)"
        if estimated
        else "Cost of reviewing in USD",
        headings=("layer", "reviewed", "calls", "tokens in", "cached", "out", "usd", *_caught_headings(card)),
        rows=tuple(_review_cost(card, x) for x in card.reviews),
        notes=("Beside the cost of the strategies; reviews of first answers are in it, their claims are not counted.",)
        if card.revisions
        else (),
    )


def _claims(x: ReviewScore) -> Iterator[Row]:
    yield _claim_row(x.layer, x.total)
    if len(x.by_class) > 1:
        yield from (_claim_row(f"  {c.failure_class}", c) for c in x.by_class)


def _claim_row(label: str, x: ClaimScore) -> Row:
    return (
        Cell(label),
        Cell(str(x.claims)),
        number(x.confirmed, Tone.GOOD),
        number(x.refuted, Tone.BAD),
        number(x.unverifiable),
        rate(x.confirmed, x.confirmed + x.refuted, Tone.GOOD, intervals=False),
        Cell(interval(x.interval)),
    )


def _caught_headings(card: Scorecard) -> tuple[str, ...]:
    return ("caught", "usd per caught bug") if card.has_truth else ("flagged by claims", "usd per flagged")


def _review_cost(card: Scorecard, x: ReviewScore) -> Row:
    hits = x.caught if card.has_truth else x.confirmed_solutions
    spent = x.spent
    figures = (spent.calls, spent.input_tokens, spent.cached_tokens, spent.output_tokens)
    return (
        Cell(x.layer),
        Cell(str(x.reviewed)),
        *(number(n) for n in figures),
        Cell(usd(spent.usd)),
        Cell(str(hits)),
        Cell(per(spent.per(hits), hits)),
    )


def cost_table(card: Scorecard) -> Table:
    """Return what the answers cost, in calls, tokens and money."""
    cached = any(x.spent.cached_tokens for x in card.answers)
    headings: tuple[str, ...] = ("strategy", "calls", "tokens in", *(("cached",) if cached else ()), "out", "usd")
    if card.has_truth:
        headings += ("caught", "usd per caught bug")

    def row(x: AnswerScore) -> Row:
        tokens = (x.spent.input_tokens, *((x.spent.cached_tokens,) if cached else ()), x.spent.output_tokens)
        cells: Row = (Cell(x.strategy or "all"), Cell(str(x.spent.calls)), *map(number, tokens), Cell(usd(x.spent.usd)))
        return (*cells, Cell(str(x.caught)), Cell(per(x.spent.per(x.caught), x.caught))) if card.has_truth else cells

    return Table(
        title="Cost in USD (estimated: token counts are estimates)" if card.estimated else "Cost in USD",
        headings=headings,
        rows=tuple(by_model(card.models, card.answers, row, len(headings))),
    )


def per(amount: Decimal | None, hits: int) -> str:
    """Return a price of one, nothing where there is none."""
    return usd(amount) if hits else NOTHING
