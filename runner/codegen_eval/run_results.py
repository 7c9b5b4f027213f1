"""From solutions and what the battery said of them to the results of a run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from codegen_eval.corpus import load_manifest
from codegen_eval.pipeline import Judged
from codegen_eval.results import Results, ScoredSolution, Truth
from codegen_eval.run_request import Request
from codegen_eval.solution import Solution
from codegen_eval.verdict import combine


def find_twins(solutions: Sequence[Solution], drafts: Sequence[Solution]) -> dict[str, str]:
    """Return the drafts that their revisions left as they were, each with the id of its revision."""
    finals = {solution.id: solution for solution in solutions}
    return {
        draft.id: final.id
        for draft in drafts
        if draft.draft_of is not None
        and (final := finals[draft.draft_of]).source == draft.source
        and final.outcome is draft.outcome
    }


def judged_again(judged: Judged) -> Judged:
    """Return what was said of the same source before. Nobody was asked for it a second time."""
    results = {name: result.model_copy(update={"calls": ()}) for name, result in judged.results.items()}
    return Judged(solution=judged.solution, results=results)


def _score(request: Request, solutions: Sequence[Solution], judged: Mapping[str, Judged]) -> tuple[ScoredSolution, ...]:
    return tuple(
        ScoredSolution(
            solution=solution,
            verdict=combine(result.verdict for result in judged[solution.id].results.values()),
            layers=tuple(judged[solution.id].results[layer] for layer in request.layers),
        )
        for solution in solutions
    )


def assemble_results(
    request: Request, solutions: Sequence[Solution], drafts: Sequence[Solution], judged: Mapping[str, Judged]
) -> Results:
    """Return the results of a run, with the truth where that is known."""
    truth: dict[str, Truth] = {}
    corpus = None
    if not request.real:
        manifest = load_manifest()
        corpus = manifest.digest
        seeded = {entry.id: entry for entry in manifest.seeded}
        truth = {
            s.id: Truth(failure_class=seeded[s.id].failure_class, summary=seeded[s.id].summary)
            for s in solutions
            if s.id in seeded
        }
    return Results(
        format=1,
        seed=request.seed,
        max_mutants=request.max_mutants,
        tasks=request.tasks,
        strategies=request.strategies,
        layers=request.layers,
        models=request.models,
        corpus=corpus,
        solutions=_score(request, solutions, judged),
        drafts=_score(request, drafts, judged),
        truth=truth,
        has_truth=not request.real,
    )
