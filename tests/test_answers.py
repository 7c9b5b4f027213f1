"""Laws of what models answered: outcomes, pass rates, revisions, claims, and what they cost."""

from __future__ import annotations

from decimal import Decimal

import pytest
from hypothesis import given

from codegen_eval.answers import NOT_OK, AnswerScore, passed
from codegen_eval.results import Results
from codegen_eval.revision import RevisionScore
from codegen_eval.scorecard import score
from codegen_eval.solution import Outcome, Strategy
from codegen_eval.stats import wilson
from codegen_eval.verdict import SEEDED_CLASSES, ClaimOutcome, FailureClass, Verdict
from factories import make_call, make_claim, make_layer_result, make_results, make_scored, make_solution
from result_strategies import results

WRONG, EDGE, INSECURE, TYPE, SLOW = SEEDED_CLASSES
P, F, E, S = Verdict.PASS, Verdict.FAIL, Verdict.ERROR, Verdict.SKIP


def rows(value: Results) -> dict[tuple[str, str | None], AnswerScore]:
    return {(x.model, x.strategy): x for x in score(value).answers}


@pytest.mark.parametrize("outcome", NOT_OK)
@pytest.mark.parametrize("verdict", [P, F, E])
def test_an_answer_without_usable_code_stands_in_its_own_column(outcome: Outcome, verdict: Verdict) -> None:
    """Whatever the layers say of it, it is no pass, no fail and no error, and the pass rate is of it as well."""
    solutions = (
        make_scored(solution=make_solution(task="a", outcome=outcome), layers=(make_layer_result(verdict=verdict),)),
        make_scored(solution=make_solution(task="b")),
    )

    (row,) = score(make_results(solutions=solutions)).answers

    assert (row.passed, row.failed, row.errors, row.judged) == (1, 0, 0, 2)
    assert dict(row.not_ok) == {x: int(x is outcome) for x in NOT_OK}
    assert row.interval == wilson(1, 2)


@pytest.mark.parametrize("outcome", [Outcome.TRUNCATED, Outcome.REFUSED, Outcome.NO_CODE])
def test_no_answer_is_no_flag_and_no_catch(outcome: Outcome) -> None:
    """That there is nothing to judge says nothing of any layer: neither caught, nor flagged, nor a false flag."""
    layers = (make_layer_result(verdict=F),)
    one = make_scored(solution=make_solution(task="a", outcome=outcome), layers=layers)
    two = make_scored(solution=make_solution(task="b", outcome=outcome), layers=layers)

    seeded = score(make_results(solutions=(one, two), truth={"a/bare": WRONG}))
    real = score(make_results(solutions=(one, two)))

    assert seeded.layers[0].catch[0].caught == seeded.layers[0].flagged == 0
    assert seeded.layers[0].catch[0].seeded == len(seeded.uncaught) == 1
    assert real.layers[0].verdicts == (0, 0, 0, 0)
    assert real.layers[0].classes == ()


def test_each_model_has_a_row_for_each_strategy_and_one_for_all() -> None:
    """Models stand in the order of the run, strategies in theirs, and the whole is the sum."""
    solutions = tuple(
        make_scored(
            solution=make_solution(
                id=f"{strategy}@{model}", model=model, strategy=strategy, calls=(make_call(usd="0.1", cached_tokens=7),)
            ),
            layers=(make_layer_result(verdict=verdict),),
        )
        for model, verdict in (("z", P), ("a", F))
        for strategy in (Strategy.BARE, Strategy.SPEC)
    )

    value = make_results(solutions=solutions, models=("z", "a"))

    assert list(rows(value)) == [("z", "bare"), ("z", "spec"), ("z", None), ("a", "bare"), ("a", "spec"), ("a", None)]
    whole = rows(value)["z", None]
    assert (whole.passed, whole.failed, whole.spent.usd, whole.spent.cached_tokens) == (2, 0, Decimal("0.2"), 14)
    assert [(x.model, x.solutions) for x in score(value).layers[0].by_model] == [("z", 0), ("a", 2)]


def test_samples_of_one_task_do_not_make_the_interval_narrow() -> None:
    """Ten samples of each of two tasks that are all alike tell as much as two answers."""
    solutions = tuple(
        make_scored(
            solution=make_solution(task=task, sample=n), layers=(make_layer_result(verdict=P if task == "a" else F),)
        )
        for task in "ab"
        for n in range(10)
    )

    (row,) = score(make_results(solutions=solutions)).answers

    assert (row.passed, row.judged, row.samples) == (10, 20, 10)
    assert row.interval is not None
    assert wilson(10, 20) is not None
    assert row.interval[0] < 0.1
    assert row.interval[1] > 0.9


def test_revising_fixes_and_breaks() -> None:
    """A draft that fails and a final answer that passes is fixed; layer by layer as well; errors decide nothing."""
    cases = [(F, P), (F, P), (P, F), (P, P), (F, F), (E, P), (P, S)]
    finals, drafts = [], []
    for number, (before, after) in enumerate(cases):
        solution = make_solution(task=f"t{number}", strategy=Strategy.SELF_REVIEW)
        first = make_solution(task=f"t{number}", strategy=Strategy.SELF_REVIEW, draft_of=solution.id)
        finals.append(make_scored(solution=solution, layers=(make_layer_result(verdict=after),)))
        drafts.append(make_scored(solution=first, layers=(make_layer_result(verdict=before),)))

    card = score(make_results(solutions=tuple(finals), drafts=tuple(drafts)))

    expected = {"fixed": 2, "broke": 1, "kept": 1, "failed": 1, "undecided": 2}
    assert card.revisions == tuple(
        RevisionScore(model="mock", strategy="self-review", layer=layer, **expected) for layer in (None, "unit")
    )


def test_a_draft_without_code_was_fixed_by_a_final_answer_that_passes() -> None:
    """What gives no code fails as a whole; no layer can say anything of it."""
    final = make_solution(strategy=Strategy.SELF_REVIEW)
    draft = make_solution(strategy=Strategy.SELF_REVIEW, draft_of=final.id, outcome=Outcome.NO_CODE)

    whole, layer = score(
        make_results(
            solutions=(make_scored(solution=final),),
            drafts=(make_scored(solution=draft, layers=(make_layer_result(verdict=F),)),),
        )
    ).revisions

    assert (whole.fixed, whole.undecided) == (1, 0)
    assert (layer.fixed, layer.undecided) == (0, 1)


def test_a_reviewers_precision_is_measured_and_its_cost_is_the_layers() -> None:
    """Confirmed of what could be decided; unverifiable claims count in neither; strategies pay nothing for it."""
    outcomes = [ClaimOutcome.CONFIRMED] * 3 + [ClaimOutcome.REFUTED] + [ClaimOutcome.UNVERIFIABLE] * 2
    claims = tuple(make_claim(outcome=o, failure_class=EDGE if n else WRONG) for n, o in enumerate(outcomes))
    said = make_layer_result(layer="llm_review", verdict=F, claims=claims, calls=(make_call(usd="0.25"),))
    scored = make_scored(solution=make_solution(calls=(make_call(usd="1"),)), layers=(make_layer_result(), said))

    card = score(make_results(solutions=(scored,), layers=("unit", "llm_review"), truth={"fizzbuzz/bare": WRONG}))

    (review,) = card.reviews
    total = review.total
    assert (total.claims, total.confirmed, total.refuted, total.unverifiable) == (6, 3, 1, 2)
    assert (total.precision, total.interval) == (0.75, wilson(3, 4))
    assert [(c.failure_class, c.claims) for c in review.by_class] == [(WRONG, 1), (EDGE, 5)]
    assert (review.spent.usd, review.spent.per(review.caught)) == (Decimal("0.25"), Decimal("0.25"))
    assert card.answers[0].spent.usd == Decimal(1)


def test_a_layer_that_asked_no_model_has_no_review() -> None:
    """The tables are there only where there is something in them."""
    card = score(make_results(solutions=(make_scored(),)))

    assert (card.reviews, card.revisions) == ((), ())


@pytest.mark.slow
@given(results())
def test_answers_add_up(value: Results) -> None:
    """Every answer is in one column; models add up to the whole; what is paid is paid once."""
    card = score(value)
    whole = [x for x in card.answers if x.strategy is None or len(card.strategies) == 1]

    assert sum(x.answers for x in whole) == card.solutions
    assert sum(x.passed for x in whole) == sum(passed(s, value.layers) is True for s in value.solutions)
    assert sum(x.spent.calls for x in whole) == sum(len(s.solution.calls) for s in value.solutions)
    assert sum(x.caught for x in whole) == sum(s.caught for s in card.strategies)
    for x in card.answers:
        assert x.interval is None or 0 <= x.interval[0] <= x.passed / x.judged <= x.interval[1] <= 1
    pairs = sum(x.fixed + x.broke + x.kept + x.failed + x.undecided for x in card.revisions if x.layer is None)
    assert pairs == len(value.drafts)


def test_classes_of_flags_are_those_of_the_evidence() -> None:
    """One solution counts in each class that its findings name, once, and in no class of another layer."""
    layers = (
        make_layer_result(verdict=F, classes=(EDGE, EDGE, FailureClass.RESOURCE_LIMIT)),
        make_layer_result(layer="lint", verdict=F, classes=(INSECURE,)),
    )

    card = score(make_results(solutions=(make_scored(layers=layers),), layers=("unit", "lint")))

    assert [x.classes for x in card.layers] == [((EDGE, 1), (FailureClass.RESOURCE_LIMIT, 1)), ((INSECURE, 1),)]
    assert [x.flags.solutions for x in card.layers] == [1, 1]
