"""What a report shows, as tables of cells: the same for text and Markdown, which only lay it out."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from codegen_eval.comparison import Standing
from codegen_eval.interfaces import EndReason
from codegen_eval.render.adjudicated import adjudicated_tables
from codegen_eval.render.answers import answers_tables, cost_table, reviews_tables, revisions_table
from codegen_eval.render.cell import Cell, Row, Table, Tone, blank, count, number, rate
from codegen_eval.render.compared import standing_tables
from codegen_eval.scorecard import Catch, LayerScore, Scorecard
from codegen_eval.verdict import SEEDED_CLASSES, FailureClass

_MAX_NAMED = 10
_CLASS_NAMES = tuple(c.value for c in SEEDED_CLASSES)


def introduction(card: Scorecard) -> tuple[str, ...]:
    """Return the lines that say what this scorecard is about."""
    layers = count(len(card.layers), "layer")
    size = f"{count(card.solutions, 'solution')} of {count(card.tasks, 'task')}, {layers}"
    if card.has_truth:
        size += f"; {card.seeded} with a seeded failure, {card.clean} clean"
    lines = [size]
    if card.self_test:
        lines.append("Canned corpus: a self-test of the harness, not evidence about models.")
    elif not card.has_truth:
        lines.append("No ground truth: a flag is what a layer says, not a confirmed bug.")
    if not card.self_test and len(card.models) == 1 and card.models[0]:
        lines.append(f"Model: {card.models[0]}")
    return tuple(lines)


def tables(card: Scorecard, standing: Standing | None = None, *, intervals: bool) -> Iterator[Table]:
    """Yield the tables of a report, in order."""
    if standing is not None:
        yield from standing_tables(standing)
    yield from answers_tables(card)
    if card.adjudicated is not None:
        yield from adjudicated_tables(card.adjudicated, intervals=intervals)
    if card.has_truth:
        yield _seeded(card)
        yield _caught(card, intervals=intervals)
        yield _caught_by_strategy(card, intervals=intervals)
    else:
        yield _flags(card)
    yield _layers(card)
    if any(layer.ends for layer in card.layers):
        yield _ends(card)
    if card.revisions:
        yield revisions_table(card)
    if card.reviews:
        yield from reviews_tables(card)
    if any(strategy.calls for strategy in card.strategies):
        yield cost_table(card)
    if card.has_truth:
        yield _uncaught(card)


def _seeded(card: Scorecard) -> Table:
    rows = [_seeded_row(strategy.strategy, [n for _, n in strategy.seeded]) for strategy in card.strategies]
    sums = [sum(dict(strategy.seeded)[c] for strategy in card.strategies) for c in SEEDED_CLASSES]
    total = _seeded_row("all", sums)
    return Table(
        title="Seeded failures",
        headings=("strategy", *_CLASS_NAMES, "all"),
        rows=(*rows, total) if len(rows) > 1 else tuple(rows),
    )


def _seeded_row(label: str, counts: list[int]) -> Row:
    return (Cell(label), *(number(n) for n in counts), number(sum(counts)))


def _caught(card: Scorecard, *, intervals: bool) -> Table:
    rows: list[Row] = []
    for layer in card.layers:
        rows.append(_catch_row(layer.layer, layer, layer.catch, intervals=intervals))
        if any(c.caught for c in layer.catch):
            right = (Cell(str(c.right) if c.caught else "", Tone.QUIET) for c in layer.catch)
            rows.append((Cell("  right class", Tone.QUIET), *right))
    notes = ("right class: of the caught, those whose findings name the class that was seeded.",)
    return Table(title="Caught / seeded", headings=("layer", *_CLASS_NAMES), rows=tuple(rows), notes=notes)


def _caught_by_strategy(card: Scorecard, *, intervals: bool) -> Table:
    rows: list[Row] = []
    for strategy in card.strategies:
        if not any(n for _, n in strategy.seeded):
            rows.append((Cell(strategy.strategy, Tone.HEAD), Cell("none", Tone.QUIET), *blank(4)))
            continue
        rows.append((Cell(strategy.strategy, Tone.HEAD), *blank(5)))
        for layer in card.layers:
            row = next(by.catch for by in layer.by_strategy if by.strategy == strategy.strategy)
            rows.append(_catch_row(f"  {layer.layer}", layer, row, intervals=intervals))
    return Table(title="Caught / seeded, by strategy", headings=("layer", *_CLASS_NAMES), rows=tuple(rows))


def _catch_row(label: str, layer: LayerScore, row: Iterable[Catch], *, intervals: bool) -> Row:
    if layer.skipped:
        return (Cell(label), *(Cell("skipped", Tone.QUIET) for _ in row))
    return (Cell(label), *(rate(c.caught, c.seeded, Tone.GOOD, intervals=intervals) for c in row))


def _layers(card: Scorecard) -> Table:
    rows = []
    for x in card.layers:
        passed, failed, skips, errors = x.verdicts
        flags = (_false_flags(x, card.clean),) if card.has_truth else ()
        counts = (Cell(str(passed)), Cell(str(failed)), number(skips), number(errors, Tone.BAD), number(x.fragile))
        rows.append((Cell(x.layer), *flags, *counts))
    heading = ("false-flags",) if card.has_truth else ()
    return Table(
        title="Verdicts by layer",
        headings=("layer", *heading, "pass", "fail", "skip", "error", "fragile"),
        rows=tuple(rows),
        notes=_layer_notes(card),
    )


def _ends(card: Scorecard) -> Table:
    reasons = [reason for reason in EndReason if any(dict(layer.ends).get(reason) for layer in card.layers)]
    return Table(
        title="Workers that ended while they owed an answer (solutions)",
        headings=("layer", *(reason.value for reason in reasons)),
        rows=tuple(
            (Cell(layer.layer), *(number(dict(layer.ends).get(reason, 0)) for reason in reasons))
            for layer in card.layers
            if layer.ends
        ),
    )


def _layer_notes(card: Scorecard) -> tuple[str, ...]:
    notes = [f"false flag: {x.layer} on {i}" for x in card.layers for i in x.flagged_ids]
    if len(notes) > _MAX_NAMED:
        notes = [*notes[:_MAX_NAMED], f"and {len(notes) - _MAX_NAMED} more false flags"]
    if any(x.fragile for x in card.layers):
        notes.append("fragile: it passes, but its tests would hardly notice a fault; counted under fail too.")
    if any(x.errors for x in card.layers):
        notes.append(
            "error: neither for nor against, by no fault of the solution, which stays in its layer's denominators."
        )
    return tuple(notes)


def _false_flags(layer: LayerScore, clean: int) -> Cell:
    return Cell("skipped", Tone.QUIET) if layer.skipped else rate(layer.flagged, clean, Tone.BAD, intervals=False)


def _flags(card: Scorecard) -> Table:
    extra = [c for c in FailureClass if c not in SEEDED_CLASSES and any(dict(x.classes).get(c) for x in card.layers)]
    classes = (*SEEDED_CLASSES, *extra)
    rows: list[Row] = []
    several = len(card.models) > 1
    for model in (*card.models, None) if several else (None,):
        if several:
            rows.append((Cell(model or "all models", Tone.HEAD), *blank(len(classes) + 1)))
        for layer in card.layers:
            found = next((x for x in layer.by_model if x.model == model), layer.flags)
            label = f"  {layer.layer}" if several else layer.layer
            rows.append(_flags_row(label, layer, [dict(found.classes).get(c, 0) for c in classes], found.solutions))
    return Table(
        title="Solutions flagged, by layer and class of the evidence",
        headings=("layer", *(c.value for c in classes), "any"),
        rows=tuple(rows),
        notes=(
            "The class is that of the evidence: what the failing case or property is aimed at, or which rule matched.",
            "A solution counts in every class that its findings name, and once in the last column.",
        ),
    )


def _flags_row(label: str, layer: LayerScore, counts: list[int], total: int) -> Row:
    if layer.skipped:
        return (Cell(label), *(Cell("skipped", Tone.QUIET) for _ in (*counts, total)))
    return (Cell(label), *(number(n) for n in (*counts, total)))


def _uncaught(card: Scorecard) -> Table:
    rows = [(Cell(b.solution), Cell(b.failure_class.value), Cell(b.summary)) for b in card.uncaught]
    return Table(
        title="Seeded failures that no layer caught",
        headings=("solution", "class", "failure"),
        rows=tuple(rows) or ((Cell("none", Tone.QUIET), *blank(2)),),
    )
