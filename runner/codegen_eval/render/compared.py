"""What a report shows of a run beside an earlier one, as tables."""

from __future__ import annotations

from collections.abc import Iterator

from codegen_eval.comparison import Comparison, Standing
from codegen_eval.paired import Change
from codegen_eval.render.cell import NOTHING, Cell, Row, Table, Tone, blank, count, number

_MAX_NAMED = 20
_LEAST_SHOWN = 0.001
_HEADINGS = ("pairs", "before", "after", "change", "95% interval", "better", "worse", "p")


def standing_tables(standing: Standing) -> Iterator[Table]:
    """Yield what is below the bar, and what changed since the earlier run."""
    complaints = tuple((Cell(text, Tone.BAD),) for text in standing.complaints)
    rows = complaints or ((Cell("nothing", Tone.GOOD),),)
    yield Table(title="Below what was asked", headings=("model and reason",), rows=rows)
    found = standing.comparison
    if found is not None:
        yield Table(
            title="Pass rates, compared with the earlier run",
            headings=("strategy", *_HEADINGS),
            rows=tuple(_by_model(found, found.by_strategy)),
            notes=(*(f"not as in the earlier run: {each}" for each in standing.differences), *_notes(found)),
        )
        if found.by_layer:
            yield Table(
                title="Pass rates by layer, compared with the earlier run",
                headings=("layer", *_HEADINGS),
                rows=tuple(_by_model(None, found.by_layer)),
            )
        yield Table(
            title="Answers that changed",
            headings=("answer", "now"),
            rows=tuple(_named(found.got_worse, Cell("worse", Tone.BAD)))
            + tuple(_named(found.got_better, Cell("better", Tone.GOOD)))
            or ((Cell("none", Tone.QUIET), *blank(1)),),
        )


def _by_model(whole: Comparison | None, changes: tuple[Change, ...]) -> Iterator[Row]:
    models = dict.fromkeys(x.model for x in (*(whole.overall if whole else ()), *changes))
    for model in models:
        yield (Cell(model, Tone.HEAD), *blank(len(_HEADINGS)))
        for change in changes:
            if change.model == model:
                yield _row(f"  {change.strategy or change.layer}", change)
        for change in whole.overall if whole else ():
            if change.model == model:
                yield _row("  all", change)


def _named(names: tuple[str, ...], said: Cell) -> Iterator[Row]:
    for name in names[:_MAX_NAMED]:
        yield (Cell(name), said)
    if len(names) > _MAX_NAMED:
        yield (Cell(f"and {len(names) - _MAX_NAMED} more", Tone.QUIET), said)


def _row(label: str, x: Change) -> Row:
    if not x.pairs:
        return (Cell(label), Cell("0"), *(Cell(NOTHING, Tone.QUIET) for _ in _HEADINGS[1:]))
    tone = Tone.BAD if x.difference < 0 else Tone.GOOD if x.difference > 0 else Tone.QUIET
    interval = NOTHING if x.interval is None else f"{_whole(x.interval[0])} to {_whole(x.interval[1])}"
    return (
        Cell(label),
        Cell(str(x.pairs)),
        Cell(f"{100 * x.before:.1f}%"),
        Cell(f"{100 * x.after:.1f}%"),
        Cell(_points(x.difference), tone),
        Cell(interval),
        number(x.better, Tone.GOOD),
        number(x.worse, Tone.BAD),
        Cell(f"{x.p_value:.3f}" if x.p_value >= _LEAST_SHOWN else f"<{_LEAST_SHOWN}"),
    )


def _points(rate: float) -> str:
    return f"{100 * rate + 0.0:+.1f}"


def _whole(rate: float) -> str:
    return f"{round(100 * rate):+d}"


def _notes(found: Comparison) -> tuple[str, ...]:
    notes = [f"pair: {found.pair}; change: percentage points."]
    notes.append("p: exact sign test of better against worse; McNemar's where there is one sample.")
    if found.undecided:
        notes.append(f"{count(found.undecided, 'pair')} left out: errors of ours on one side")
    if found.only_before or found.only_after:
        notes.append(f"without a counterpart: {found.only_before} before, {found.only_after} after")
    if found.changed:
        notes.append(f"left out, because the task has changed: {', '.join(found.changed[:_MAX_NAMED])}")
    return tuple(notes)
