"""Laws of the reports."""

from __future__ import annotations

import json
import re
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from codegen_eval.render import render_json, render_markdown, render_text, to_json
from codegen_eval.render.printable import escape_markdown, printable
from codegen_eval.results import Results
from codegen_eval.scorecard import Scorecard, score
from codegen_eval.solution import Outcome, Strategy
from codegen_eval.verdict import SEEDED_CLASSES, ClaimOutcome, FailureClass, Verdict
from factories import make_call, make_claim, make_layer_result, make_results, make_scored, make_solution
from mock_run import mock_results
from result_strategies import results

Golden = Callable[[str, str], None]
HOSTILE = "[bold]a|b[/bold]\n\x1b[31m`<script>@all ![x](http://evil) \u202e" + "*" * 300


def designed() -> Scorecard:
    return score(mock_results())


def hostile() -> Scorecard:
    """Return a scorecard whose every free string is an attack, with something in every table."""
    layers = ("unit", HOSTILE)
    fail = tuple(make_layer_result(layer=x, verdict=Verdict.FAIL, classes=(FailureClass.FRAGILE_PASS,)) for x in layers)
    error = tuple(make_layer_result(layer=x, verdict=Verdict.ERROR) for x in layers)
    solutions = (
        make_scored(solution=make_solution(id=f"{HOSTILE}1", calls=(make_call(usd=None),)), layers=fail),
        make_scored(solution=make_solution(id=f"{HOSTILE}2", strategy=Strategy.SPEC), layers=error),
    )
    truth = {f"{HOSTILE}2": FailureClass.MISSED_EDGE_CASE}
    return score(make_results(solutions=solutions, layers=layers, truth=truth))


def real() -> Scorecard:
    """Return the scorecard of a run without ground truth."""
    fail = make_layer_result(verdict=Verdict.FAIL, classes=(FailureClass.WRONG_LOGIC, FailureClass.RESOURCE_LIMIT))
    exact = (make_call(estimated=False, usd="0.5"),)
    solutions = (
        make_scored(solution=make_solution(task="a", calls=exact), layers=(fail, make_layer_result(layer="lint"))),
        make_scored(
            solution=make_solution(task="b", strategy=Strategy.SPEC, calls=exact),
            layers=(make_layer_result(), make_layer_result(layer="lint", verdict=Verdict.ERROR)),
        ),
    )
    return score(make_results(solutions=solutions, layers=("unit", "lint")))


def several() -> Scorecard:
    """Return the scorecard of two models with everything that a run of real models can have."""
    models = ("us.anthropic.claude-haiku-4-5-20251001-v1:0", "qwen2.5-coder:7b")
    outcomes = (Outcome.OK, Outcome.OK, Outcome.REFUSED, Outcome.TRUNCATED, Outcome.OK, Outcome.SYNTAX_ERROR)
    reviewed = make_layer_result(
        layer="llm_review",
        verdict=Verdict.FAIL,
        classes=(FailureClass.MISSED_EDGE_CASE, FailureClass.NON_DETERMINISM),
        claims=(
            make_claim(),
            make_claim(outcome=ClaimOutcome.REFUTED),
            make_claim(failure_class=FailureClass.INSECURE_PATTERN, outcome=ClaimOutcome.UNVERIFIABLE),
        ),
        calls=(make_call(usd="0.002", cached_tokens=900),),
    )
    fine = make_layer_result(layer="llm_review", calls=(make_call(usd="0.001"),))
    fail, passes = make_layer_result(verdict=Verdict.FAIL), make_layer_result()
    solutions, drafts = [], []
    for model in models:
        for strategy in (Strategy.BARE, Strategy.SELF_REVIEW):
            for number, outcome in enumerate(outcomes):
                task, sample = f"task{number // 2}", number % 2
                name = f"{task}/{strategy}@{model}" + (f"#{sample}" if sample else "")
                usd = "0.01" if model == models[0] else None
                calls = (make_call(usd=usd, cached_tokens=20, estimated=False),)
                solution = make_solution(
                    id=name, task=task, strategy=strategy, model=model, sample=sample, outcome=outcome, calls=calls
                )
                solutions.append(
                    make_scored(
                        solution=solution, layers=(fail if number % 2 else passes, reviewed if number % 2 else fine)
                    )
                )
                if strategy is Strategy.SELF_REVIEW:
                    first = solution.model_copy(update={"id": f"{name}~draft", "draft_of": name, "calls": ()})
                    drafts.append(make_scored(solution=first, layers=(fail, fine)))
    return score(
        make_results(solutions=tuple(solutions), layers=("unit", "llm_review"), models=models, drafts=tuple(drafts))
    )


CARDS = {"mock": designed, "hostile": hostile, "real": real, "several": several}


@pytest.mark.parametrize("name", CARDS)
def test_reports_are_as_reviewed(name: str, golden: Golden) -> None:
    """Text, Markdown and JSON of three runs are what was reviewed, to the byte."""
    card = CARDS[name]()

    golden(f"{name}.txt", render_text(card))
    golden(f"{name}.md", render_markdown(card))
    golden(f"{name}.json", render_json(card))


def test_the_coloured_and_the_verbose_report_are_as_reviewed(golden: Golden) -> None:
    """Colour adds escape sequences, verbosity adds intervals."""
    golden("mock.ansi", render_text(designed(), colour=True))
    golden("mock.verbose.txt", render_text(designed(), width=120, verbose=True))


@pytest.mark.parametrize("name", CARDS)
def test_colour_only_repeats_what_the_text_says(name: str) -> None:
    """Without its escape sequences the coloured report is the plain one."""
    card = CARDS[name]()
    plain = re.sub(r"\x1b\[[0-9;]*m", "", render_text(card, colour=True))

    assert [line.rstrip() for line in plain.splitlines()] == render_text(card).splitlines()


@pytest.mark.parametrize("width", [40, 60, 80, 200])
@pytest.mark.parametrize("name", CARDS)
def test_no_line_is_wider_than_the_terminal(name: str, width: int) -> None:
    """Tables fold, they don't overflow."""
    lines = render_text(CARDS[name](), width=width).splitlines()

    assert max(map(len, lines)) <= width


@pytest.mark.parametrize("width", [60, 80])
@pytest.mark.parametrize("name", ["mock", "real", "several"])
def test_no_word_of_a_table_is_broken(name: str, width: int) -> None:
    """Words and figures stay whole: what is too wide goes on in a second panel. Only endless words are broken."""
    wide, narrow = (render_text(CARDS[name](), width=columns).split() for columns in (1000, width))
    words = {word for word in wide if len(word) <= 24 and not set(word) <= {"─"}}

    assert words <= set(narrow)


@pytest.mark.parametrize("variable", ["NO_COLOR", "FORCE_COLOR", "COLUMNS"])
def test_the_environment_does_not_reach_the_report(variable: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The caller decides on colour and width; rendering is pure."""
    before = render_text(designed()), render_text(designed(), colour=True)
    monkeypatch.setenv(variable, "20")

    assert (render_text(designed()), render_text(designed(), colour=True)) == before


def test_the_mock_report_says_what_it_is() -> None:
    """The canned corpus is a self-test, and its costs are estimates; a run of a real model claims neither."""
    for text in (render_text(designed()), render_markdown(designed())):
        assert "self-test of the harness, not evidence about models" in text
        assert "estimated" in text
    for text in (render_text(real()), render_markdown(real())):
        assert "self-test" not in text
        assert "estimated" not in text
    assert to_json(designed())["self_test"] is True
    assert to_json(designed())["cost_estimated"] is True


def test_json_has_the_published_keys_and_figures() -> None:
    """The shape is a promise to other programs."""
    data = json.loads(render_json(designed()))

    assert list(data)[:6] == ["seeded", "catch", "false_flags", "cost", "uncaught", "errors"]
    assert data["seeded"]["spec"] == dict(zip([c.value for c in SEEDED_CLASSES], [0, 2, 1, 0, 0], strict=True))
    assert data["catch"]["props"]["missed-edge-case"] == {"caught": 3, "seeded": 4}
    assert data["false_flags"]["lint"] == {"flagged": 0, "clean": 26}
    assert data["cost"]["bare"] == {"usd": 0.011, "caught": 10, "usd_per_caught": 0.0011}
    assert data["cost"]["self-review"] == {"usd": 0.06, "caught": 0, "usd_per_caught": None}
    assert data["uncaught"] == []
    assert data["errors"] == dict.fromkeys(("unit", "props", "mutation", "lint", "llm_review"), 0)
    assert data["skipped_layers"] == ["llm_review"]


def test_what_no_layer_caught_is_named_and_errors_are_counted() -> None:
    """An ERROR on a seeded solution leaves it uncaught, by name."""
    data = to_json(hostile())

    assert data["uncaught"] == [f"{HOSTILE}2"]
    assert data["errors"] == {"unit": 1, HOSTILE: 1}


@pytest.mark.slow
@given(results())
def test_any_results_render(value: Results) -> None:
    """Whatever strings the results hold, reports are printable lines, and JSON is strict ASCII."""
    card = score(value)

    assert all(line.isprintable() for line in render_text(card).split("\n"))
    assert all(line.isprintable() for line in render_markdown(card).split("\n"))
    assert json.loads(render_json(card)) == to_json(card)
    assert render_json(card).isascii()


@pytest.mark.slow
@given(results())
def test_every_markdown_table_keeps_its_columns(value: Results) -> None:
    """No string opens or closes a cell: between blank lines every row has as many bars as the heading."""
    blocks = [b.split("\n") for b in render_markdown(score(value)).strip().split("\n\n") if b.startswith("|")]

    for block in blocks:
        assert len({len(re.findall(r"(?<!\\)(?:\\\\)*\|", line)) for line in block}) == 1


@given(st.text())
def test_printable_is_one_bounded_line(text: str) -> None:
    """No control character, line end or direction mark survives; harmless text is unchanged."""
    shown = printable(text)

    assert shown.isprintable()
    assert len(shown) <= 10 * 200
    if text.isprintable() and len(text) <= 200:
        assert shown == text


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a_b*c", r"a\_b\*c"),
        ("a|b", r"a\|b"),
        ("`x`", r"\`x\`"),
        ("a\\|b", r"a\\\|b"),
        ("<b>&amp;", "&lt;b&gt;&amp;amp;"),
        ("![a](b)", r"!\[a\](b)"),
        ("https://evil", r"https:\//evil"),
        ("WWW.evil", r"WWW\.evil"),
        ("# head", r"\# head"),
        ("- item", r"\- item"),
        ("12. item", r"12\. item"),
        ("0.5", "0.5"),
        ("    code", "code"),
        ("a\nb", r"a\\nb"),
        ("plain - text (1).", "plain - text (1)."),
    ],
)
def test_markdown_shows_the_text_and_nothing_else(text: str, expected: str) -> None:
    """Each piece of syntax is escaped; plain text stays readable."""
    assert escape_markdown(text) == expected


def test_a_mention_notifies_nobody() -> None:
    """An at sign doesn't reach a name."""
    assert escape_markdown("@all") == "@&#8203;all"
