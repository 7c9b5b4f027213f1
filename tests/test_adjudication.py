"""Laws of adjudication: what is kept, to what it is bound, and what follows from it."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from codegen_eval.adjudicated import AdjudicatedScore, score_adjudications
from codegen_eval.adjudication import (
    RULED_CLASSES,
    Adjudication,
    Adjudications,
    Ruling,
    adjudication_path,
    digest_of,
    load_adjudications,
    make_docket,
    save_adjudications,
)
from codegen_eval.answers import is_caught
from codegen_eval.errors import ResultsError
from codegen_eval.render import render_json, render_markdown, render_text
from codegen_eval.results import Results
from codegen_eval.scorecard import score
from codegen_eval.solution import Outcome
from codegen_eval.stats import Stratum, share, share_interval
from codegen_eval.verdict import SEEDED_CLASSES, FailureClass
from factories import make_results, make_scored, make_solution
from judged_run import entry, flagged_run, say
from result_strategies import results

Golden = Callable[[str, str], None]
WRONG, EDGE, INSECURE, TYPE, SLOW = SEEDED_CLASSES
TRUE, FALSE, UNSURE = Ruling.TRUE, Ruling.FALSE, Ruling.UNSURE


def scored(value: Results, said: Adjudications) -> AdjudicatedScore:
    found = score_adjudications(value, said)
    assert found is not None
    return found


# --- what is kept -----------------------------------------------------------------------------------------------------


def test_what_is_said_is_kept_beside_the_results(tmp_path: Path) -> None:
    """Save and load go round; where there is no file nothing was said."""
    value, path = flagged_run("u", ""), tmp_path / "results.json"
    said = say(value, (1, FALSE), (0, TRUE))

    assert load_adjudications(path, value) == Adjudications()
    save_adjudications(path, said)
    assert adjudication_path(path).name == "results.adjudication.json"
    assert load_adjudications(path, value) == said


def test_adjudications_of_other_sources_are_refused_by_name(tmp_path: Path) -> None:
    """Every one that is of another source, or of no solution that can be judged, is named."""
    value, path = flagged_run("u", "", ""), tmp_path / "results.json"
    save_adjudications(path, say(value, (0, TRUE), (1, FALSE), (2, FALSE)))
    changed = make_results(
        solutions=(
            make_scored(solution=make_solution(task="t00", source="other")),
            make_scored(solution=make_solution(task="t01", outcome=Outcome.REFUSED)),
            make_scored(solution=make_solution(task="t02")),
        )
    )

    with pytest.raises(ResultsError) as caught:
        load_adjudications(path, changed)

    assert "'t00/bare' has another source" in caught.value.message
    assert "'t01/bare' is no solution" in caught.value.message
    assert "t02" not in caught.value.message


@pytest.mark.parametrize(
    ("ruling", "classes"),
    [
        (TRUE, ()),
        (FALSE, (WRONG,)),
        (UNSURE, (WRONG,)),
        (TRUE, (WRONG, WRONG)),
        (TRUE, (FailureClass.FRAGILE_PASS,)),
        (TRUE, (FailureClass.NO_ANSWER,)),
    ],
)
def test_a_ruling_and_its_classes_belong_together(ruling: Ruling, classes: tuple[FailureClass, ...]) -> None:
    """A true failure has one class at least, each once, of those that a solution can have; nothing else has one."""
    with pytest.raises(ValidationError):
        Adjudication(solution="x", digest="0" * 64, ruling=ruling, classes=classes)


@pytest.mark.parametrize("raw", [b"", b"{}x", b'{"format": 2, "entries": []}', b"[" * 1000, b'{"entries": [{}]}'])
def test_a_hostile_file_is_refused(tmp_path: Path, raw: bytes) -> None:
    """It is read as strictly as results are, and named for what it is."""
    adjudication_path(tmp_path / "results.json").write_bytes(raw)

    with pytest.raises(ResultsError, match=r"^adjudications `"):
        load_adjudications(tmp_path / "results.json", flagged_run("u"))


# --- the docket -------------------------------------------------------------------------------------------------------


@pytest.mark.slow
@given(results(), st.integers(0, 6), st.integers(0, 3))
def test_the_docket_has_all_that_is_flagged_and_a_growing_sample(value: Results, sample: int, seed: int) -> None:
    """A larger sample has the smaller one at its head; what can't be judged is in neither; the order is the seed's."""
    small, large = (make_docket(value, sample=n, seed=seed) for n in (sample, sample + 1))

    assert {s.solution.id for s in small.flagged} == {s.solution.id for s in value.solutions if is_caught(s)}
    assert large.sampled[: len(small.sampled)] == small.sampled
    assert len(small.sampled) <= sample
    assert not any(is_caught(s) for s in small.sampled)
    assert all(s.solution.outcome.can_be_judged for s in small.all)
    turned = value.model_copy(update={"solutions": value.solutions[::-1]})
    assert make_docket(turned, sample=sample, seed=seed) == small


def test_another_seed_is_another_sample() -> None:
    """The order is not that of the ids."""
    value = flagged_run(*[""] * 30)

    orders = {tuple(s.solution.id for s in make_docket(value, sample=5, seed=seed).sampled) for seed in range(5)}

    assert len(orders) == 5


# --- what follows -----------------------------------------------------------------------------------------------------


def test_precision_and_recall_of_a_census_are_plain_counts() -> None:
    """With everything judged: true of flags, flagged of all true ones, and the interval of recall has no width."""
    value = flagged_run("u", "u", "up", "p", "", "")
    found = scored(value, say(value, (0, TRUE), (1, FALSE), (2, TRUE), (3, TRUE), (4, TRUE), (5, FALSE)))
    unit, props = found.layers

    assert (unit.flags, unit.ruled, unit.true, unit.precision, unit.recall) == (3, 3, 2, 2 / 3, 0.5)
    assert (props.flags, props.ruled, props.true, props.precision, props.recall) == (2, 2, 2, 1.0, 0.5)
    assert unit.recall_interval == (0.5, 0.5)
    assert (found.true, found.missed, found.failures) == (4, 1, 4.0)


def test_recall_weights_the_sample_of_what_nobody_flags() -> None:
    """One true failure in two of ten unflagged solutions stands for five."""
    value = flagged_run("u", *[""] * 10)
    found = scored(value, say(value, (0, TRUE), (1, TRUE), (2, FALSE)))

    assert found.failures == 6.0
    assert found.layers[0].recall == pytest.approx(1 / 6)
    assert found.layers[0].recall_interval is not None
    low, high = found.layers[0].recall_interval
    assert low <= 1 / 6 <= high
    assert (found.unflagged, found.unflagged_ruled, found.missed) == (10, 2, 1)


def test_unsure_counts_in_nothing() -> None:
    """Neither as a judged flag nor as a judged other; only its own number tells of it."""
    value = flagged_run("u", "u", "", "")
    sure, unsure = say(value, (0, TRUE), (2, FALSE)), say(value, (0, TRUE), (1, UNSURE), (2, FALSE), (3, UNSURE))

    assert replace(scored(value, unsure), unsure=0) == scored(value, sure)
    assert scored(value, unsure).unsure == 2


def test_where_a_stratum_was_not_looked_at_there_is_no_recall() -> None:
    """Flags alone say nothing of what was missed; precision is there all the same."""
    value = flagged_run("u", "")
    found = scored(value, say(value, (0, TRUE)))

    assert (found.layers[0].precision, found.layers[0].recall, found.layers[0].recall_interval) == (1.0, None, None)
    assert found.failures is None


def test_the_matrix_counts_a_solution_in_each_of_its_classes() -> None:
    """Caught is whatever the layer flags, right where a finding names the class; false ones are in no column."""
    value = flagged_run("u", "u", "")
    said = Adjudications(
        entries=(entry(value, 0, TRUE, WRONG, SLOW), entry(value, 1, FALSE), entry(value, 2, TRUE, SLOW))
    )

    catch = {c.failure_class: (c.caught, c.right, c.true) for c in scored(value, said).layers[0].catch}

    assert catch == {WRONG: (1, 1, 1), EDGE: (0, 0, 0), INSECURE: (0, 0, 0), TYPE: (0, 0, 0), SLOW: (1, 0, 2)}


def test_where_nobody_said_anything_there_is_no_score() -> None:
    """An empty file is no adjudication."""
    assert score_adjudications(flagged_run("u"), Adjudications()) is None


STRATA = st.integers(0, 60).flatmap(
    lambda size: st.integers(0, size).flatmap(
        lambda ruled: st.integers(0, ruled).map(lambda true: Stratum(size=size, ruled=ruled, true=true))
    )
)


@given(STRATA, STRATA, STRATA)
def test_shares_stay_within_bounds(part: Stratum, one: Stratum, two: Stratum) -> None:
    """0 <= low <= high <= 1, there where the share is; a census leaves nothing to chance."""
    rest = (one, two)
    known, ends = share(part, rest), share_interval(part, rest, draws=50)

    assert (known is None) == (ends is None)
    if known is None or ends is None:
        return
    assert 0 <= known <= 1
    assert 0 <= ends[0] <= ends[1] <= 1
    if all(h.ruled == h.size for h in (part, *rest)):
        assert ends == (known, known)


def test_the_interval_of_recall_covers_as_often_as_it_says() -> None:
    """Of populations with known recall, samples of the unflagged give intervals that hold it in about 95 of 100."""
    import random

    source = random.Random(7)  # noqa: S311 - draws
    flagged = Stratum(size=40, ruled=40, true=30)
    hits = 0
    for _ in range(200):
        unflagged = [True] * 20 + [False] * 180
        seen = source.sample(unflagged, 50)
        ends = share_interval(flagged, (Stratum(size=200, ruled=50, true=sum(seen)),), draws=300)
        hits += ends is not None and ends[0] <= 30 / 50 <= ends[1]

    assert 180 <= hits <= 200


# --- reports --------------------------------------------------------------------------------------


def test_adjudications_are_shown_as_reviewed(golden: Golden) -> None:
    """Text, Markdown and JSON with adjudications are what was reviewed, to the byte."""
    value = flagged_run("u", "u", "up", "p", *[""] * 8)
    said = say(value, (0, TRUE), (1, FALSE), (2, TRUE), (3, UNSURE), (4, TRUE), (5, FALSE), (6, FALSE))
    extra = entry(value, 3, TRUE, FailureClass.NON_DETERMINISM, EDGE)
    card = score(value, said.with_entries([extra, entry(value, 1, UNSURE)]))

    golden("adjudicated.txt", render_text(card))
    golden("adjudicated.md", render_markdown(card))
    golden("adjudicated.json", render_json(card))


@pytest.mark.slow
@given(results(), st.lists(st.sampled_from(Ruling), min_size=5, max_size=5))
def test_any_adjudication_renders_and_adds_up(value: Results, rulings: list[Ruling]) -> None:
    """Counts of parts don't exceed the whole, whoever said what."""
    entries = [
        Adjudication(
            solution=s.solution.id,
            digest=digest_of(s.solution.source),
            ruling=ruling,
            classes=RULED_CLASSES[:2] if ruling is TRUE else (),
        )
        for s, ruling in zip(make_docket(value, sample=9, seed=0).all, rulings, strict=False)
    ]
    card = score(value, Adjudications(entries=tuple(entries)))

    assert render_text(card)
    assert render_markdown(card)
    assert json.loads(render_json(card))
    if card.adjudicated is None:
        assert not entries
        return
    found = card.adjudicated
    assert found.flagged_ruled + found.unflagged_ruled + found.unsure == len(entries)
    assert found.missed <= found.true <= found.flagged_ruled + found.unflagged_ruled
    for layer in found.layers:
        assert 0 <= layer.true <= layer.ruled <= layer.flags
        assert all(0 <= c.right <= c.caught <= c.true for c in layer.catch)
