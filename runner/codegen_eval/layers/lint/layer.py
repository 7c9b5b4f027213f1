"""The lint layer: the scanner over batches of solutions in a child process; bandit and ruff as annotations."""

from __future__ import annotations

import math
import sys
from collections.abc import Sequence
from pathlib import Path

from pydantic import ValidationError

import codegen_eval
from codegen_eval.errors import JudgeLostError
from codegen_eval.verdict import Finding, LayerResult, Verdict

from .batch import LintItem, batches
from .child import ChildLimits, private_directory, run_child
from .rule import RULES
from .scanner import unanalysable
from .tool import Note, Tool, annotate_with, find_tools
from .worker import CPU_SECONDS, Answer, Question, pack_source

_BOOT = (
    "import sys; sys.path.append(sys.argv[1]); "
    "from codegen_eval.layers.lint.worker import main; main(float(sys.argv[2]))"
)
"""`-I` keeps a planted module away; the package may still be a checkout that isn't installed."""
SCANNER_MEMORY = 2 << 30
"""Enough for the largest tree that the scanner takes."""


class Lint:
    """Judges batches of solutions by the insecure patterns in them."""

    name = "lint"

    def __init__(self, *, tools: Sequence[Tool] | None = None, cpu_seconds: float = CPU_SECONDS) -> None:
        self._cpu_seconds = cpu_seconds
        self._tools = find_tools() if tools is None else tuple(tools)

    def run_batch(self, items: Sequence[LintItem]) -> dict[str, LayerResult]:
        """Judge every solution; the tools have no say.

        Raises:
            JudgeLostError: the scanner can't be started.

        """
        return {
            item.id: _result(findings)
            for batch in batches(items)
            for item, findings in zip(batch, _scan_batch(batch, self._cpu_seconds), strict=True)
        }

    def annotate(self, items: Sequence[LintItem]) -> dict[str, tuple[str, ...]]:
        """Return what the tools say of each solution, as `line:bandit:B307`; solutions without a note are left out.

        A solution that a tool dies on gets the note `0:bandit:crashed`.
        """
        notes: dict[str, list[Note]] = {}
        for tool in self._tools:
            found, guilty = annotate_with(tool, items)
            for owner, of_tool in found.items():
                notes.setdefault(owner, []).extend(of_tool)
            for owner in guilty:
                notes.setdefault(owner, []).append(Note(0, f"{tool.name}:crashed"))
        return {item.id: tuple(str(note) for note in sorted(notes[item.id])) for item in items if item.id in notes}

    def versions(self) -> dict[str, str]:
        """Return name and version of the tools that annotate; for the run record and `doctor`."""
        return {tool.name: tool.version for tool in self._tools}


def attach(result: LayerResult, annotations: Sequence[str]) -> LayerResult:
    """Return the result with each finding bearing the rule ids of the annotations of its own line."""
    by_line: dict[str, list[str]] = {}
    for annotation in annotations:
        line, _, rule_id = annotation.partition(":")
        by_line.setdefault(line, []).append(rule_id)
    findings = tuple(
        finding.model_copy(update={"annotations": tuple(by_line.get(str(finding.line), ()))})
        for finding in result.findings
    )
    return result.model_copy(update={"findings": findings})


def _result(findings: tuple[Finding, ...]) -> LayerResult:
    verdict = Verdict.FAIL if findings else Verdict.PASS
    return LayerResult(layer=Lint.name, verdict=verdict, findings=findings, facts={"rules": len(RULES)})


def _scan_batch(batch: Sequence[LintItem], cpu_seconds: float) -> list[tuple[Finding, ...]]:
    """Return the findings of each solution of the batch, in order.

    The first solution without an answer is scanned again, alone: only if it ends the scanner again it is to blame.
    """
    found: list[tuple[Finding, ...]] = []
    while len(found) < len(batch):
        answers = _ask(batch[len(found) :], cpu_seconds)
        found += answers
        if len(found) < len(batch):
            alone = _ask(batch[len(found) : len(found) + 1], cpu_seconds)
            found.append(alone[0] if alone else (unanalysable("it ends the scanner"),))
    return found


def _ask(batch: Sequence[LintItem], cpu_seconds: float) -> list[tuple[Finding, ...]]:
    """Return the findings of the solutions up to the first one that ended the scanner.

    Raises:
        JudgeLostError: the scanner ended before it said *ready*.

    """
    questions = b"".join(
        Question(source=pack_source(item.source), untrusted=item.untrusted).model_dump_json().encode() + b"\n"
        for item in batch
    )
    root = str(Path(codegen_eval.__file__).resolve().parent.parent)
    limits = ChildLimits(
        wall_seconds=60.0 + 2 * cpu_seconds * len(batch),
        cpu_seconds=10 + math.ceil(cpu_seconds) * len(batch),
        memory_bytes=SCANNER_MEMORY,
    )
    try:
        with private_directory() as directory:
            end = run_child([sys.executable, "-I", "-c", _BOOT, root, str(cpu_seconds)], directory, questions, limits)
    except OSError as exc:
        raise JudgeLostError("the lint scanner can't be started", hint="see `evalrun doctor`") from exc
    answers = _parse(end.output)
    if not answers or answers[0].place != -1:
        raise JudgeLostError("the lint scanner ended before it said ready", hint="see `evalrun doctor`")
    return [answer.findings for place, answer in enumerate(answers[1 : len(batch) + 1]) if answer.place == place]


def _parse(output: bytes) -> list[Answer]:
    answers: list[Answer] = []
    for line in output.splitlines():
        try:
            answers.append(Answer.model_validate_json(line))
        except ValidationError:  # cut off as the scanner died
            break
    return answers
