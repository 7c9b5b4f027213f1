"""The law of memory: what is held of a sample that was judged is a few numbers."""

from __future__ import annotations

import json
import tracemalloc
from datetime import UTC, datetime
from pathlib import Path

from codegen_eval.datasets import read_dataset
from codegen_eval.evaluation.evaluate import Evaluator, Request
from codegen_eval.evaluation.lines import LineFile, line_of
from codegen_eval.evaluation.published import write_published
from codegen_eval.evaluation.source import SteadySamples
from codegen_eval.evaluation.tally import Tally
from codegen_eval.interfaces import NoStore
from codegen_eval.pipeline import Judged
from codegen_eval.progress import SilentProgress
from codegen_eval.solution import Solution
from codegen_eval.verdict import LayerResult, Verdict
from factories import make_finding

DATASET = f"humaneval={Path(__file__).parent.parent / 'data' / 'datasets' / 'humaneval.jsonl'}"
TASKS = ("HumanEval/34", "HumanEval/38", "HumanEval/64")
LAYERS = ("unit", "lint")
FEW, MANY = 600, 2600
"""Even few are more than is read from a file at once."""
SAMPLE_BYTES = 3000
MOST_BYTES = 200
"""For one more sample: where its line stands, whether it passed, and what growing tables take."""


def judged(number: int) -> Judged:
    """Return a sample that was judged, wrong in every second case."""
    solution = Solution(
        id=f"s.jsonl:{number + 1}@{number}", task=TASKS[number % 3], strategy=None, model="", source=f"x = {number}"
    )
    findings = (make_finding(message=f"returned {number}"),) * (number % 2)
    unit = LayerResult(layer="unit", verdict=Verdict.FAIL if findings else Verdict.PASS, findings=findings)
    return Judged(solution=solution, results={"lint": LayerResult(layer="lint", verdict=Verdict.PASS), "unit": unit})


def peak_bytes(folder: Path, count: int) -> int:
    """Read, count, write and publish so many samples; return the most memory that this took at a time."""
    folder.mkdir()
    samples, lines_path = folder / "s.jsonl", folder / "e.samples.jsonl"
    with samples.open("w", encoding="utf-8") as file:
        for number in range(count):
            record = {"task_id": TASKS[number % 3], "completion": f"    return {number}\n" + "#" * SAMPLE_BYTES}
            file.write(json.dumps(record) + "\n")
    with read_dataset(DATASET) as problems:
        tracemalloc.start()
        request = Request(samples=samples, layers=LAYERS)
        coverage, _ = Evaluator(request, problems, NoStore(), lambda _: SilentProgress()).survey()
        assert coverage.samples == count
        tally = Tally(problems.problems, LAYERS)
        with LineFile(lines_path) as lines:
            for number in range(count):
                one = judged(number)
                lines.write(number, line_of(one, LAYERS, passed=tally.add(one)))
            lines.finish()
        steady = SteadySamples(request.samples, problems, request.limit)
        write_published(request, problems, steady, lines_path, folder / "e.json", date=datetime(2026, 1, 2, tzinfo=UTC))
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
    assert tally.scored_samples == count
    return peak


def test_many_samples_take_no_more_memory_than_few(tmp_path: Path) -> None:
    """From reading to publishing, further samples cost some bytes each, and none of them is held."""
    peak_bytes(tmp_path / "first", 9)  # what is loaded and cached once
    few, many = peak_bytes(tmp_path / "few", FEW), peak_bytes(tmp_path / "many", MANY)

    assert (many - few) / (MANY - FEW) < MOST_BYTES
