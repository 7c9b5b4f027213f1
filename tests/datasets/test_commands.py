"""`evalrun datasets` and `evalrun samples`: what they print, and how they end."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from codegen_eval.cli.main import run_argv

DATA = Path(__file__).parent.parent / "data"
HUMANEVAL = f"humaneval={DATA / 'datasets' / 'humaneval.jsonl'}"


def test_check_counts_problems_and_marks_known_bad_ones(capsys: pytest.CaptureFixture[str]) -> None:
    """A sound file ends with 0; its known bad problems are named with the reason."""
    assert run_argv(["datasets", "check", HUMANEVAL]) == 0
    text = capsys.readouterr().out
    assert run_argv(["datasets", "check", HUMANEVAL, "--json"]) == 0
    data = json.loads(capsys.readouterr().out)

    assert text.startswith("4 problems with ")
    assert "known to be bad: HumanEval/116: " in text
    assert (data["problems"], data["fault_count"], list(data["known_bad"])) == (4, 0, ["HumanEval/116"])


def test_a_line_that_gives_no_problem_ends_with_one(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Faults are printed with their lines, and the exit code is 1; without any problem it is 2."""
    path = tmp_path / "set.jsonl"
    path.write_text((DATA / "datasets" / "humaneval.jsonl").read_text(encoding="utf-8") * 2, encoding="utf-8")

    assert run_argv(["datasets", "check", f"humaneval={path}"]) == 1
    assert f"{path}:5: `HumanEval/34` is there already (line 1)" in capsys.readouterr().out
    path.write_text("{}", encoding="utf-8")
    assert run_argv(["datasets", "check", f"humaneval={path}"]) == 2
    assert "has no problem of `humaneval`" in capsys.readouterr().err


def test_show_prints_a_problem_with_its_tests(capsys: pytest.CaptureFixture[str]) -> None:
    """A problem is found by any of its names; an unknown one is the user's fault, with a hint."""
    assert run_argv(["datasets", "show", HUMANEVAL, "38"]) == 0
    text = capsys.readouterr().out
    assert run_argv(["datasets", "show", HUMANEVAL, "HumanEval/38", "--json"]) == 0
    data = json.loads(capsys.readouterr().out)
    assert run_argv(["datasets", "show", HUMANEVAL, "HumanEval/3"]) == 2
    complaint = capsys.readouterr().err

    assert "--- helpers\ndef encode_cyclic" in text
    assert (data["problem"]["id"], data["tests"]["form"]) == ("HumanEval/38", "check")
    assert "did you mean `HumanEval/3" in complaint


def test_samples_are_counted_against_their_set(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Samples are counted by kind and problem; a line that gives none ends with 1, and is printed without escapes."""
    dedented = str(DATA / "samples" / "dedented.jsonl")
    assert run_argv(["samples", "check", dedented, "--dataset", HUMANEVAL]) == 0
    text = capsys.readouterr().out
    path = tmp_path / "bad\x1b[31m.jsonl"
    path.write_text('{"task_id": "HumanEval/34", "complete": "x"}\n', encoding="utf-8")
    assert run_argv(["samples", "check", str(path), "--dataset", HUMANEVAL]) == 1
    complaint = capsys.readouterr().out
    assert run_argv(["samples", "check", str(path), "--dataset", HUMANEVAL, "--json"]) == 1
    data = json.loads(capsys.readouterr().out)

    assert text == "3 samples (3 completion)\n1 of 4 problems have samples, 3 each\n"
    assert "there is `complete`" in complaint
    assert "\x1b" not in complaint
    assert data["coverage"]["missing"] == ["HumanEval/34", "HumanEval/38", "HumanEval/64", "HumanEval/116"]


def test_samples_of_another_set_are_told_in_a_few_lines(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Where no line fits, the first are shown and the rest counted."""
    path = tmp_path / "s.jsonl"
    path.write_text('{"task_id": "MBPP/1", "completion": "x"}\n' * 500, encoding="utf-8")

    assert run_argv(["samples", "check", str(path), "--dataset", HUMANEVAL]) == 1
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) < 30
    assert lines[-1] == "and 480 more; `--json` has the first 1000"
