"""The results that the canned corpus is designed to give, as a value: ten tasks, four strategies, five layers."""

from __future__ import annotations

from codegen_eval.results import Results
from codegen_eval.solution import Call, Strategy
from codegen_eval.verdict import SEEDED_CLASSES, FailureClass, LayerResult, Verdict
from factories import make_call, make_layer_result, make_results, make_scored, make_solution

LAYERS = ("unit", "props", "mutation", "lint", "llm_review")
TASKS = (
    *("binary_search", "fizzbuzz", "flatten", "has_duplicates", "is_palindrome"),
    *("list_files", "moving_average", "safe_calc", "slugify", "word_count"),
)
_WRONG, _EDGE, _INSECURE, _TYPE, _SLOW = SEEDED_CLASSES
SEEDED: dict[str, FailureClass] = {
    "binary_search/bare": _WRONG,
    "fizzbuzz/bare": _WRONG,
    "word_count/bare": _WRONG,
    "is_palindrome/bare": _EDGE,
    "moving_average/bare": _EDGE,
    "list_files/bare": _INSECURE,
    "safe_calc/bare": _INSECURE,
    "flatten/bare": _TYPE,
    "slugify/bare": _TYPE,
    "has_duplicates/bare": _SLOW,
    "flatten/spec": _EDGE,
    "slugify/spec": _EDGE,
    "safe_calc/spec": _INSECURE,
    "safe_calc/test-first": _INSECURE,
}
_PROPS_MISS = {"slugify/spec", "slugify/bare", "has_duplicates/bare"}
_PRICES = {
    Strategy.BARE: "0.0011",
    Strategy.SPEC: "0.0017",
    Strategy.TEST_FIRST: "0.0021",
    Strategy.SELF_REVIEW: "0.003",
}


def mock_results() -> Results:
    """Return the designed outcome."""
    solutions = [
        make_solution(task=task, strategy=strategy, calls=_calls(strategy)) for task in TASKS for strategy in Strategy
    ]
    scored = tuple(
        make_scored(solution=s, layers=tuple(_said(layer, SEEDED.get(s.id), s.id) for layer in LAYERS))
        for s in solutions
    )
    return make_results(solutions=scored, layers=LAYERS, truth=SEEDED, corpus="c" * 64)


def _calls(strategy: Strategy) -> tuple[Call, ...]:
    turns = 2 if strategy is Strategy.SELF_REVIEW else 1
    return tuple(make_call(turn=turn, usd=_PRICES[strategy]) for turn in range(turns))


def _said(layer: str, seeded: FailureClass | None, name: str) -> LayerResult:
    fails = {
        "unit": seeded is not None,
        "props": seeded is not None and seeded is not _INSECURE and name not in _PROPS_MISS,
        "lint": seeded is _INSECURE,
    }
    if layer == "llm_review" or (layer == "mutation" and seeded is not None):
        return make_layer_result(layer=layer, verdict=Verdict.SKIP)
    if not fails.get(layer, False) or seeded is None:
        return make_layer_result(layer=layer)
    named = _EDGE if seeded is _INSECURE and layer == "unit" else seeded
    return make_layer_result(layer=layer, verdict=Verdict.FAIL, classes=(named,))
