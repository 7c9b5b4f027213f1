"""Reports as GitHub-flavoured Markdown."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from codegen_eval.comparison import Standing
from codegen_eval.render.cell import NOTHING, TEXT_HEADINGS, Cell, Table, Tone
from codegen_eval.render.printable import escape_markdown
from codegen_eval.render.table import introduction, tables
from codegen_eval.scorecard import Scorecard


def render_markdown(card: Scorecard, standing: Standing | None = None) -> str:
    """Return the scorecard as Markdown, catch rates with their 95 % intervals (Wilson)."""
    return tables_as_markdown("Scorecard", introduction(card), tables(card, standing, intervals=True))


def tables_as_markdown(title: str, introduction: Iterable[str], tables: Iterable[Table]) -> str:
    """Return a page of lines, and of tables below them."""
    lines = [f"# {escape_markdown(title)}", ""]
    for line in introduction:
        lines += [escape_markdown(line), ""]
    for table in tables:
        lines += [f"## {escape_markdown(table.title)}", "", *_lay_out(table), ""]
        for note in table.notes:
            lines += [escape_markdown(note), ""]
    return "\n".join(lines[:-1]) + "\n"


def _lay_out(table: Table) -> Iterator[str]:
    yield _row(escape_markdown(heading) for heading in table.headings)
    yield _row(
        "---" if index == 0 or heading in TEXT_HEADINGS else "---:" for index, heading in enumerate(table.headings)
    )
    for row in table.rows:
        yield _row(map(_cell, row))


def _row(cells: Iterator[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _cell(cell: Cell) -> str:
    if cell.text == NOTHING:
        return NOTHING
    text = escape_markdown(cell.text.strip().replace("  ", " "))
    return f"**{text}**" if text and cell.tone in {Tone.HEAD, Tone.BAD} else text
