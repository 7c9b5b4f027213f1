"""Checking solution files of the user's own against one task."""

from __future__ import annotations

import json
import re
import secrets
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import structlog

from codegen_eval.datasets import Problem
from codegen_eval.errors import InputError, SolutionFileError
from codegen_eval.events import Event
from codegen_eval.interfaces import NoStore, Suites
from codegen_eval.layers.llm_review import read_policy
from codegen_eval.layers.unit import NO_ANSWER
from codegen_eval.models.provider import make_model
from codegen_eval.pipeline import Pipeline, Plan
from codegen_eval.pricing import load_prices
from codegen_eval.progress import Progress
from codegen_eval.record import open_regular
from codegen_eval.references import failing_references
from codegen_eval.render.printable import printable
from codegen_eval.review.desk import ReviewDesk
from codegen_eval.review.reviewer import ModelReviewer, ReviewerName
from codegen_eval.samples import Sample, SampleKind, assemble
from codegen_eval.sandbox.choice import Wish, choose_sandbox
from codegen_eval.solution import Solution
from codegen_eval.task import Task
from codegen_eval.verdict import CheckedClaim, Finding, LayerResult, Verdict, combine

MAX_SOURCE_BYTES = 4 << 20
"""No honest solution is larger."""


_REVIEWS_AT_ONCE = 4
_REPLIES = frozenset({".md", ".markdown", ".txt"})
_INDENTED = re.compile(r"(?:[ \t]*\n)*[ \t]+\S")
"""The first line that isn't blank begins with a blank: it goes on with a prompt."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Checked:
    """What the battery said of one file."""

    file: str
    task: str
    verdict: Verdict
    layers: tuple[LayerResult, ...]


def load_solution(task: str, path: Path, problem: Problem | None = None) -> Solution:
    """Read a solution file: of a problem of a public set also a body without its head, or a model's reply (`.md`).

    Raises:
        SolutionFileError: it is missing, not a file, too large, not UTF-8 text, or a reply without code.
    """
    try:
        with open_regular(path) as file:
            data = file.read(MAX_SOURCE_BYTES + 1)
    except InputError as exc:
        raise SolutionFileError(exc.message, hint="give the path of a file") from exc
    except OSError as exc:
        raise SolutionFileError(f"can't read `{path}`: {exc.strerror or exc}", hint="give the path of a file") from exc
    if len(data) > MAX_SOURCE_BYTES:
        raise SolutionFileError(f"`{path}` is larger than {MAX_SOURCE_BYTES >> 20} MiB")
    try:
        source = data.decode("utf-8-sig")
    except UnicodeDecodeError as exc:
        raise SolutionFileError(f"`{path}` is not UTF-8 text (byte {exc.start})") from exc
    source = source.replace("\r\n", "\n")
    if problem is not None:
        kind = SampleKind.RAW if path.suffix in _REPLIES else SampleKind.SOLUTION
        kind = SampleKind.COMPLETION if kind is SampleKind.SOLUTION and _INDENTED.match(source) else kind
        program = assemble(problem, Sample(task_id=task, index=0, text=source, kind=kind, path=str(path)))
        if not program.source:
            raise SolutionFileError(f"no code was found in `{path}`")
        source = program.source
    return Solution(id=str(path), task=task, strategy=None, model="", source=source)


def make_desk(
    reviewer: str | None, policy: str, *, base_url: str | None = None, temperature: float | None = None
) -> ReviewDesk | None:
    """Return where reviews are asked for; None where nobody reviews.

    Raises:
        InputError: the reviewer's name, the policy or the provider is not known.
        ModelError: a key is missing.
    """
    chosen = read_policy(policy)
    if reviewer is None:
        return None
    name = ReviewerName.parse(reviewer)
    model = make_model(name.mode, base_url=base_url)
    asked = ModelReviewer(name, ask=model.complete, prices=load_prices(), temperature=temperature)
    return ReviewDesk(asked, policy=chosen, concurrency=_REVIEWS_AT_ONCE)


def check_files(
    task: Task,
    folder: Path | None,
    solutions: Sequence[Solution],
    plan: Plan,
    wish: Wish,
    progress: Progress,
    *,
    desk: ReviewDesk | None = None,
    suites: Suites | None = None,
) -> list[Checked]:
    """Run the battery on solutions of one task, whose tests are in its folder or else among the suites.

    Raises:
        UnsafeSandboxError, SandboxUnavailableError: there is no sandbox to run them in.
    """
    unique = list({solution.id: solution for solution in solutions}.values())
    choice = choose_sandbox(wish, run_id=secrets.token_hex(8))
    if choice.warning:
        structlog.get_logger().warning(Event.SANDBOX_CHOSEN, sandbox=choice.provider.name, warning=choice.warning)
    pipeline = Pipeline(
        plan,
        tasks={task.id: task},
        task_folders={} if folder is None else {task.id: folder},
        provider=choice.provider,
        store=NoStore(),
        progress=progress,
        desk=desk,
        suites=suites,
    )
    judged = pipeline.run(unique)
    checked: list[Checked] = []
    for solution in unique:
        results = tuple(judged[solution.id].results[layer] for layer in plan.layers)
        verdict = combine(result.verdict for result in results)
        checked.append(Checked(file=solution.id, task=task.id, verdict=verdict, layers=results))
    return checked


def failing_reference(task: Task, plan: Plan, wish: Wish, progress: Progress, *, suites: Suites) -> str | None:
    """Say why a problem's own canonical solution does not pass its tests; None where it does, or there is none.

    Raises:
        SandboxUnavailableError: there is no sandbox to run it in.
    """
    choice = choose_sandbox(wish, run_id=secrets.token_hex(8))
    found = failing_references(
        [task], plan, suites=suites, provider=choice.provider, store=NoStore(), progress=progress
    )
    return found.get(task.id)


def to_json(checked: Sequence[Checked]) -> str:
    """Return the verdicts as a JSON list."""
    listed = [
        {
            "file": one.file,
            "task": one.task,
            "verdict": one.verdict.value,
            "layers": {layer.layer: _layer(layer) for layer in one.layers},
        }
        for one in checked
    ]
    return json.dumps(listed, indent=1) + "\n"


def _layer(result: LayerResult) -> dict[str, object]:
    shown = result.model_dump(mode="json", by_alias=True, exclude={"layer"}, exclude_none=True)
    shown["findings"] = [f.model_dump(mode="json", by_alias=True, exclude_none=True) for f in result.findings]
    return shown


def render_checked(checked: Sequence[Checked]) -> str:
    """Return the verdicts for people."""
    lines: list[str] = []
    for one in checked:
        lines.append(f"{one.verdict.value.upper():5}  {printable(one.file)}  ({printable(one.task)})")
        for result in one.layers:
            note = f"  {result.reason}" if result.reason else ""
            lines.append(f"       {result.layer:10} {result.verdict.value}{note}")
            told = [finding for finding in result.findings if finding.message != NO_ANSWER]
            lines.extend(f"         - {_finding(finding)}" for finding in told)
            lines.extend(f"         ~ {_claim(claim)}" for claim in result.claims)
            if silent := [str(finding.check) for finding in result.findings if finding.message == NO_ANSWER]:
                lines.append(f"         - {NO_ANSWER}: {', '.join(silent)}")
    counts = Counter(one.verdict for one in checked)
    if len(checked) > 1:
        lines.append(f"{len(checked)} files: " + ", ".join(f"{n} {v.value}" for v in Verdict if (n := counts[v])))
    return "\n".join(lines) + "\n"


def _claim(claim: CheckedClaim) -> str:
    called = f"; {claim.input}" if claim.input is not None else ""
    return f"{claim.outcome} [{claim.failure_class.value}] {claim.summary}{called} ({claim.reason})"


def _finding(finding: Finding) -> str:
    where = [finding.check] if finding.check else []
    where += [f"line {finding.line}"] if finding.line else []
    where += [f"CWE-{finding.cwe}"] if finding.cwe else []
    place = f"{', '.join(where)}: " if where else ""
    parts = [f"[{finding.failure_class.value}] {place}{finding.message}"]
    parts += [f"input {finding.input}"] if finding.input is not None else []
    parts += [f"got {finding.actual}"] if finding.actual is not None else []
    parts += [f"expected {finding.expected}"] if finding.expected is not None else []
    return "; ".join(parts)
