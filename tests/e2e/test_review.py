"""A reviewer over real HTTP: a local server with Anthropic's format reviews the canned corpus in real sandboxes."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from decimal import Decimal
from pathlib import Path

import pytest

from codegen_eval.cli.main import run_argv
from codegen_eval.ledger import Ledger, ledger_path
from codegen_eval.results import Results, load_results
from codegen_eval.verdict import ClaimOutcome, Verdict
from wires import ANTHROPIC, WireServer
from wires.script import Asked, Fault, Said, Status

CONFIRMED, REFUTED, UNVERIFIABLE = ClaimOutcome.CONFIRMED, ClaimOutcome.REFUTED, ClaimOutcome.UNVERIFIABLE
MODEL = "claude-haiku-4-5"
TASKS = "binary_search,fizzbuzz,safe_calc"


def claim(call: str | None, failure_class: str = "wrong-logic", cwe: int | None = None) -> dict[str, object]:
    """Return a claim as a model writes it."""
    return {"class": failure_class, "summary": f"it fails on {call}", "call": call, "files": [], "cwe": cwe}


CLAIMS: Mapping[str, list[dict[str, object]]] = {
    "binary_search": [claim("binary_search([1, 3, 5, 7, 9], 9)"), claim("binary_search([9, 1], 1)")],
    "fizzbuzz": [claim("fizzbuzz(n=15)"), claim("fizzbuzz('15')", "silent-type-error"), claim(None)],
    "safe_calc": [claim("safe_calc('2**3')", "insecure-pattern"), claim(None, "insecure-pattern", 94)],
}
"""What the reviewer says of every solution of a task, whether it is so or not."""


def task_of(asked: Asked) -> str:
    """Return the entry point of the task that a prompt shows."""
    found = re.search(r"^def (\w+)\(", asked.prompt, re.MULTILINE)
    assert found is not None
    return found[1]


def reviewer(asked: Asked) -> Said | Fault:
    """Claim the same of every solution of a task."""
    return Said(tool=json.dumps({"claims": CLAIMS[task_of(asked)]}), input_tokens=1000, output_tokens=100)


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[WireServer]:
    """Give a server that reviews, and an environment that points at it."""
    with WireServer(ANTHROPIC, reviewer) as opened:
        for name, value in opened.environment().items():
            monkeypatch.setenv(name, value)
        yield opened


def run(out: Path, *options: str) -> int:
    """Run the canned corpus."""
    return run_argv(["run", "--mock", "--sandbox", "subprocess", "--tasks", TASKS, "--out", str(out), *options])


def outcomes(results: Results) -> dict[str, list[ClaimOutcome]]:
    """Return what came of the claims about each solution."""
    return {s.solution.id: [claim.outcome for claim in s.result("llm_review").claims] for s in results.solutions}


@pytest.mark.slow
def test_claims_are_confirmed_refuted_and_unverifiable(tmp_path: Path, server: WireServer) -> None:
    """Claims hold of the seeded solutions, are refuted on the others, and show nothing where they name no such call."""
    assert run(tmp_path / "r.json", "--reviewer", f"claude:{MODEL}") == 0

    results = load_results(tmp_path / "r.json")
    found = outcomes(results)
    assert found["binary_search/bare"] == [CONFIRMED, UNVERIFIABLE]
    assert found["binary_search/test-first"] == [REFUTED, UNVERIFIABLE]
    assert found["fizzbuzz/bare"] == [CONFIRMED, UNVERIFIABLE, UNVERIFIABLE]
    assert found["fizzbuzz/spec"] == [REFUTED, UNVERIFIABLE, UNVERIFIABLE]
    assert found["safe_calc/bare"] == found["safe_calc/test-first"] == [CONFIRMED, CONFIRMED]
    assert found["safe_calc/self-review"] == [REFUTED, UNVERIFIABLE]
    verdicts = {s.solution.id: s.result("llm_review").verdict for s in results.solutions}
    assert all((verdicts[name] is Verdict.FAIL) == (CONFIRMED in found[name]) for name in found)
    assert not any(verdicts[name] is Verdict.FAIL for name in found if name not in results.truth)
    assert {asked.tool for asked in server.calls} == {"report_claims"}


@pytest.mark.slow
def test_reviews_are_paid_once_and_by_the_layer(tmp_path: Path, server: WireServer) -> None:
    """Each text is asked about once, all calls have their price, and another run with the ledger pays nothing."""
    options = ["--reviewer", f"claude:{MODEL}", "--layers", "unit,llm_review"]
    assert run(tmp_path / "r.json", *options) == 0
    before = (tmp_path / "r.json").read_bytes()
    results = load_results(tmp_path / "r.json")
    texts = {s.solution.source for s in results.solutions}

    assert len(server.calls) == len(texts)
    for scored in results.solutions:
        (call,) = scored.result("llm_review").calls
        assert (call.input_tokens, call.output_tokens, call.usd) == (1000, 100, Decimal("0.0015"))

    assert run_argv(["run", "--resume", str(tmp_path / "r.json"), "--sandbox", "subprocess"]) == 0
    assert run(tmp_path / "r.json", *options) == 0
    assert (tmp_path / "r.json").read_bytes() == before
    assert len(server.calls) == len(texts)


@pytest.mark.slow
def test_a_refused_key_stops_the_run_and_a_resume_goes_on(
    tmp_path: Path, server: WireServer, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Exit 2, no results, and nothing lost: the resume, with the right key, gives the bytes of an undisturbed run."""
    options = ["--reviewer", f"claude:{MODEL}", "--layers", "unit,llm_review"]
    assert run(tmp_path / "whole.json", *options) == 0
    paid = len(server.calls)
    key = server.environment()["ANTHROPIC_API_KEY"]
    monkeypatch.setenv("ANTHROPIC_API_KEY", "wrong")

    assert run(tmp_path / "cut.json", *options) == 2
    assert not (tmp_path / "cut.json").exists()
    assert "refuses access" in capsys.readouterr().err
    assert len(server.calls) == paid

    monkeypatch.setenv("ANTHROPIC_API_KEY", key)
    assert run_argv(["run", "--resume", str(tmp_path / "cut.json"), "--sandbox", "subprocess"]) == 0
    assert (tmp_path / "cut.json").read_bytes() == (tmp_path / "whole.json").read_bytes()
    assert len(server.calls) == 2 * paid


def test_a_reviewer_without_a_form_is_an_error_and_nothing_is_lost(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Prose instead of the tool, twice: ERROR of this layer alone, paid for and told; a resume asks nothing again."""
    with WireServer(ANTHROPIC, lambda _: Said(text="Looks right to me.")) as opened:
        for name, value in opened.environment().items():
            monkeypatch.setenv(name, value)
        out = tmp_path / "r.json"

        assert run(out, "--reviewer", f"claude:{MODEL}", "--layers", "unit,llm_review", "--strategies", "bare") == 3
        first = out.read_bytes()
        asked = len(opened.calls)
        assert run_argv(["run", "--resume", str(out), "--sandbox", "subprocess"]) == 3

    assert asked == len(opened.calls) == 6
    assert out.read_bytes() == first
    for scored in load_results(out).solutions:
        review = scored.result("llm_review")
        assert (review.verdict, len(review.calls)) == (Verdict.ERROR, 2)
        assert scored.result("unit").verdict is Verdict.FAIL


def test_without_a_reviewer_nothing_is_asked(tmp_path: Path, server: WireServer) -> None:
    """The layer is skipped, and the ledger says so."""
    assert run(tmp_path / "r.json", "--layers", "unit,llm_review", "--tasks", "fizzbuzz") == 0

    reviews = [s.result("llm_review") for s in load_results(tmp_path / "r.json").solutions]
    assert {(review.verdict, review.reason) for review in reviews} == {(Verdict.SKIP, "no reviewer is configured")}
    assert server.calls == ()
    with Ledger.resume(ledger_path(tmp_path / "r.json")) as ledger:
        assert ledger.parameters["reviewer"] is None


def test_check_reviews_files_of_the_user(
    tmp_path: Path, server: WireServer, capsys: pytest.CaptureFixture[str]
) -> None:
    """The claims are shown with what came of them; under `never` they decide nothing."""
    path = tmp_path / "mine.py"
    path.write_text("def fizzbuzz(n):\n    return []\n")
    argv = ["check", "fizzbuzz", str(path), "--sandbox", "subprocess", "--allow-unsafe-sandbox"]
    options = ["--layers", "llm_review", "--reviewer", f"claude:{MODEL}"]

    assert run_argv([*argv, *options]) == 1
    shown = capsys.readouterr().out
    assert run_argv([*argv, *options, "--review-policy", "never"]) == 3  # no layer passed it
    assert "~ confirmed [wrong-logic] it fails on fizzbuzz(n=15); fizzbuzz(n=15) (returned another" in shown
    assert "reported only" in capsys.readouterr().out
    assert Counter(map(task_of, server.calls)) == {"fizzbuzz": 2}


@pytest.mark.parametrize(
    "options", [["--reviewer", "nobody"], ["--reviewer", "mock:mock"], ["--reviewer", "x:y"], ["--review-policy", "x"]]
)
def test_a_wrong_reviewer_is_refused_before_anything_is_done(
    tmp_path: Path, server: WireServer, options: list[str]
) -> None:
    """Exit 2, and no file."""
    assert run(tmp_path / "r.json", *options) == 2

    assert list(tmp_path.iterdir()) == []
    assert server.calls == ()


@pytest.mark.slow
def test_an_overloaded_reviewer_is_asked_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A 529 costs patience and no review."""
    refused: set[str] = set()

    def script(asked: Asked) -> Said | Fault:
        if asked.prompt not in refused:
            refused.add(asked.prompt)
            return Status(529, retry_after="0")
        return reviewer(asked)

    with WireServer(ANTHROPIC, script) as opened:
        for name, value in opened.environment().items():
            monkeypatch.setenv(name, value)
        options = ["--layers", "llm_review", "--reviewer", f"claude:{MODEL}", "--tasks", "fizzbuzz"]
        assert run(tmp_path / "r.json", *options) == 0

    assert len(opened.answered) * 2 == len(opened.calls)
    assert {s.result("llm_review").verdict for s in load_results(tmp_path / "r.json").solutions} == {
        Verdict.PASS,
        Verdict.FAIL,
    }
