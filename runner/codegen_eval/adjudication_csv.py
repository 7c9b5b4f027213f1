"""Adjudications as CSV: written so that a spreadsheet runs none of it, read as if an enemy had filled it in."""

from __future__ import annotations

import csv
import io
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path

from codegen_eval.adjudication import (
    MAX_NOTE,
    RULED_CLASSES,
    Adjudication,
    Adjudications,
    Docket,
    Ruling,
    digest_of,
    up_for_ruling,
)
from codegen_eval.answers import is_flagged, strategy_of
from codegen_eval.errors import InputError
from codegen_eval.results import Results, ScoredSolution
from codegen_eval.verdict import FailureClass

MAX_BYTES = 64 << 20
_MAX_CELL = 32_000
"""Spreadsheets hold no more in a cell."""
_MAX_FAULTS = 50
_MAX_SHOWN = 80
_COLUMNS = ("solution", "verdict", "class", "note", "flagged by", "suggested", "findings", "task", "strategy", "model")
_TAIL = ("code", "digest")
_FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n", "'")
"""What a spreadsheet may take for the start of a formula, and the mark that tells it not to."""
_INNER, _MARKED = re.compile(r"([;\n])('*[=+\-@\t\r])"), re.compile(r"([;\n])'('*[=+\-@\t\r])")
"""The same within a cell, behind what some spreadsheets take for its end; and with the mark before it."""
_SEPARATORS = re.compile(r"[\s,;|]+")


def export_csv(docket: Docket, adjudications: Adjudications) -> bytes:
    """Return a table with a line for each solution of the docket; the second to fourth columns are to be filled in."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\r\n", quoting=csv.QUOTE_ALL)
    writer.writerow((*_COLUMNS, *_TAIL))
    known = adjudications.by_solution()
    for scored in docket.all:
        entry = known.get(scored.solution.id)
        said = (entry.ruling.value, " ".join(entry.classes), entry.note) if entry else ("", "", "")
        writer.writerow([_inert(cell) for cell in (scored.solution.id, *said, *_described(scored))])
    return out.getvalue().encode("utf-8", "backslashreplace")


def _described(scored: ScoredSolution) -> Iterator[str]:
    solution = scored.solution
    flagging = [result for result in scored.layers if is_flagged(scored, result.layer)]
    findings = [(result.layer, finding) for result in flagging for finding in result.findings]
    yield " ".join(result.layer for result in flagging)
    yield " ".join(dict.fromkeys(f.failure_class.value for _, f in findings if f.failure_class in RULED_CLASSES))
    yield "\n".join(
        f"{layer}: [{f.failure_class}] {f.message}" + (f"; input {f.input}" if f.input else "") for layer, f in findings
    )
    yield from (solution.task, strategy_of(scored), solution.model)
    yield solution.source
    yield digest_of(solution.source)


def _inert(text: str) -> str:
    """Return a cell that no spreadsheet takes for a formula. Control characters are written out."""
    shown = "".join(c if c.isprintable() or c in "\n\t" else ascii(c)[1:-1] for c in text[:_MAX_CELL])
    shown = _INNER.sub(r"\1'\2", shown)
    return f"'{shown}" if shown.startswith(_FORMULA) else shown


def _plain(text: str) -> str:
    """Undo `_inert`, as far as a spreadsheet has left the mark there."""
    text = text[1:] if text.startswith("'") and text[1:].startswith(_FORMULA) else text
    return _MARKED.sub(r"\1\2", text)


def import_csv(path: Path, results: Results) -> tuple[Adjudication, ...]:
    """Read what was filled in. Lines without a verdict are passed over.

    The columns `solution` and `verdict` must be there, `class`, `note` and `digest` may be, others are ignored. A file
    with semicolons for commas is read as well.

    Raises:
        InputError: the file can't be read, or some lines don't validate; names every fault with its line.
    """
    rows = list(_read(path))
    candidates = up_for_ruling(results)
    names = Counter(_plain(_inert(s.solution.id)) for s in candidates)  # escaping may make two ids one name
    known = {name: s for s in candidates if names[name := _plain(_inert(s.solution.id))] == 1}
    found: dict[str, Adjudication] = {}
    faults: list[str] = []
    for line, row in rows:
        name = _plain(row["solution"])
        if not row["verdict"].strip():
            continue
        scored = known.get(name)
        if scored is None:
            faults.append(f"line {line}: {_short(name)} is no solution of these results that can be judged")
            continue
        if scored.solution.id in found:
            faults.append(f"line {line}: {_short(name)} stands there twice")
            continue
        said = list(_check(row, scored))
        faults += [f"line {line}: {fault}" for fault in said]
        if not said:
            found[scored.solution.id] = _entry(row, scored)
    if faults:
        more = f"\nand {len(faults) - _MAX_FAULTS} more" if len(faults) > _MAX_FAULTS else ""
        listed = "\n".join(faults[:_MAX_FAULTS])
        raise InputError(f"`{path}` does not validate:\n{listed}{more}", hint="nothing was imported; mend the lines")
    return tuple(found.values())


def _check(row: dict[str, str], scored: ScoredSolution) -> Iterator[str]:
    """Yield what is wrong with a line."""
    verdict = row["verdict"].strip().lower()
    classes = _classes(row)
    if verdict not in {ruling.value for ruling in Ruling}:
        yield f"verdict {_short(row['verdict'])} is none of {', '.join(ruling.value for ruling in Ruling)}"
    unknown = [name for name in classes if name not in {c.value for c in RULED_CLASSES}]
    if unknown:
        yield f"class {_short(unknown[0])} is none of {', '.join(c.value for c in RULED_CLASSES)}"
    if verdict == Ruling.TRUE and not classes:
        yield "a true failure needs a class"
    if verdict in {Ruling.FALSE, Ruling.UNSURE} and classes:
        yield f"a class goes with true, not with {verdict}"
    if len(row["note"]) > MAX_NOTE:
        yield f"the note is longer than {MAX_NOTE} characters"
    digest = row["digest"].strip()
    if digest and digest != digest_of(scored.solution.source):
        yield f"{_short(scored.solution.id)} has another source now than the one that was judged"


def _entry(row: dict[str, str], scored: ScoredSolution) -> Adjudication:
    return Adjudication(
        solution=scored.solution.id,
        digest=digest_of(scored.solution.source),
        ruling=Ruling(row["verdict"].strip().lower()),
        classes=tuple(FailureClass(name) for name in _classes(row)),
        note=_plain(row["note"]),
    )


def _classes(row: dict[str, str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(name for name in _SEPARATORS.split(row["class"].lower()) if name))


def _read(path: Path) -> Iterator[tuple[int, dict[str, str]]]:
    """Yield the lines of the table with their numbers, every column that we know in each."""
    text = _text(path)
    first = text.split("\n", 1)[0]
    delimiter = ";" if ";" in first and "," not in first else ","
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    try:
        names = [name.strip().lower() for name in next(reader, [])]
        _check_columns(path, names)
        line = reader.line_num + 1
        for cells in reader:
            if any(cells):
                row = dict(zip(names, cells, strict=False))
                yield line, {name: row.get(name, "") for name in ("solution", "verdict", "class", "note", "digest")}
            line = reader.line_num + 1
    except csv.Error as exc:
        raise InputError(f"`{path}` is not CSV: {exc} (line {reader.line_num})") from exc


def _check_columns(path: Path, names: Iterable[str]) -> None:
    known = list(names)
    missing = [name for name in ("solution", "verdict") if name not in known]
    if missing:
        raise InputError(
            f"`{path}` has no column `{missing[0]}` (line 1)", hint="`--export-csv` writes a file with all columns"
        )
    twice = [name for name in ("solution", "verdict", "class", "note", "digest") if known.count(name) > 1]
    if twice:
        raise InputError(f"`{path}` has two columns `{twice[0]}` (line 1)")


def _text(path: Path) -> str:
    try:
        if not path.is_file():
            raise InputError(f"`{path}` is no file")
        with path.open("rb") as file:
            raw = file.read(MAX_BYTES + 1)
    except (OSError, ValueError) as exc:
        reason = exc.strerror if isinstance(exc, OSError) and exc.strerror else str(exc)
        raise InputError(f"`{path}` can't be read: {reason}") from exc
    if len(raw) > MAX_BYTES:
        raise InputError(f"`{path}` is larger than {MAX_BYTES >> 20} MiB")
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError as exc:
        line = raw.count(b"\n", 0, exc.start) + 1
        raise InputError(f"`{path}` is not UTF-8 (line {line})", hint="save it as CSV in UTF-8") from exc


def _short(text: str) -> str:
    return f"{text[:_MAX_SHOWN]!a}"
