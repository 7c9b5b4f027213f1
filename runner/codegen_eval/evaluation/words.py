"""The words of other harnesses for what a line says."""

from __future__ import annotations

from codegen_eval.interfaces import EndReason
from codegen_eval.verdict import Finding, LayerResult, Verdict

from .record import LayerLine, SampleLine

_TIME = frozenset({EndReason.CPU, EndReason.WALL})


def result_text(line: SampleLine) -> str:
    """Return the words of HumanEval's harness: `passed`, `timed out`, or `failed: ` and why."""
    if line.passed:
        return "passed"
    unit = unit_of(line)
    if unit.verdict is Verdict.ERROR:
        return f"failed: {unit.reason}"
    if any(map(took_too_long, unit.findings)):
        return "timed out"
    return "failed: " + (unit.findings[0].message if unit.findings else unit.reason or "")


def unit_of(line: SampleLine) -> LayerLine:
    """Return what the layer said that decides."""
    return next(layer for layer in line.layers if layer.layer == "unit")


def took_too_long(finding: Finding) -> bool:
    """Say whether a limit of time ended it."""
    return finding.ended in _TIME


def is_added(finding: Finding) -> bool:
    """Say whether it is of one of the tests that were added to a set."""
    return finding.check is not None and finding.check.startswith("plus-")


def passes_base(unit: LayerResult | LayerLine) -> bool:
    """Say whether a sample passes the tests of the original set; all tests where there are no added ones."""
    if unit.verdict is not Verdict.FAIL:
        return unit.verdict is Verdict.PASS
    return bool(unit.findings) and all(map(is_added, unit.findings))
