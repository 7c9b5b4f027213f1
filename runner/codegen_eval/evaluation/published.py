"""The outcomes in the forms that the sets' own harnesses write, so that scripts that read those go on working."""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

from codegen_eval.datasets import Dataset
from codegen_eval.interfaces import EndReason
from codegen_eval.samples import Sample, SampleKind, read_samples
from codegen_eval.verdict import Verdict

from .evaluate import Request
from .record import SampleLine

_TIME = frozenset({EndReason.CPU, EndReason.WALL})


def write_published(request: Request, dataset: Dataset, lines: Path, out: Path) -> None:
    """Write `…samples_results.jsonl`, each sample with `result` and `passed`, as HumanEval's harness does."""
    target = out.with_name(out.name.removesuffix(".json") + ".samples_results.jsonl")
    half = target.with_name(target.name + ".part")
    with half.open("w", encoding="utf-8") as file:
        for sample, line in _pairs(request, dataset, lines):
            file.write(json.dumps(_as_human_eval(sample, line)) + "\n")
    half.replace(target)


def _pairs(request: Request, dataset: Dataset, lines: Path) -> Iterator[tuple[Sample, SampleLine]]:
    samples = islice(read_samples(request.samples, dataset.problems), request.limit)
    with lines.open("rb") as file:
        for sample, raw in zip(samples, file, strict=False):
            yield sample, SampleLine.model_validate_json(raw)


def _as_human_eval(sample: Sample, line: SampleLine) -> dict[str, object]:
    key = "completion" if sample.kind is SampleKind.COMPLETION else "solution"
    return {
        "task_id": sample.task_id,
        key: sample.text.encode("utf-8", "replace").decode(),
        "result": result_text(line),
        "passed": line.passed,
    }


def result_text(line: SampleLine) -> str:
    """Return the words of HumanEval's harness: `passed`, `timed out`, or `failed: ` and why."""
    if line.passed:
        return "passed"
    unit = next(layer for layer in line.layers if layer.layer == "unit")
    if unit.verdict is Verdict.ERROR:
        return f"failed: {unit.reason}"
    if any(finding.ended in _TIME for finding in unit.findings):
        return "timed out"
    return "failed: " + (unit.findings[0].message if unit.findings else unit.reason or "")
