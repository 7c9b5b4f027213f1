"""What a strategy that revises its first answer fixed by that, and what it broke. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from codegen_eval.answers import NO_ANSWER, Passed, model_names, passed, strategy_names, strategy_of
from codegen_eval.results import Results, ScoredSolution
from codegen_eval.verdict import Verdict


@dataclass(frozen=True, slots=True, kw_only=True)
class RevisionScore:
    """First and final answers of one model under one strategy, compared."""

    model: str
    strategy: str
    layer: str | None
    """None: the whole battery."""
    fixed: int
    """The first answer fails, the final one passes."""
    broke: int
    """The first answer passes, the final one fails."""
    kept: int
    """Both pass."""
    failed: int
    """Both fail."""
    undecided: int
    """Nothing can be said of one of the two: an error of ours, or the layer did not apply."""


def score_revisions(results: Results) -> tuple[RevisionScore, ...]:
    """Compare every draft with the solution that it became: the whole battery first, then layer by layer."""
    finals = {scored.solution.id: scored for scored in results.solutions}
    found: list[RevisionScore] = []
    for model in model_names(results):
        for strategy in strategy_names(results):
            pairs = [
                (draft, finals[draft.solution.draft_of])
                for draft in results.drafts
                if draft.solution.draft_of and draft.solution.model == model and strategy_of(draft) == strategy
            ]
            if pairs:
                whole = [(passed(a, results.layers), passed(b, results.layers)) for a, b in pairs]
                found.append(_score(whole, model, strategy, None))
                found += [
                    _score([(_said(a, layer), _said(b, layer)) for a, b in pairs], model, strategy, layer)
                    for layer in results.layers
                ]
    return tuple(found)


def _said(scored: ScoredSolution, layer: str) -> Passed:
    verdict = scored.result(layer).verdict
    if scored.solution.outcome in NO_ANSWER or verdict not in {Verdict.PASS, Verdict.FAIL}:
        return None
    return verdict is Verdict.PASS


def _score(pairs: Iterable[tuple[Passed, Passed]], model: str, strategy: str, layer: str | None) -> RevisionScore:
    counts = Counter(pairs)
    fixed, broke = counts[False, True], counts[True, False]
    kept, failed = counts[True, True], counts[False, False]
    return RevisionScore(
        model=model,
        strategy=strategy,
        layer=layer,
        fixed=fixed,
        broke=broke,
        kept=kept,
        failed=failed,
        undecided=counts.total() - fixed - broke - kept - failed,
    )
