"""The summary of an evaluation for people: lines and tables, laid out as the scorecard is."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence

from codegen_eval.comparison import Standing
from codegen_eval.render import standing_to_json, tables_as_markdown, tables_as_text
from codegen_eval.render.cell import Cell, Row, Table, Tone, blank, count, number, rate
from codegen_eval.render.compared import standing_tables
from codegen_eval.render.printable import escape_markdown

from .pass_at_k import PassAtK
from .record import Evaluation, ProblemScore

_MOST_LISTED = 20
_UNREAD = "Could not be read"


def render_text(
    found: Evaluation, standing: Standing | None = None, *, colour: bool = False, width: int = 80, verbose: bool = False
) -> str:
    """Return the summary for a terminal of that width; with a table of all problems where verbose."""
    text = tables_as_text(_introduction(found), _tables(found, standing, every=verbose), colour=colour, width=width)
    faults = [f"  {line}\n" for line in _faults(found)]  # not broken, so that a path stays one that can be followed
    return text + "".join(["\n", f"{_UNREAD}\n", *faults] if faults else [])


def render_markdown(found: Evaluation, standing: Standing | None = None) -> str:
    """Return the summary as Markdown, with a table of all problems."""
    page = tables_as_markdown("Evaluation", _introduction(found), _tables(found, standing, every=True))
    faults = [f"- {escape_markdown(line)}\n" for line in _faults(found)]
    return page + "".join(["\n", f"## {_UNREAD}\n\n", *faults] if faults else [])


def render_json(found: Evaluation, standing: Standing | None = None) -> str:
    """Return the summary as indented ASCII JSON: what `--out` holds, and how it stands where something was asked."""
    data = found.model_dump(mode="json") | standing_to_json(standing)
    return json.dumps(data, sort_keys=True, indent=1, ensure_ascii=True, allow_nan=False) + "\n"


def _introduction(found: Evaluation) -> Iterator[str]:
    seen = found.coverage
    only = (
        "" if found.limit is None or found.limit >= seen.samples else f", of which the first {found.limit} are judged"
    )
    yield f"{found.dataset}: {seen.samples} samples of {seen.sampled} of {seen.problems} problems{only}"
    yield f"reference pass rate {found.references_passed}/{found.references}"
    yield f"scored: {count(found.scored_samples, 'sample')} of {count(len(found.problems), 'problem')}"
    if not found.problems:
        yield "there is no score: every problem that has samples is excluded"
    if found.errors:
        yield f"errors of ours: {count(found.errors, 'sample')}, counted as not passed"


def _tables(found: Evaluation, standing: Standing | None, *, every: bool) -> Iterator[Table]:
    if standing is not None:
        yield from standing_tables(standing)
    if found.excluded:
        rows = [(Cell(one.problem), Cell(one.reason)) for one in found.excluded]
        yield Table(title="Excluded", headings=("problem", "reason"), rows=_few(rows))
    yield _rates("pass@k", found.pass_at_k)
    if found.base_pass_at_k:
        yield _rates("pass@k by the tests of the original set alone", found.base_pass_at_k)
    if found.adds:
        passed = sum(one.passed for one in found.problems)
        yield Table(
            title="Rejected, of what passes the problem's tests",
            headings=("layer", "rejected", "not judged"),
            rows=tuple(
                (*_share(one.layer, one.rejected, one.judged), number(max(passed - one.judged, 0)))
                for one in found.adds
            ),
        )
    if found.losses:
        yield Table(
            title="Pass as the program of another rule, of what fails",
            headings=("rule", "would pass"),
            rows=tuple(_share(one.rule, one.would_pass, one.tried) for one in found.losses),
        )
    marked = [(Cell(one.problem), Cell(one.known_bad)) for one in found.problems if one.known_bad]
    if marked:
        yield Table(title="Known to be bad, and counted", headings=("problem", "reason"), rows=_few(marked))
    if every and found.problems:
        yield _problems(found.problems)


def _faults(found: Evaluation) -> Iterator[str]:
    shown = found.faults[:_MOST_LISTED]
    yield from map(str, shown)
    if found.fault_count > len(shown):
        yield f"and {found.fault_count - len(shown)} more"


def _rates(title: str, found: Iterable[PassAtK]) -> Table:
    rows = tuple(
        (
            Cell(f"pass@{one.k}"),
            Cell(f"{one.estimate:.2%}", Tone.HEAD),
            Cell(f"{one.low:.1%} to {one.high:.1%}"),
            Cell(str(one.problems)),
        )
        for one in found
    )
    return Table(title=title, headings=("k", "estimate", "95% interval", "problems"), rows=rows)


def _problems(found: Iterable[ProblemScore]) -> Table:
    """Return how many samples of each problem pass; beside them, of the original set's tests where there are others."""
    scores = list(found)
    has_base = any(one.base_passed is not None for one in scores)
    rows = tuple(
        (
            Cell(one.problem),
            rate(one.passed, one.samples, Tone.PLAIN, intervals=False),
            *((number(one.base_passed or 0),) if has_base else ()),
        )
        for one in scores
    )
    return Table(
        title="Problems", headings=("problem", "pass", *(("by the original tests",) if has_base else ())), rows=rows
    )


def _share(label: str, some: int, of: int) -> Row:
    return (Cell(label), rate(some, of, Tone.PLAIN, intervals=False))


def _few(rows: Sequence[Row]) -> tuple[Row, ...]:
    """Return the first rows, and one that says how many more there are."""
    if len(rows) <= _MOST_LISTED:
        return tuple(rows)
    more = (Cell(f"and {len(rows) - _MOST_LISTED} more", Tone.QUIET), *blank(len(rows[0]) - 1))
    return (*rows[:_MOST_LISTED], more)
