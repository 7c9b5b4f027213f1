"""Hypothesis strategies for results: any that a run could have."""

from __future__ import annotations

from decimal import Decimal

from hypothesis import strategies as st

from codegen_eval.interfaces import EndReason
from codegen_eval.results import Results, ScoredSolution
from codegen_eval.solution import Call, Outcome, Solution, Strategy
from codegen_eval.verdict import SEEDED_CLASSES, ClaimOutcome, FailureClass, LayerResult, Verdict
from factories import make_claim, make_layer_result, make_results, make_scored, make_solution

TEXT = st.text(max_size=30)
LAYERS = ("unit", "lint", "mutation")


CALLS = st.builds(
    Call,
    turn=st.integers(0, 3),
    input_tokens=st.integers(0, 10**9),
    output_tokens=st.integers(0, 10**9),
    cached_tokens=st.integers(0, 10**9),
    estimated=st.booleans(),
    usd=st.none() | st.decimals(0, 10**6, allow_nan=False, places=9) | st.just(Decimal("0E-12")),
)
CLAIMS = st.builds(make_claim, failure_class=st.sampled_from(FailureClass), outcome=st.sampled_from(ClaimOutcome))


def layer_results(layer: str) -> st.SearchStrategy[LayerResult]:
    """Return what one layer may say."""
    return st.builds(
        lambda verdict, classes, ended, claims, calls: make_layer_result(
            layer=layer,
            verdict=verdict,
            classes=classes if verdict is Verdict.FAIL else (),
            ended=ended,
            claims=claims,
            calls=calls,
        ),
        st.sampled_from(Verdict),
        st.lists(st.sampled_from(FailureClass), max_size=3).map(tuple),
        st.none() | st.sampled_from(EndReason),
        st.lists(CLAIMS, max_size=2).map(tuple) if layer == "lint" else st.just(()),
        st.lists(CALLS, max_size=1).map(tuple) if layer == "lint" else st.just(()),
    )


def solutions(index: int) -> st.SearchStrategy[Solution]:
    """Return a solution whose id no other index has."""
    return st.builds(
        lambda name, strategy, source, calls, outcome, model, sample: make_solution(
            id=f"{name}#{index}",
            strategy=strategy,
            source=source,
            calls=calls,
            outcome=outcome,
            model=model,
            sample=sample,
        ),
        TEXT,
        st.none() | st.sampled_from(Strategy),
        TEXT,
        st.lists(CALLS, max_size=2).map(tuple),
        st.just(Outcome.OK) | st.sampled_from(Outcome),
        st.sampled_from(["m", "|\x1b[0m"]),
        st.integers(0, 3),
    )


@st.composite
def results(draw: st.DrawFn) -> Results:
    """Draw the results of a small run."""
    scored: list[ScoredSolution] = []
    drafts: list[ScoredSolution] = []
    truth: dict[str, FailureClass] = {}
    for index in range(draw(st.integers(0, 5))):
        solution = draw(solutions(index))
        said = tuple(draw(layer_results(layer)) for layer in LAYERS)
        scored.append(make_scored(solution=solution, layers=said))
        if draw(st.booleans()):
            first = solution.model_copy(update={"id": f"{solution.id}~draft", "draft_of": solution.id, "calls": ()})
            drafts.append(make_scored(solution=first, layers=tuple(draw(layer_results(layer)) for layer in LAYERS)))
        seeded = draw(st.none() | st.sampled_from(SEEDED_CLASSES))
        if seeded is not None:
            truth[solution.id] = seeded
    has_truth = draw(st.booleans())
    return make_results(
        solutions=tuple(scored), layers=LAYERS, truth=truth if has_truth else None, drafts=tuple(drafts)
    )
