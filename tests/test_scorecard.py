"""Laws of the scorecard."""

from __future__ import annotations

from decimal import Decimal

import pytest
from hypothesis import given

from codegen_eval.answers import NO_ANSWER
from codegen_eval.interfaces import EndReason
from codegen_eval.results import Results
from codegen_eval.scorecard import Bug, LayerScore, Scorecard, StrategyScore, score
from codegen_eval.solution import Outcome, Strategy
from codegen_eval.verdict import SEEDED_CLASSES, FailureClass, LayerResult, Verdict
from factories import make_call, make_layer_result, make_results, make_scored, make_solution
from mock_run import mock_results
from result_strategies import results

WRONG, EDGE, INSECURE, TYPE, SLOW = SEEDED_CLASSES


def one(*layers: LayerResult, truth: FailureClass | None = WRONG) -> Scorecard:
    """Return the scorecard of one solution, seeded unless `truth` is None."""
    scored = make_scored(layers=layers)
    known = {} if truth is None else {scored.solution.id: truth}
    return score(make_results(solutions=(scored,), layers=tuple(x.layer for x in layers), truth=known))


def caught(layer: LayerScore) -> list[tuple[int, int]]:
    return [(c.caught, c.seeded) for c in layer.catch]


def strategy(card: Scorecard, name: str) -> StrategyScore:
    return next(s for s in card.strategies if s.strategy == name)


def test_ends_of_workers_are_told_apart_and_counted_by_solution() -> None:
    """Memory, wall, CPU, output, signals and lost sandboxes each have a count; two findings are one solution."""
    twice = make_layer_result(verdict=Verdict.FAIL, classes=(SLOW, SLOW), ended=EndReason.CPU)
    memory = make_layer_result(verdict=Verdict.FAIL, ended=EndReason.OUT_OF_MEMORY)
    plain = make_layer_result(verdict=Verdict.FAIL)
    scored = tuple(
        make_scored(solution=make_solution(id=str(number)), layers=(layer,))
        for number, layer in enumerate((twice, twice, memory, plain))
    )

    card = score(make_results(solutions=scored, layers=("unit",)))

    assert card.layers[0].ends == ((EndReason.OUT_OF_MEMORY, 1), (EndReason.CPU, 2))


@pytest.mark.parametrize(
    ("verdict", "expected"), [(Verdict.FAIL, 1), (Verdict.PASS, 0), (Verdict.SKIP, 0), (Verdict.ERROR, 0)]
)
def test_a_catch_is_a_fail_and_nothing_else(verdict: Verdict, expected: int) -> None:
    """PASS, SKIP and ERROR on a seeded solution are no catch; the solution stays in the denominator."""
    card = one(make_layer_result(verdict=verdict))

    assert caught(card.layers[0])[0] == (expected, 1)
    assert strategy(card, "bare").caught == expected
    assert len(card.uncaught) == 1 - expected


@pytest.mark.parametrize(
    ("verdict", "expected"), [(Verdict.FAIL, 1), (Verdict.PASS, 0), (Verdict.SKIP, 0), (Verdict.ERROR, 0)]
)
def test_a_false_flag_is_a_fail_on_a_clean_solution(verdict: Verdict, expected: int) -> None:
    """ERROR and SKIP flag nothing, and the clean solution stays in the denominator."""
    card = one(make_layer_result(verdict=verdict), truth=None)

    assert (card.layers[0].flagged, card.clean) == (expected, 1)
    assert card.layers[0].flagged_ids == ("fizzbuzz/bare",) * expected


def test_a_catch_for_the_wrong_reason_is_a_catch_but_not_of_the_right_class() -> None:
    """Right-class counts need a finding that names what was seeded."""
    card = one(
        make_layer_result(layer="unit", verdict=Verdict.FAIL, classes=(EDGE,)),
        make_layer_result(layer="props", verdict=Verdict.FAIL, classes=(EDGE, WRONG)),
    )

    assert [(x.catch[0].caught, x.catch[0].right) for x in card.layers] == [(1, 0), (1, 1)]


def test_a_finding_without_a_fail_is_no_right_catch() -> None:
    """A layer that passes or errs while it names the class has caught nothing."""
    card = one(make_layer_result(verdict=Verdict.ERROR, classes=(WRONG,)))

    assert (card.layers[0].catch[0].caught, card.layers[0].catch[0].right) == (0, 0)


def test_fragile_passes_count_as_false_flags_and_apart() -> None:
    """A FAIL with nothing but `fragile-pass` has its own count; with another class beside it has not."""
    fragile = make_layer_result(layer="mutation", verdict=Verdict.FAIL, classes=(FailureClass.FRAGILE_PASS,))
    mixed = make_layer_result(layer="m2", verdict=Verdict.FAIL, classes=(FailureClass.FRAGILE_PASS, WRONG))

    card = one(fragile, mixed, truth=None)

    assert [(x.flagged, x.fragile) for x in card.layers] == [(1, 1), (1, 0)]


def test_a_layer_is_skipped_only_where_it_applied_to_nothing() -> None:
    """One verdict that is no SKIP and the layer has run; an empty run skips nothing."""
    skip, fine = make_layer_result(verdict=Verdict.SKIP), make_layer_result()
    other = make_solution(strategy=Strategy.SPEC)
    some = make_results(solutions=(make_scored(layers=(skip,)), make_scored(solution=other, layers=(fine,))))

    assert one(skip).layers[0].skipped
    assert not score(some).layers[0].skipped
    assert not score(make_results()).layers[0].skipped


def test_cost_is_an_exact_sum_over_seeded_bugs_that_any_layer_caught() -> None:
    """Money adds up as Decimal; two layers that catch one bug caught one bug."""
    fail = tuple(make_layer_result(layer=name, verdict=Verdict.FAIL) for name in ("unit", "props"))
    solutions = tuple(
        make_scored(solution=make_solution(task=task, calls=(make_call(usd="0.1"),)), layers=fail) for task in "abc"
    )
    truth = {"a/bare": WRONG, "b/bare": EDGE}

    cost = strategy(score(make_results(solutions=solutions, layers=("unit", "props"), truth=truth)), "bare")

    assert (cost.usd, cost.caught, cost.usd_per_caught, cost.calls) == (Decimal("0.3"), 2, Decimal("0.15"), 3)


def test_an_unknown_price_makes_the_cost_unknown_and_not_cheap() -> None:
    """One call without a price, and the strategy's cost can't be told."""
    calls = (make_call(usd="0.1"), make_call(turn=1, usd=None))
    scored = make_scored(solution=make_solution(calls=calls), layers=(make_layer_result(verdict=Verdict.FAIL),))

    cost = strategy(score(make_results(solutions=(scored,), truth={"fizzbuzz/bare": WRONG})), "bare")

    assert (cost.usd, cost.usd_per_caught) == (None, None)


def test_nothing_caught_costs_nothing_per_bug() -> None:
    """There is no price of a bug that was not caught."""
    assert strategy(one(make_layer_result()), "bare").usd_per_caught is None


def test_no_calls_cost_nothing_in_decimal() -> None:
    """Money is Decimal even where there is none of it."""
    assert isinstance(strategy(one(make_layer_result()), "bare").usd, Decimal)


def test_what_no_layer_caught_is_named_with_its_class_and_summary() -> None:
    """A missed failure can be looked up."""
    card = one(make_layer_result(), truth=EDGE)

    assert card.uncaught == (
        Bug(solution="fizzbuzz/bare", failure_class=EDGE, summary="missed-edge-case in fizzbuzz/bare"),
    )


@pytest.mark.parametrize("corpus", [None, "c" * 64])
def test_a_canned_corpus_makes_a_self_test(corpus: str | None) -> None:
    """Results of canned solutions say something about the harness, and only those."""
    solutions = (make_scored(), make_scored(solution=make_solution(task="other")))
    card = score(make_results(solutions=solutions, corpus=corpus))

    assert (card.self_test, card.tasks) == (corpus is not None, 2)


def test_every_count_says_what_it_counts() -> None:
    """Each row names its strategy and each catch its class, in the order of the whole."""
    card = score(mock_results())

    for layer in card.layers:
        assert [by.strategy for by in layer.by_strategy] == [x.strategy for x in card.strategies]
        for catch in (layer.catch, *(by.catch for by in layer.by_strategy)):
            assert tuple(c.failure_class for c in catch) == SEEDED_CLASSES


@pytest.mark.parametrize("estimated", [True, False])
def test_costs_are_estimates_where_any_token_count_is(estimated: bool) -> None:  # noqa: FBT001 - a parameter of a test
    """The label follows from the calls."""
    scored = make_scored(solution=make_solution(calls=(make_call(estimated=estimated),)))

    assert score(make_results(solutions=(scored,))).estimated is estimated


def test_without_truth_nothing_is_seeded_or_clean_and_flags_are_counted_by_class() -> None:
    """A real run has flags, not catches."""
    fail = make_layer_result(verdict=Verdict.FAIL, classes=(SLOW, WRONG, WRONG))
    card = score(make_results(solutions=(make_scored(layers=(fail,)),)))

    assert (card.has_truth, card.seeded, card.clean, card.uncaught) == (False, 0, 0, ())
    assert card.layers[0].classes == ((WRONG, 1), (SLOW, 1))
    assert card.layers[0].flagged == 0
    assert strategy(card, "bare").verdicts == (0, 1, 0)


def test_solutions_without_a_strategy_have_a_row_of_their_own() -> None:
    """Files of the user's own are counted, under a name that is no strategy."""
    card = score(make_results(solutions=(make_scored(solution=make_solution(strategy=None)),)))

    assert [(s.strategy, s.verdicts) for s in card.strategies] == [("none", (1, 0, 0))]


def test_the_designed_corpus_scores_as_designed() -> None:
    """Unit catches all, props half, lint the insecure ones; no false flags; cost rises with the strategy."""
    card = score(mock_results())
    by_name = {x.layer: x for x in card.layers}
    costs = [s.usd for s in card.strategies if s.usd is not None]

    assert (card.solutions, card.seeded, card.clean) == (40, 14, 26)
    assert caught(by_name["unit"]) == [(3, 3), (4, 4), (4, 4), (2, 2), (1, 1)]
    assert [c.right for c in by_name["unit"].catch] == [3, 4, 0, 2, 1]
    assert caught(by_name["props"]) == [(3, 3), (3, 4), (0, 4), (1, 2), (0, 1)]
    assert caught(by_name["mutation"]) == [(0, 3), (0, 4), (0, 4), (0, 2), (0, 1)]
    assert caught(by_name["lint"]) == [(0, 3), (0, 4), (4, 4), (0, 2), (0, 1)]
    assert by_name["llm_review"].skipped
    assert [x.flagged for x in card.layers] == [0] * 5
    assert costs == sorted(costs)
    assert len(costs) == 4


@pytest.mark.slow
@given(results())
def test_all_counts_add_up(value: Results) -> None:
    """Classes and strategies add up to the whole, and no part exceeds it."""
    card = score(value)

    assert sum(n for s in card.strategies for _, n in s.seeded) == card.seeded == len(value.truth)
    usable = sum(s.solution.outcome is Outcome.OK for s in value.solutions)
    judged = sum(s.solution.outcome not in NO_ANSWER for s in value.solutions)
    assert sum(sum(s.verdicts) for s in card.strategies) == usable
    assert sum(s.caught for s in card.strategies) + len(card.uncaught) == card.seeded
    for layer in card.layers:
        assert sum(layer.verdicts) == judged
        assert sum(found.solutions for found in layer.by_model) == layer.verdicts[1]
        assert layer.flagged + sum(c.caught for c in layer.catch) == (layer.verdicts[1] if card.has_truth else 0)
        assert layer.fragile <= layer.verdicts[1]
        for index, whole in enumerate(layer.catch):
            parts = [by.catch[index] for by in layer.by_strategy]
            assert 0 <= whole.right <= whole.caught <= whole.seeded
            assert sum(p.caught for p in parts) == whole.caught
            assert sum(p.right for p in parts) == whole.right
            assert sum(p.seeded for p in parts) == whole.seeded


@pytest.mark.slow
@given(results())
def test_scoring_does_not_depend_on_the_order_of_solutions(value: Results) -> None:
    """Whatever order the solutions are in, even one that the file can't have, the scorecard is the same."""
    turned = value.model_copy(update={"solutions": value.solutions[::-1]})

    assert score(turned) == score(value)
