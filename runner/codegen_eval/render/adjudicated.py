"""What a report shows of a run whose solutions people have judged, as tables."""

from __future__ import annotations

from collections.abc import Iterator

from codegen_eval.adjudicated import AdjudicatedScore, LayerRuling
from codegen_eval.render.cell import NOTHING, Cell, Row, Table, Tone, interval, number, rate, usd


def adjudicated_tables(found: AdjudicatedScore, *, intervals: bool) -> Iterator[Table]:
    """Yield how much is adjudicated, precision and recall, and the matrix of what was caught."""
    yield Table(
        title="Adjudicated",
        headings=("solutions", "all", "judged", "with a failure"),
        rows=(
            (
                Cell("flagged by a layer"),
                Cell(str(found.flagged)),
                Cell(str(found.flagged_ruled)),
                Cell(str(found.true - found.missed)),
            ),
            (
                Cell("flagged by none"),
                Cell(str(found.unflagged)),
                Cell(str(found.unflagged_ruled)),
                number(found.missed, Tone.BAD),
            ),
        ),
        notes=tuple(_how_much(found)),
    )
    yield Table(
        title="Precision and recall on adjudicated solutions",
        headings=("layer", "flags", "judged", "true", "precision", "95% interval", "recall", "95% interval"),
        rows=tuple(_ruling_row(layer) for layer in found.layers),
        notes=(
            "true: the solution has a failure. precision: true of judged flags.",
            "recall: flagged of all true failures, those among solutions that nobody judged estimated from the judged.",
        ),
    )
    classes = [c.failure_class.value for c in found.layers[0].catch] if found.layers else []
    yield Table(
        title="Caught / true failures that were judged",
        headings=("layer", *classes),
        rows=tuple(row for layer in found.layers for row in _catch_rows(layer, intervals=intervals)),
        notes=(
            "A solution with several classes counts in each. Counts of judged solutions, not weighted.",
            "right class: of the caught, those whose findings name the class that was given.",
        ),
    )


def _how_much(found: AdjudicatedScore) -> Iterator[str]:
    if found.unsure:
        yield f"unsure: {found.unsure}, counted in nothing"
    if found.failures is None:
        yield "too little is judged for recall: it takes flagged solutions and some that no layer flags"
    else:
        yield f"failures in the whole run, estimated: {found.failures:.1f}"
    if found.usd_per_caught is not None:
        yield f"usd per true failure that was flagged and judged, with all answers: {usd(found.usd_per_caught)}"


def _ruling_row(x: LayerRuling) -> Row:
    recall = NOTHING if x.recall is None else f"{round(100 * x.recall)}%"
    return (
        Cell(x.layer),
        Cell(str(x.flags)),
        Cell(str(x.ruled)),
        Cell(str(x.true)),
        rate(x.true, x.ruled, Tone.GOOD, intervals=False),
        Cell(interval(x.precision_interval)),
        Cell(recall),
        Cell(interval(x.recall_interval)),
    )


def _catch_rows(x: LayerRuling, *, intervals: bool) -> Iterator[Row]:
    yield (Cell(x.layer), *(rate(c.caught, c.true, Tone.GOOD, intervals=intervals) for c in x.catch))
    if any(c.caught for c in x.catch):
        right = (Cell(str(c.right) if c.caught else "", Tone.QUIET) for c in x.catch)
        yield (Cell("  right class", Tone.QUIET), *right)
