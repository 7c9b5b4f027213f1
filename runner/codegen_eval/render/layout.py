"""Tables in columns of characters: words stay whole, and what is too wide goes on in a second panel."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from rich.cells import cell_len, set_cell_size

from codegen_eval.render.cell import TEXT_HEADINGS, Row, Table, Tone
from codegen_eval.render.printable import printable

_GAP = 2
_LONGEST_WORD = 24
"""A longer word of a text column may be broken, or one hostile name would push all figures off the screen."""

Segment = tuple[str, Tone | None]
"""A piece of a line and what it says; None: a heading."""
Line = tuple[Segment, ...]


@dataclass(kw_only=True)
class _Column:
    """One column: its place in the rows, the least width that breaks no word, and the width that wraps nothing."""

    place: int
    is_text: bool
    least: int
    natural: int
    width: int = 0


def lay_out(table: Table, width: int) -> Iterator[Line]:
    """Yield the lines of a table, none wider than `width`."""
    rows = [row for row in table.rows if not _is_title(row)]
    columns = [_measure(table, place, rows) for place in range(len(table.headings))]
    for number, panel in enumerate(_panels(columns, width)):
        if number:
            yield ()
        _widen(panel, width)
        yield from _panel(table, panel, width)


def _is_title(row: Row) -> bool:
    """Say whether a row is a title over those below it: it may go over all columns."""
    return row[0].tone is Tone.HEAD and not any(cell.text for cell in row[1:])


def _measure(table: Table, place: int, rows: Sequence[Row]) -> _Column:
    is_text = place == 0 or (table.headings[place] in TEXT_HEADINGS and not table.named)
    titles = _heading_lines(table, place)
    texts = [printable(row[place].text) for row in rows]
    words = [word for title in titles for word in title.split()]
    if is_text:
        inner = [(_indent(text), text.split()) for text in texts]
        broken = [indent + cell_len(word) for indent, found in inner for word in found]
        least = max([*map(cell_len, words), *(min(size, _LONGEST_WORD) for size in broken)], default=1)
    else:
        most = _LONGEST_WORD if table.named else sum(map(cell_len, words))
        least = max([*(min(cell_len(word), most) for word in words), *map(cell_len, texts)], default=1)
    natural = max([least, *map(cell_len, titles), *map(cell_len, texts)])
    return _Column(place=place, is_text=is_text, least=max(least, 1), natural=natural)


def _heading_lines(table: Table, place: int) -> list[str]:
    heading = printable(table.headings[place])
    return [heading] if table.named else heading.replace("-", "\n", 1).split("\n")


def _indent(text: str) -> int:
    return len(text) - len(text.lstrip(" "))


def _panels(columns: list[_Column], width: int) -> list[list[_Column]]:
    """Share the columns out among as few panels as hold them, each with the first column again."""
    label, others = columns[0], columns[1:]
    panels = _fill(label, others, width, most=len(others))
    if len(panels) > 1:
        even = _fill(label, others, width, most=-(-len(others) // len(panels)))
        panels = even if len(even) == len(panels) else panels
    return panels or [[label]]


def _fill(label: _Column, others: list[_Column], width: int, *, most: int) -> list[list[_Column]]:
    panels: list[list[_Column]] = []
    for column in others:
        used = sum(c.least + _GAP for c in panels[-1]) + column.least if panels else width + 1
        if used > width or len(panels[-1]) > most:
            panels.append([_Column(place=0, is_text=True, least=label.least, natural=label.natural)])
        panels[-1].append(column)
    return panels


def _widen(panel: list[_Column], width: int) -> None:
    """Set the widths: at least the least, unless even that is too much; then what is left to whom it spares lines."""
    for column in panel:
        column.width = column.least
    room = width - _GAP * (len(panel) - 1)
    while sum(c.width for c in panel) > room and any(c.width > 1 for c in panel):
        max(panel, key=lambda c: c.width).width -= 1
    for _ in range(room - sum(c.width for c in panel)):
        neediest = max(panel, key=lambda c: c.natural - c.width)
        if neediest.natural <= neediest.width:
            break
        neediest.width += 1


def _panel(table: Table, panel: list[_Column], width: int) -> Iterator[Line]:
    titles = [[line for title in _heading_lines(table, c.place) for line in _wrap(title, c.width)] for c in panel]
    highest = max(map(len, titles))
    yield from _join([([""] * (highest - len(lines)) + lines, None) for lines in titles], panel)
    yield (("─" * (sum(c.width for c in panel) + _GAP * (len(panel) - 1)), Tone.PLAIN),)
    for row in table.rows:
        if _is_title(row):
            yield from (((line, Tone.HEAD),) for line in _wrap(printable(row[0].text), width))
            continue
        yield from _join([(_wrap(printable(row[c.place].text), c.width), row[c.place].tone) for c in panel], panel)


def _join(cells: list[tuple[list[str], Tone | None]], panel: list[_Column]) -> Iterator[Line]:
    """Put cells of several lines side by side, words to the left and figures to the right."""
    for number in range(max(len(lines) for lines, _ in cells)):
        line: list[Segment] = []
        for (lines, tone), column in zip(cells, panel, strict=True):
            text = lines[number] if number < len(lines) else ""
            blank = " " * (column.width - cell_len(text))
            if line:
                line.append((" " * _GAP, Tone.PLAIN))
            line += [(text, tone), (blank, Tone.PLAIN)] if column.is_text else [(blank, Tone.PLAIN), (text, tone)]
        yield tuple(line)


def _wrap(text: str, width: int) -> list[str]:
    """Return lines no wider than `width`, broken at blanks; a word that is wider is broken where it must."""
    if cell_len(text) <= width:
        return [text]
    lines, line = [], " " * min(_indent(text), width - 1)
    started = False
    for word in text.split():
        joined = f"{line} {word}" if started else line + word
        if cell_len(joined) <= width:
            line, started = joined, True
            continue
        if started:
            lines.append(line)
            line = ""
        line += word
        while cell_len(line) > width:
            head = _head(line, width)
            lines.append(head)
            line = line[len(head) :]
        started = True
    return [*lines, line] if line else lines


def _head(text: str, width: int) -> str:
    """Return as many letters from the start as fit, one at least."""
    cut = set_cell_size(text, width)
    common = 0
    while common < min(len(cut), len(text)) and cut[common] == text[common]:
        common += 1
    return text[: max(common, 1)]
