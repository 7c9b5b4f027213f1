"""The scorecard as JSON, for machines."""

from __future__ import annotations

import json
from collections.abc import Iterable
from decimal import ROUND_HALF_EVEN, Decimal

from codegen_eval.adjudicated import AdjudicatedScore, LayerRuling
from codegen_eval.answers import AnswerScore, Spent
from codegen_eval.claims import ClaimScore, ReviewScore
from codegen_eval.comparison import Comparison, Standing
from codegen_eval.paired import Change
from codegen_eval.revision import RevisionScore
from codegen_eval.scorecard import Catch, Scorecard
from codegen_eval.stats import wilson

USD_PLACES = Decimal("0.000001")
"""Money is a JSON number rounded to this (half to even); `results.json` has the exact figures as strings."""
_RATE_PLACES = 4


def render_json(card: Scorecard, standing: Standing | None = None) -> str:
    """Return the scorecard as indented ASCII JSON; equal scorecards give equal text."""
    return json.dumps(to_json(card, standing), indent=2, ensure_ascii=True, allow_nan=False) + "\n"


def to_json(card: Scorecard, standing: Standing | None = None) -> dict[str, object]:
    """Return the scorecard as plain values.

    Without truth `seeded`, `catch` and what derives from them are empty, and `false_flags` counts no clean solutions.
    The keys that are there since the first version count all models together; beside them:

    - `models`; `answers`: for each model and strategy (null: all of them) the outcomes, pass rate, tokens and cost.
    - `findings`, `findings_by_model`: flagged solutions by layer and class of the evidence; one may count in several.
    - `revisions`: first and final answers, of the battery (`layer` null) and by layer.
    - `reviews`: claims and cost, by layer.
    - `adjudicated`: null, or what people judged and the precision and recall that follow from it.
    - `complaints` and `comparison`, where something was asked of the run; the latter is null without an earlier one.
      Its `differences` say what else is not as it was: models, parameters, versions.

    Rates are from 0 to 1, intervals have two ends, money is a number; what is unknown is null.
    """
    return _card(card) | standing_to_json(standing)


def _card(card: Scorecard) -> dict[str, object]:
    scored = card.has_truth
    return {
        "seeded": {s.strategy: {c.value: n for c, n in s.seeded} for s in card.strategies} if scored else {},
        "catch": {x.layer: _catch(x.catch) for x in card.layers} if scored else {},
        "false_flags": {x.layer: {"flagged": x.flagged, "clean": card.clean} for x in card.layers},
        "cost": {
            s.strategy: {"usd": _usd(s.usd), "caught": s.caught, "usd_per_caught": _usd(s.usd_per_caught)}
            for s in card.strategies
        },
        "uncaught": [bug.solution for bug in card.uncaught],
        "errors": {x.layer: x.errors for x in card.layers},
        "skips": {x.layer: x.skips for x in card.layers},
        "skipped_layers": [x.layer for x in card.layers if x.skipped],
        "fragile": {x.layer: x.fragile for x in card.layers},
        "right_class": {x.layer: {c.failure_class.value: c.right for c in x.catch} for x in card.layers}
        if scored
        else {},
        "catch_by_strategy": {
            s.strategy: {
                x.layer: _catch(by.catch) for x in card.layers for by in x.by_strategy if by.strategy == s.strategy
            }
            for s in card.strategies
        }
        if scored
        else {},
        "catch_interval_95": {x.layer: _intervals(x.catch) for x in card.layers} if scored else {},
        "false_flagged": {x.layer: list(x.flagged_ids) for x in card.layers},
        "findings": {x.layer: {c.value: n for c, n in x.classes} for x in card.layers},
        "ends": {x.layer: {reason.value: n for reason, n in x.ends} for x in card.layers},
        "verdicts": {
            s.strategy: dict(zip(("pass", "fail", "error"), s.verdicts, strict=True)) for s in card.strategies
        },
        "uncaught_bugs": [
            {"id": bug.solution, "class": bug.failure_class.value, "summary": bug.summary} for bug in card.uncaught
        ],
        "models": list(card.models),
        "answers": [_answers(x) for x in card.answers],
        "findings_by_model": {
            model: {
                x.layer: {c.value: n for by in x.by_model if by.model == model for c, n in by.classes}
                for x in card.layers
            }
            for model in card.models
        },
        "revisions": [_revision(x) for x in card.revisions],
        "reviews": {x.layer: _review(x) for x in card.reviews},
        "adjudicated": None if card.adjudicated is None else _adjudicated(card.adjudicated),
        "solutions": card.solutions,
        "has_truth": card.has_truth,
        "self_test": card.self_test,
        "cost_estimated": card.estimated,
    }


def _answers(x: AnswerScore) -> dict[str, object]:
    """Return one row: a model under a strategy, or (`strategy` null) under all."""
    return {
        "model": x.model,
        "strategy": x.strategy,
        "answers": x.answers,
        "pass": x.passed,
        "fail": x.failed,
        "error": x.errors,
        **{outcome.value: n for outcome, n in x.not_ok},
        "pass_rate": round(x.passed / x.judged, _RATE_PLACES) if x.judged else None,
        "pass_rate_interval_95": _ends(x.interval),
        "samples": x.samples,
        **_spent(x.spent),
        "caught": x.caught,
        "usd_per_caught": _usd(x.spent.per(x.caught)),
    }


def _spent(spent: Spent) -> dict[str, object]:
    return {
        "calls": spent.calls,
        "input_tokens": spent.input_tokens,
        "cached_tokens": spent.cached_tokens,
        "output_tokens": spent.output_tokens,
        "usd": _usd(spent.usd),
    }


def _revision(x: RevisionScore) -> dict[str, object]:
    """Return one row: the whole battery (`layer` null), or one layer."""
    return {
        "model": x.model,
        "strategy": x.strategy,
        "layer": x.layer,
        "fixed": x.fixed,
        "broke": x.broke,
        "both_pass": x.kept,
        "both_fail": x.failed,
        "undecided": x.undecided,
    }


def _review(x: ReviewScore) -> dict[str, object]:
    return {
        **_claims(x.total),
        "by_class": {c.failure_class.value: _claims(c) for c in x.by_class if c.failure_class},
        "reviewed": x.reviewed,
        "solutions_with_a_confirmed_claim": x.confirmed_solutions,
        **_spent(x.spent),
        "cost_estimated": x.estimated,
        "caught": x.caught,
        "usd_per_caught": _usd(x.spent.per(x.caught)),
    }


def _claims(x: ClaimScore) -> dict[str, object]:
    return {
        "claims": x.claims,
        "confirmed": x.confirmed,
        "refuted": x.refuted,
        "unverifiable": x.unverifiable,
        "precision": None if x.precision is None else round(x.precision, _RATE_PLACES),
        "precision_interval_95": _ends(x.interval),
    }


def _ends(ends: tuple[float, float] | None) -> list[float] | None:
    return None if ends is None else [round(end, _RATE_PLACES) for end in ends]


def _catch(row: Iterable[Catch]) -> dict[str, dict[str, int]]:
    return {c.failure_class.value: {"caught": c.caught, "seeded": c.seeded} for c in row}


def _intervals(row: Iterable[Catch]) -> dict[str, list[float] | None]:
    """Return Wilson intervals by class; null where nothing was seeded."""
    found = {c.failure_class.value: wilson(c.caught, c.seeded) for c in row}
    return {name: _ends(ends) for name, ends in found.items()}


def _adjudicated(x: AdjudicatedScore) -> dict[str, object]:
    """Return what is judged, and what follows; `recall` is an estimate, null where too little is judged."""
    return {
        "flagged": x.flagged,
        "flagged_judged": x.flagged_ruled,
        "unflagged": x.unflagged,
        "unflagged_judged": x.unflagged_ruled,
        "unsure": x.unsure,
        "true": x.true,
        "missed": x.missed,
        "failures_estimated": None if x.failures is None else round(x.failures, _RATE_PLACES),
        "usd_per_caught": _usd(x.usd_per_caught),
        "layers": {layer.layer: _ruling(layer) for layer in x.layers},
    }


def _ruling(x: LayerRuling) -> dict[str, object]:
    return {
        "flags": x.flags,
        "judged": x.ruled,
        "true": x.true,
        "precision": None if x.precision is None else round(x.precision, _RATE_PLACES),
        "precision_interval_95": _ends(x.precision_interval),
        "recall": None if x.recall is None else round(x.recall, _RATE_PLACES),
        "recall_interval_95": _ends(x.recall_interval),
        "catch": {c.failure_class.value: {"caught": c.caught, "right_class": c.right, "true": c.true} for c in x.catch},
    }


def standing_to_json(standing: Standing | None) -> dict[str, object]:
    """Return how a run stands, as plain values; nothing where nothing was asked of it."""
    if standing is None:
        return {}
    found = standing.comparison
    return {
        "complaints": list(standing.complaints),
        "comparison": None if found is None else _comparison(found) | {"differences": list(standing.differences)},
    }


def _comparison(found: Comparison) -> dict[str, object]:
    """Return rates from 0 to 1, and `p_value` of the exact sign test (McNemar's, where there is one sample)."""
    return {
        "overall": [_change(x) for x in found.overall],
        "by_strategy": [_change(x) for x in found.by_strategy],
        "by_layer": [_change(x) for x in found.by_layer],
        "layers": list(found.layers),
        "got_worse": list(found.got_worse),
        "got_better": list(found.got_better),
        "changed_tasks": list(found.changed),
        "only_before": found.only_before,
        "only_after": found.only_after,
        "undecided": found.undecided,
    }


def _change(x: Change) -> dict[str, object]:
    return {
        "model": x.model,
        "strategy": x.strategy,
        "layer": x.layer,
        "pairs": x.pairs,
        "before": round(x.before, _RATE_PLACES),
        "after": round(x.after, _RATE_PLACES),
        "difference": round(x.difference, _RATE_PLACES),
        "interval_95": _ends(x.interval),
        "better": x.better,
        "worse": x.worse,
        "p_value": round(x.p_value, _RATE_PLACES),
    }


def _usd(amount: Decimal | None) -> float | None:
    return None if amount is None else float(amount.quantize(USD_PLACES, ROUND_HALF_EVEN))
