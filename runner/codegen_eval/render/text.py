"""The scorecard as plain text tables; colour, where wanted, only repeats what the text says."""

from __future__ import annotations

from io import StringIO

from rich import box
from rich.console import Console
from rich.table import Table as RichTable
from rich.text import Text

from codegen_eval.comparison import Standing
from codegen_eval.render.cell import TEXT_HEADINGS, Table, Tone
from codegen_eval.render.printable import printable
from codegen_eval.render.table import introduction, tables
from codegen_eval.scorecard import Scorecard

_STYLES = {Tone.PLAIN: "", Tone.GOOD: "green", Tone.BAD: "bold red", Tone.QUIET: "dim", Tone.HEAD: "bold"}
_MIN_WIDTH = 40


def render_text(
    card: Scorecard,
    standing: Standing | None = None,
    *,
    colour: bool = False,
    width: int = 80,
    verbose: bool = False,
) -> str:
    """Return the scorecard for a terminal of that width; with 95 % intervals where verbose."""
    out = StringIO()
    console = Console(
        file=out,
        width=max(width, _MIN_WIDTH),
        force_terminal=colour,
        no_color=not colour,
        color_system="standard" if colour else None,
        markup=False,
        emoji=False,
        highlight=False,
        legacy_windows=False,
        _environ={},
    )
    for line in introduction(card):
        console.print(Text(line))
    for table in tables(card, standing, intervals=verbose):
        console.print()
        console.print(Text(table.title, style="bold" if colour else ""))
        console.print(_lay_out(table))
        for note in table.notes:
            console.print(Text(printable(note), style="dim"))
    return "".join(f"{line.rstrip()}\n" for line in out.getvalue().splitlines())


def _lay_out(table: Table) -> RichTable:
    laid = RichTable(box=box.SIMPLE_HEAD, pad_edge=False, padding=(0, 1, 0, 0), show_edge=False)
    for index, heading in enumerate(table.headings):
        is_text = index == 0 or heading in TEXT_HEADINGS
        laid.add_column(
            Text(heading.replace("-", "\n", 1)), justify="left" if is_text else "right", overflow="fold", vertical="top"
        )
    for row in table.rows:
        laid.add_row(*(Text(printable(cell.text), style=_STYLES[cell.tone]) for cell in row))
    return laid
