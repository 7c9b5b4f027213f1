"""Laws of adjudications as CSV, and of the command that reads and writes them."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import given

from codegen_eval.adjudication import Adjudication, Adjudications, Ruling, digest_of, make_docket
from codegen_eval.adjudication_csv import export_csv, import_csv
from codegen_eval.cli.main import run_argv
from codegen_eval.errors import InputError
from codegen_eval.results import Results, dump
from codegen_eval.verdict import FailureClass
from judged_run import flagged_run
from result_strategies import results


def table(data: bytes) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(data.decode("utf-8"), newline="")))


def fill(path: Path, lines: Sequence[str]) -> Path:
    path.write_text("\n".join(lines), encoding="utf-8")
    return path


def test_what_is_exported_and_filled_in_comes_back(tmp_path: Path) -> None:
    """The columns of the export are those of the import; lines left empty stay open."""
    value = flagged_run("u", "", "")
    rows = table(export_csv(make_docket(value, sample=2, seed=0), Adjudications()))
    by_name = {row["solution"]: row for row in rows}
    by_name["t00/bare"].update({"verdict": "TRUE", "class": "wrong-logic; performance-trap", "note": "=bad"})
    by_name["t01/bare"].update({"verdict": "false"})
    path = tmp_path / "filled.csv"
    with path.open("w", newline="", encoding="utf-8-sig") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)

    found = {x.solution: x for x in import_csv(path, value)}

    assert by_name["t00/bare"]["suggested"] == "wrong-logic"
    assert by_name["t00/bare"]["flagged by"] == "unit"
    assert set(found) == {"t00/bare", "t01/bare"}
    assert (found["t00/bare"].classes, found["t00/bare"].note) == (
        (FailureClass.WRONG_LOGIC, FailureClass.PERFORMANCE_TRAP),
        "=bad",
    )


def test_every_fault_of_a_file_is_told_with_its_line(tmp_path: Path) -> None:
    """All at once, also behind cells of several lines; nothing is imported."""
    value = flagged_run("u", "u", "u", "", "")
    path = fill(
        tmp_path / "x.csv",
        [
            "solution,verdict,class,note,digest",
            "nobody,true,wrong-logic,,",
            't00/bare,false,,"two\nlines",',
            "t00/bare,false,,,",
            "t01/bare,perhaps,,,",
            "t02/bare,true,,,",
            "t03/bare,false,wrong-logic,,",
            "t04/bare,true,bad-class,," + "0" * 64,
        ],
    )

    with pytest.raises(InputError) as caught:
        import_csv(path, value)

    told = caught.value.message.splitlines()[1:]
    assert [line.split(":")[0] for line in told] == [
        "line 2",
        "line 5",
        "line 6",
        "line 7",
        "line 8",
        "line 9",
        "line 9",
    ]
    assert "bad-class" in told[5]
    assert "another source" in told[6]


@pytest.mark.parametrize(
    ("raw", "complaint"),
    [
        (b"", "no column `solution`"),
        (b"solution\n", "no column `verdict`"),
        (b"solution,verdict,verdict\n", "two columns"),
        (b"\xff\xfe", "not UTF-8"),
        (b'solution,verdict\n"a', "not CSV"),
        (b"solution,verdict\n" + b"a" * 200_000, "not CSV"),
    ],
    ids=lambda x: None if isinstance(x, str) else ascii(x[:10])[2:-1],
)
def test_what_is_no_table_is_refused(tmp_path: Path, raw: bytes, complaint: str) -> None:
    """Whatever the bytes, the answer says what is wrong."""
    path = tmp_path / "x.csv"
    path.write_bytes(raw)

    with pytest.raises(InputError, match=complaint):
        import_csv(path, flagged_run("u"))


def test_semicolons_are_read_as_well(tmp_path: Path) -> None:
    """Spreadsheets in half of Europe write them."""
    path = fill(tmp_path / "x.csv", ["Solution;Verdict;Class", "t00/bare;TRUE;wrong-logic", "", ";;"])

    assert [x.classes for x in import_csv(path, flagged_run("u"))] == [(FailureClass.WRONG_LOGIC,)]


@pytest.mark.slow
@given(results())
def test_no_exported_cell_is_a_formula(value: Results) -> None:
    """No cell starts with what spreadsheets run, and none holds an escape sequence, whatever the model wrote."""
    hostile = value.model_copy(
        update={
            "solutions": tuple(
                s.model_copy(update={"solution": s.solution.model_copy(update={"source": "=1\x1b[31m", "task": "@x"})})
                for s in value.solutions
            )
        }
    )

    for row in table(export_csv(make_docket(hostile, sample=9, seed=0), Adjudications())):
        for cell in row.values():
            assert not cell.startswith(("=", "+", "-", "@", "\t", "\r"))
            assert "\x1b" not in cell


@pytest.mark.parametrize("text", ["a;=1+1", 'a";=1', "a\n=1", "a;\n@x", "=1;-1", "'=1;'=1;''-1", "x;y", "a; =1"])
@pytest.mark.parametrize("delimiter", [",", ";"])
def test_no_cell_is_a_formula_where_semicolons_part_cells(tmp_path: Path, text: str, delimiter: str) -> None:
    """However a spreadsheet takes the file apart, it finds nothing to run, and notes come back unchanged."""
    run = flagged_run("u")
    (known,) = (s for s in run.solutions if s.solution.id.startswith("t00"))
    entry = Adjudication(
        solution=known.solution.id, digest=digest_of(known.solution.source), ruling=Ruling.FALSE, classes=(), note=text
    )
    exported = export_csv(make_docket(run, sample=0, seed=0), Adjudications(entries=(entry,)))

    for row in csv.reader(io.StringIO(exported.decode(), newline=""), delimiter=delimiter):
        assert not any(cell.startswith(("=", "+", "-", "@", "\t", "\r")) for cell in row)
    path = tmp_path / "x.csv"
    path.write_bytes(exported)
    assert [entry.note for entry in import_csv(path, run)] == [text]


@pytest.mark.slow
@given(results())
def test_any_export_can_be_filled_in(tmp_path_factory: pytest.TempPathFactory, value: Results) -> None:
    """Whatever the ids hold, a line with a verdict comes back to its solution."""
    docket = make_docket(value, sample=9, seed=0)
    rows = table(export_csv(docket, Adjudications()))
    path = tmp_path_factory.mktemp("csv") / "x.csv"
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, ["solution", "verdict"], extrasaction="ignore")
        writer.writeheader()
        writer.writerows({**row, "verdict": "false"} for row in rows)

    found = import_csv(path, value)

    assert {x.solution for x in found} == {s.solution.id for s in docket.all}
    assert len(rows) == len(docket.all)


def test_a_spreadsheet_goes_round_through_the_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Export, fill in, import, report; an existing file is not overwritten, and no terminal is no traceback."""
    path, sheet = tmp_path / "results.json", tmp_path / "judge.csv"
    path.write_bytes(dump(flagged_run("u", "up", "")))

    assert run_argv(["adjudicate", str(path), "--export-csv", str(sheet)]) == 0
    assert run_argv(["adjudicate", str(path), "--export-csv", str(sheet)]) == 2
    assert run_argv(["adjudicate", str(path)]) == 2
    assert "--csv FILE" in capsys.readouterr().err
    lines = ["solution,verdict,class", "t00/bare,true,wrong-logic", "t01/bare,false,", "t02/bare,false,"]
    assert run_argv(["adjudicate", str(path), "--csv", str(fill(sheet, lines))]) == 0
    assert "judged: 2 of 2 flagged, 1 of 1 sampled others" in capsys.readouterr().out
    assert run_argv(["report", str(path), "--json"]) == 0
    data = json.loads(capsys.readouterr().out)["adjudicated"]
    assert data["layers"]["unit"]["precision"] == 0.5
    assert data["layers"]["props"]["recall"] == 0.0
    assert data["unflagged_judged"] == 1
