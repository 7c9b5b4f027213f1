"""Problems of a public set are tried on their own canonical solutions first: no answer is held to what those fail."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from codegen_eval.interfaces import OutcomeStore, SandboxProvider, Suites
from codegen_eval.pipeline import Pipeline, Plan
from codegen_eval.progress import Progress
from codegen_eval.solution import Solution
from codegen_eval.task import Task
from codegen_eval.verdict import LayerResult, Verdict

_UNIT = "unit"


def failing_references(
    tasks: Sequence[Task],
    plan: Plan,
    *,
    suites: Suites,
    provider: SandboxProvider,
    store: OutcomeStore,
    progress: Progress,
) -> Mapping[str, str]:
    """Return the problems whose canonical solution does not pass their tests under the plan's limits, with the reason.

    Those that have none are not tried. The provider is closed afterwards.

    Raises:
        As `Pipeline.stream`.
    """
    canonical = [
        Solution(id=f"{task.id}/canonical", task=task.id, strategy=None, model="", source=task.reference)
        for task in tasks
        if task.reference
    ]
    pipeline = Pipeline(
        replace(plan, layers=(_UNIT,)),
        tasks={task.id: task for task in tasks},
        task_folders={},
        provider=provider,
        store=store,
        progress=progress,
        suites=suites,
    )
    judged = pipeline.run(canonical)
    failed = {one.solution.task: one.results[_UNIT] for one in judged.values()}
    return {
        task.id: why_excluded(failed[task.id]) for task in tasks if task.id in failed and not _passes(failed[task.id])
    }


def _passes(result: LayerResult) -> bool:
    return result.verdict is Verdict.PASS


def why_excluded(result: LayerResult) -> str:
    """Return what the unit layer says against a problem, having judged its canonical solution and not passed it."""
    finding = result.findings[0] if result.findings else None
    why = result.reason or (finding.message if finding is not None else "it did not pass")
    where = f" ({finding.check})" if finding is not None and finding.check else ""
    return why if result.verdict is Verdict.ERROR else f"its canonical solution does not pass: {why}{where}"
