"""Reports as plain text tables; colour, where wanted, only repeats what the text says."""

from __future__ import annotations

from collections.abc import Iterable
from io import StringIO

from rich.console import Console
from rich.text import Text

from codegen_eval.comparison import Standing
from codegen_eval.render.cell import Table, Tone
from codegen_eval.render.layout import Line, lay_out
from codegen_eval.render.printable import printable
from codegen_eval.render.table import introduction, tables
from codegen_eval.scorecard import Scorecard

_STYLES = {Tone.PLAIN: "", Tone.GOOD: "green", Tone.BAD: "bold red", Tone.QUIET: "dim", Tone.HEAD: "bold", None: "bold"}
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
    found = tables(card, standing, intervals=verbose)
    return tables_as_text(introduction(card), found, colour=colour, width=width)


def tables_as_text(lines: Iterable[str], tables: Iterable[Table], *, colour: bool, width: int) -> str:
    """Return lines, and tables below them, for a terminal of that width."""
    out = StringIO()
    width = max(width, _MIN_WIDTH)
    console = Console(
        file=out,
        width=width,
        force_terminal=colour,
        no_color=not colour,
        color_system="standard" if colour else None,
        markup=False,
        emoji=False,
        highlight=False,
        legacy_windows=False,
        _environ={},
    )
    for line in lines:
        console.print(Text(printable(line)))
    for table in tables:
        console.print()
        console.print(Text(table.title, style="bold"))
        for laid in lay_out(table, width):
            console.print(_styled(laid), soft_wrap=True)
        for note in table.notes:
            console.print(Text(printable(note), style="dim"))
    return "".join(f"{line.rstrip()}\n" for line in out.getvalue().splitlines())


def _styled(line: Line) -> Text:
    return Text.assemble(*((text, _STYLES[tone]) for text, tone in line))
