"""Laws of comparing two runs, and of the gate that follows from it."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from codegen_eval.cli.main import run_argv
from codegen_eval.comparison import Bar, Comparison, compare, lacking, regressions, stand
from codegen_eval.errors import InputError
from codegen_eval.render import render_json, render_markdown, render_text, to_json
from codegen_eval.results import Fact, Results, RunRecord, dump, run_record_path
from codegen_eval.scorecard import score
from codegen_eval.solution import Outcome, Strategy
from codegen_eval.verdict import Verdict
from factories import make_layer_result, make_results, make_scored, make_solution
from result_strategies import results

Golden = Callable[[str, str], None]
P, F, E = Verdict.PASS, Verdict.FAIL, Verdict.ERROR
NOTHING_ASKED = Bar()


def run(*verdicts: Verdict, model: str = "m", samples: int = 1, strategy: Strategy = Strategy.BARE) -> Results:
    """Return a run of so many tasks, or of fewer with several samples each."""
    scored = tuple(
        make_scored(
            solution=make_solution(
                task=f"t{n // samples:02}",
                sample=n % samples,
                model=model,
                strategy=strategy,
            ),
            layers=(make_layer_result(verdict=verdict),),
        )
        for n, verdict in enumerate(verdicts)
    )
    return make_results(solutions=scored)


def together(*runs: Results) -> Results:
    """Return one run of several models."""
    scored = tuple(
        s.model_copy(update={"solution": s.solution.model_copy(update={"id": f"{s.solution.id}@{s.solution.model}"})})
        for each in runs
        for s in each.solutions
    )
    return make_results(solutions=scored)


def told(before: Results, after: Results, bar: Bar = NOTHING_ASKED) -> tuple[str, ...]:
    return regressions(compare(before, after), bar)


def test_what_changed_is_counted_and_named() -> None:
    """Better, worse and unchanged pairs are told apart; ids are those of the later run."""
    found = compare(run(P, P, F, F), run(P, F, P, F))

    (change,) = found.overall
    assert (change.pairs, change.before, change.after, change.better, change.worse) == (4, 0.5, 0.5, 1, 1)
    assert (found.got_worse, found.got_better) == (("t01/bare",), ("t02/bare",))
    assert change.p_value == 1.0


@pytest.mark.slow
@given(results())
def test_a_run_is_no_regression_from_itself(value: Results) -> None:
    """Nothing changed, whatever the results hold; a model of which nothing was judged is told, and nothing else."""
    if not value.solutions:
        return
    found = compare(value, value)

    assert found.got_worse == found.got_better == ()
    assert all(x.difference == 0 and x.better == x.worse == 0 for x in found.overall)
    assert len(regressions(found, NOTHING_ASKED)) == sum(not x.pairs for x in found.overall)


@given(st.lists(st.tuples(st.sampled_from([P, F, E]), st.sampled_from([P, F, E])), min_size=1, max_size=12))
def test_swapping_the_runs_swaps_better_and_worse(pairs: list[tuple[Verdict, Verdict]]) -> None:
    """The comparison has no favourite."""
    one, two = run(*(a for a, _ in pairs)), run(*(b for _, b in pairs))
    there, back = compare(one, two), compare(two, one)

    assert (there.got_worse, there.got_better) == (back.got_better, back.got_worse)
    assert there.overall[0].difference == -back.overall[0].difference
    assert there.overall[0].p_value == back.overall[0].p_value
    assert there.undecided == back.undecided == sum(E in pair for pair in pairs)


def test_an_error_of_ours_is_no_regression() -> None:
    """A pair with ERROR on either side is left out and counted."""
    found = compare(run(P, E, P), run(E, F, P))

    assert (found.overall[0].pairs, found.overall[0].worse, found.undecided) == (1, 0, 2)


def test_an_answer_without_usable_code_does_not_pass() -> None:
    """A refusal is worse than a pass, whatever the layers say of nothing."""
    refused = make_results(
        solutions=(make_scored(solution=make_solution(task="t00", model="m", outcome=Outcome.REFUSED)),)
    )

    assert compare(run(P), refused).overall[0].worse == 1
    assert lacking(refused, Bar(fail_under=1)) == ("m: 0 of 1 (0.0%) pass, less than 1%",)


@pytest.mark.parametrize(("worse", "better", "regressed"), [(5, 0, False), (6, 0, True), (8, 1, True), (7, 1, False)])
def test_a_regression_is_a_significant_fall(worse: int, better: int, regressed: bool) -> None:  # noqa: FBT001
    """Five of five that got worse may be chance (p = 0.0625); six of six are not (p = 0.03125)."""
    same = [P] * 20
    before = run(*same, *[P] * worse, *[F] * better)
    after = run(*same, *[F] * worse, *[P] * better)

    assert bool(told(before, after)) is regressed
    assert told(after, before) == ()


@pytest.mark.parametrize(("points", "regressed"), [(0, True), (9.9, True), (10, False), (100, False)])
def test_max_regression_is_in_points_and_needs_no_significance(points: float, regressed: bool) -> None:  # noqa: FBT001
    """One of ten is a fall of ten points: allowed where so many are, and not where fewer."""
    before, after = run(*[P] * 10), run(*[P] * 9, F)

    assert bool(told(before, after, Bar(max_regression=points))) is regressed


def test_several_models_are_several_tests() -> None:
    """A p-value of 0.03 is a regression of one model, not of one among two (Holm); each is named for itself."""
    fell, stayed = [P] * 6, [P] * 6
    one = told(run(*fell), run(*[F] * 6))
    two = told(
        together(run(*fell, model="a"), run(*stayed, model="b")),
        together(run(*[F] * 6, model="a"), run(*stayed, model="b")),
    )
    far = told(
        together(run(*[P] * 12, model="a"), run(*stayed, model="b")),
        together(run(*[F] * 12, model="a"), run(*stayed, model="b")),
    )

    assert (len(one), len(two)) == (1, 0)
    assert len(far) == 1
    assert far[0].startswith("a: the pass rate fell from 100.0% to 0.0%")


def test_samples_of_one_answer_are_one_pair() -> None:
    """Ten samples of one task that all got worse are one observation, not ten."""
    found = compare(run(*[P] * 10, samples=10), run(*[F] * 10, samples=10))
    part = compare(run(P, P, P, F, samples=2), run(P, F, P, F, samples=2))

    assert (found.overall[0].pairs, found.overall[0].worse, found.overall[0].p_value) == (1, 1, 1.0)
    assert (part.overall[0].before, part.overall[0].after, part.overall[0].worse) == (0.75, 0.5, 1)


def test_different_numbers_of_samples_are_compared_as_rates() -> None:
    """Two of three is better than one of two, exactly; two of four is no change."""
    assert compare(run(P, F, samples=2), run(P, P, F, samples=3)).overall[0].better == 1
    assert compare(run(P, F, samples=2), run(P, P, F, F, samples=4)).overall[0].better == 0


def test_runs_of_one_model_each_are_compared_across_models() -> None:
    """A new model is compared with the old one by task and strategy, under its own name."""
    found = compare(run(P, F, model="old"), run(P, P, model="new"))

    assert [(x.model, x.pairs, x.better) for x in found.overall] == [("new", 2, 1)]


def test_only_layers_that_both_runs_have_decide() -> None:
    """A layer that came later can't make a regression."""
    before = run(P)
    more = (make_layer_result(), make_layer_result(layer="lint", verdict=F))
    after = make_results(
        solutions=(make_scored(solution=make_solution(task="t00", model="m"), layers=more),), layers=("unit", "lint")
    )

    found = compare(before, after)

    assert (found.layers, found.overall[0].worse) == (("unit",), 0)


@pytest.mark.parametrize("other", [run(P, strategy=Strategy.SPEC), make_results(layers=("lint",))])
def test_runs_with_nothing_in_common_are_refused(other: Results) -> None:
    """A gate that compares nothing with nothing must not open."""
    with pytest.raises(InputError, match="in common"):
        compare(other, run(P))


def test_a_run_in_which_everything_broke_does_not_get_through() -> None:
    """No judged pair is no evidence of no regression; no judged solution is below every bar."""
    broken = run(E, E)

    assert told(run(P, P), broken) == ("m: no answer was judged in both runs",)
    assert told(run(P, P), broken, Bar(max_regression=100)) == ("m: no answer was judged in both runs",)
    assert lacking(broken, Bar(fail_under=0)) == ("m: nothing was judged",)
    assert lacking(make_results(), Bar(fail_under=0)) == ("there are no solutions",)


@pytest.mark.parametrize(("percent", "below"), [(75, False), (75.1, True), (0, False)])
def test_fail_under_is_a_least_pass_rate(percent: float, below: bool) -> None:  # noqa: FBT001
    """Three of four is 75 percent; errors of ours are not counted."""
    assert bool(lacking(run(P, P, P, F, E), Bar(fail_under=percent))) is below


def test_tasks_that_have_changed_are_left_out() -> None:
    """A harder task is no regression of the model."""
    found = compare(run(P, P), run(F, P), changed=["t00", "unknown"])

    assert (found.overall[0].pairs, found.got_worse, found.changed) == (1, (), ("t00",))


def test_what_has_no_counterpart_is_counted() -> None:
    """Solutions of one run only are told by number."""
    found = compare(run(P, P, P), run(P))

    assert (found.only_before, found.only_after) == (2, 0)
    assert compare(run(P), run(P, P, P)).only_after == 2


# --- reports and the command -----------------------------------------------------------------------------------------


def fallen() -> tuple[Results, Results]:
    """Return two runs of two models, the later worse, with a hostile name."""
    hostile = "b|\x1b[31m`<script>"
    before = together(run(*[P] * 9, F, model="a"), run(*[P] * 3, F, E, model=hostile))
    after = together(run(*[F] * 9, P, model="a"), run(*[P] * 4, P, model=hostile))
    return before, after


def test_comparisons_are_shown_as_reviewed(golden: Golden) -> None:
    """Text, Markdown and JSON of a comparison are what was reviewed, to the byte."""
    before, after = fallen()
    standing, card = stand(after, before, Bar(fail_under=50)), score(after)

    golden("compared.txt", render_text(card, standing))
    golden("compared.md", render_markdown(card, standing))
    golden("compared.json", render_json(card, standing))


@pytest.mark.slow
@given(results(), results())
def test_any_two_runs_render(one: Results, two: Results) -> None:
    """Whatever strings the two hold, their comparison is printable lines, or refused."""
    try:
        standing = stand(two, one, Bar(fail_under=50))
    except InputError:
        return
    card = score(two)

    assert all(line.isprintable() for line in render_text(card, standing).split("\n"))
    assert all(line.isprintable() for line in render_markdown(card, standing).split("\n"))
    assert json.loads(render_json(card, standing)) == to_json(card, standing)


def write(folder: Path, name: str, value: Results, digests: Sequence[tuple[str, str]] = ()) -> str:
    """Write results and the record beside them; return the path."""
    path = folder / name
    path.write_bytes(dump(value))
    now = datetime(2026, 1, 2, tzinfo=UTC)
    record = RunRecord(started=now, finished=now, datasets=tuple(Fact(name=n, value=v) for n, v in digests))
    run_record_path(path).write_bytes(dump(record))
    return str(path)


def test_the_command_compares_and_its_exit_code_is_the_gate(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """0 where nothing fell, 1 where a model got worse, with the reason on standard error and in the report."""
    good, bad = write(tmp_path, "good.json", run(*[P] * 8)), write(tmp_path, "bad.json", run(*[F] * 8))

    assert run_argv(["report", good, "--against", good, "--json"]) == 0
    data = json.loads(capsys.readouterr().out)
    assert (data["complaints"], data["comparison"]["overall"][0]["pairs"]) == ([], 8)

    assert run_argv(["report", bad, "--against", good, "--format", "markdown"]) == 1
    shown = capsys.readouterr()
    assert "below what was asked: m: the pass rate fell from 100.0% to 0.0%" in shown.err
    assert "the pass rate fell from 100.0% to 0.0%" in shown.out

    assert run_argv(["report", bad, "--against", good, "--max-regression", "100"]) == 0
    assert run_argv(["report", good, "--fail-under", "100"]) == 0
    assert run_argv(["report", bad, "--fail-under", "1"]) == 1


def test_the_command_leaves_out_tasks_whose_digests_differ(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """What the records beside the results say of the tasks is believed."""
    before = write(tmp_path, "a.json", run(P, P), [("t00", "old"), ("t01", "same")])
    after = write(tmp_path, "b.json", run(F, P), [("t00", "new"), ("t01", "same")])

    assert run_argv(["report", after, "--against", before, "--max-regression", "0", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["comparison"]["changed_tasks"] == ["t00"]


def test_the_command_says_in_what_else_two_runs_differ(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Models, layers and what the records tell, in the report and on standard error; between equal runs nothing."""
    now = datetime(2026, 1, 2, tzinfo=UTC)

    def record(path: str, version: str, **parameters: str) -> None:
        facts = tuple(Fact(name=name, value=value) for name, value in sorted(parameters.items()))
        versions = (Fact(name="codegen-eval", value=version),)
        value = RunRecord(started=now, finished=now, parameters=facts, versions=versions)
        run_record_path(Path(path)).write_bytes(dump(value))

    before, after = write(tmp_path, "a.json", run(P, P)), write(tmp_path, "b.json", run(P, P, model="other"))
    record(before, "1.0", temperature="0.0", samples="1", jobs="1", dataset_sha256="None")
    record(after, "1.1", temperature="0.8", samples="1", jobs="2", dataset_sha256="ab")

    assert run_argv(["report", after, "--against", before, "--json"]) == 0
    shown = capsys.readouterr()
    told = [
        "model: m before, other now",
        "temperature: 0.0 before, 0.8 now",
        "file of the problem set: none before, ab now",
        "version of codegen-eval: 1.0 before, 1.1 now",
    ]
    assert json.loads(shown.out)["comparison"]["differences"] == told
    assert shown.err == "".join(f"warning: not as in the earlier run: {each}\n" for each in told)
    assert run_argv(["report", after, "--against", before]) == 0
    assert "model: m before, other now" in " ".join(capsys.readouterr().out.split())
    assert run_argv(["report", after, "--against", after]) == 0
    assert capsys.readouterr().err == ""


def test_a_bar_for_regressions_needs_an_earlier_run(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Exit 2 and what is missing; the same for a baseline that is no results file."""
    path = write(tmp_path, "a.json", run(P))

    assert run_argv(["report", path, "--max-regression", "1"]) == 2
    assert "`--against`" in capsys.readouterr().err
    assert run_argv(["report", path, "--against", str(tmp_path / "missing.json")]) == 2


def test_one_pair_more_changes_one_count() -> None:
    """The whole is the sum of the strategies."""
    found: Comparison = compare(run(P, F), run(F, F))

    assert sum(x.pairs for x in found.by_strategy) == sum(x.pairs for x in found.overall)
    assert [(x.strategy, x.worse) for x in found.by_strategy] == [("bare", 1)]
