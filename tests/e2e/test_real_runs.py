"""Runs of real models, over real HTTP, against servers that answer in each provider's format."""

from __future__ import annotations

import json
from decimal import Decimal
from pathlib import Path

import pytest

from codegen_eval.cli.main import run_argv
from codegen_eval.ledger import Ledger, ledger_path
from codegen_eval.results import Results, RunRecord, load_results, load_run_record, run_record_path
from codegen_eval.solution import Outcome
from codegen_eval.verdict import FailureClass
from recorded_model import RecordedModel
from wires import (
    ANTHROPIC,
    BEDROCK,
    OPENAI,
    Drip,
    Dropped,
    Fault,
    Garbage,
    HalfStream,
    Said,
    Silence,
    Status,
    WireServer,
    in_turn,
)
from wires.script import Asked, Script
from wires.server import Format

UNSAFE = ("--sandbox", "subprocess", "--allow-unsafe-sandbox")
WIRES = [("claude", ANTHROPIC), ("openai", OPENAI), ("bedrock", BEDROCK)]
MODEL = "some-model"
CODE = "```python\ndef fizzbuzz(n):\n    return []\n```"
PRICES = f"""
as_of = "2026-11-01"
[models."{MODEL}"]
input = "2.00"
output = "10.00"
cached = "0.10"
"""


@pytest.fixture
def out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Give a place for results, in a working directory of its own with a price table."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "prices.toml").write_text(PRICES)
    return tmp_path / "r.json"


def use(server: WireServer, monkeypatch: pytest.MonkeyPatch) -> None:
    """Have what this process does go to the server."""
    for name, value in server.environment().items():
        monkeypatch.setenv(name, value)


def run(mode: str, out: Path, *options: str) -> int:
    return run_argv(["run", "--mode", mode, "--model", MODEL, *UNSAFE, "--out", str(out), *options])


def small(mode: str, out: Path, *options: str) -> int:
    """Run one task under one strategy, through one layer."""
    layers = () if "--layers" in options else ("--layers", "unit")
    return run(mode, out, "--tasks", "fizzbuzz", "--strategies", "bare", *layers, *options)


def record_of(out: Path) -> RunRecord:
    return load_run_record(run_record_path(out))


def evidence(results: Results) -> list[dict[str, object]]:
    """Return all that must not depend on who answered: sources, outcomes, verdicts, findings, calls and their cost."""
    found = [json.loads(scored.model_dump_json(by_alias=True)) for scored in results.solutions]
    for scored in found:
        del scored["solution"]["model"]
        for call in scored["solution"]["calls"]:
            del call["estimated"]
    return found


@pytest.fixture(scope="module")
def canned(tmp_path_factory: pytest.TempPathFactory) -> list[dict[str, object]]:
    """Give the evidence of the mock run."""
    out = tmp_path_factory.mktemp("mock") / "r.json"
    assert run_argv(["run", "--mock", "--sandbox", "subprocess", "--out", str(out)]) == 0
    return evidence(load_results(out))


@pytest.mark.slow
@pytest.mark.timeout(900)
@pytest.mark.parametrize(("mode", "wire"), WIRES)
def test_recorded_replies_over_the_wire_score_as_the_corpus(
    mode: str, wire: Format, out: Path, canned: list[dict[str, object]], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Fifty calls, forty solutions, the same evidence and the same costs; running again asks nothing."""
    model = RecordedModel()
    with WireServer(wire, model) as server:
        use(server, monkeypatch)
        options = ("--concurrency", "1", "--prices", "prices.toml", "--budget-usd", "5")
        assert run(mode, out, *options) == 0
        assert len(server.calls) == len(server.answered) == model.questions == 50
        assert {asked.temperature for asked in server.calls} == {0}
        results, record = load_results(out), record_of(out)
        first = out.read_bytes()
        assert run(mode, out, *options) == 0
        assert len(server.calls) == 50

    assert evidence(results) == canned
    assert out.read_bytes() == first
    assert (results.models, results.corpus, results.has_truth, results.truth) == ((MODEL,), None, False, {})
    assert {scored.solution.id for scored in results.drafts} == {f"{t}/self-review~draft" for t in results.tasks}
    assert record.deviations == ()
    assert record.attestation is not None
    assert record.spent_now == record.spent_in_all == record.from_scratch
    assert record.spent_now is not None
    assert record.spent_now.calls == 50
    again = record_of(out)
    assert again.spent_now is not None
    assert again.spent_now.calls == 0
    assert again.spent_now.usd == Decimal(0)
    assert again.from_scratch == record.from_scratch


FAULTS: tuple[Said | Fault, ...] = (
    Status(429, retry_after="0"),
    Status(429),
    Status(529),
    Status(500),
    Dropped(),
    Dropped(part=0.5),
    HalfStream(),
    Garbage(),
    Said(text=""),
    Silence(),
    Drip(said=Said(text=CODE)),
)
"""Of twenty, each comes once at least."""


@pytest.mark.slow
@pytest.mark.timeout(900)
@pytest.mark.parametrize(("mode", "wire"), WIRES)
def test_faults_cost_time_and_nothing_else(
    mode: str, wire: Format, out: Path, canned: list[dict[str, object]], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever breaks on the way, forty solutions arrive as without it, and no answer is paid for twice."""
    model = RecordedModel(faults={2 * index: (FAULTS[index % len(FAULTS)],) for index in range(20)})
    with WireServer(wire, model) as server:
        use(server, monkeypatch)
        options = ("--concurrency", "1", "--call-timeout", "2", "--layers", "unit", "--prices", "prices.toml")
        assert run(mode, out, *options) == 0
        assert len(server.calls) == 50 + 20

    assert sum(model.given.values()) == 50
    assert [each["solution"] for each in evidence(load_results(out))] == [each["solution"] for each in canned]


@pytest.mark.slow
@pytest.mark.parametrize(("mode", "wire"), WIRES)
def test_a_refusal_is_an_outcome(mode: str, wire: Format, out: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is charged, asked once, neither passes nor counts as wrong, and the run is a success."""
    with WireServer(wire, in_turn(Said(text="I can't help with that.", stop="refusal"))) as server:
        use(server, monkeypatch)
        assert small(mode, out) == 0
        assert len(server.calls) == 1
    (scored,) = load_results(out).solutions

    assert scored.solution.outcome is Outcome.REFUSED
    assert len(scored.solution.calls) == 1
    assert [finding.failure_class for finding in scored.layers[0].findings] == [FailureClass.NO_ANSWER]


@pytest.mark.slow
def test_every_outcome_is_told_apart(out: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is no answer fails in one layer and is skipped by the others; what does not compile is judged as code."""
    cut = Said(text="```python\ndef f", stop="max_tokens")
    broken = Said(text="```python\ndef fizzbuzz(n):\n    return (\n```")
    script = in_turn(Said(text=CODE), Said(text="No.", stop="refusal"), cut, cut, Said(text="Count to n."), broken)
    with WireServer(ANTHROPIC, script) as server:
        use(server, monkeypatch)
        assert small("claude", out, "--samples", "5", "--concurrency", "1", "--layers", "unit,lint") == 0
        assert len(server.calls) == 6
    told = [
        (
            scored.solution.outcome,
            [result.verdict.value for result in scored.layers],
            {finding.failure_class for result in scored.layers for finding in result.findings},
        )
        for scored in load_results(out).solutions
    ]

    no_answer = (["fail", "skip"], {FailureClass.NO_ANSWER})
    assert told[1:] == [
        (Outcome.REFUSED, *no_answer),
        (Outcome.TRUNCATED, *no_answer),
        (Outcome.NO_CODE, *no_answer),
        (Outcome.SYNTAX_ERROR, ["fail", "fail"], {FailureClass.SYNTAX_ERROR}),
    ]
    assert told[0][:2] == (Outcome.OK, ["fail", "pass"])
    assert FailureClass.NO_ANSWER not in told[0][2]


def test_a_cut_reply_gets_more_room(out: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The second call has twice the limit, and both are in the results."""
    with WireServer(ANTHROPIC, in_turn(Said(text="```python\ndef f", stop="max_tokens"), Said(text=CODE))) as server:
        use(server, monkeypatch)
        assert small("claude", out, "--max-tokens", "500") == 0
        assert [asked.max_tokens for asked in server.calls] == [500, 1000]
    (scored,) = load_results(out).solutions

    assert scored.solution.outcome is Outcome.OK
    assert len(scored.solution.calls) == 2


@pytest.mark.slow
def test_several_models_and_samples_stand_side_by_side(
    out: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Each solution says whose it is; another temperature is recorded as a deviation, and warned of."""

    def script(asked: Asked) -> Said:
        return Said(text=f"```python\ndef fizzbuzz(n):\n    return '{asked.model}'\n```")

    with WireServer(OPENAI, script) as server:
        use(server, monkeypatch)
        argv = ["run", "--mode", "openai", "--model", "a/b:7b", "c", "--samples", "2", "--temperature", "0.8", *UNSAFE]
        what = ["--tasks", "fizzbuzz", "--strategies", "bare", "--layers", "unit"]
        assert run_argv([*argv, *what, "--out", str(out)]) == 0
        assert {asked.temperature for asked in server.calls} == {0.8}
    results, record = load_results(out), record_of(out)

    ids = ["fizzbuzz/bare@a/b:7b", "fizzbuzz/bare@a/b:7b#1", "fizzbuzz/bare@c", "fizzbuzz/bare@c#1"]
    assert [scored.solution.id for scored in results.solutions] == ids
    assert ["'c'" in scored.solution.source for scored in results.solutions] == [False, False, True, True]
    assert results.models == ("a/b:7b", "c")
    assert record.deviations == ("temperature 0.8, where the protocol has 0",)
    assert "temperature 0.8" in capsys.readouterr().err
    assert record.spent_now is not None
    assert (record.spent_now.calls, record.spent_now.usd) == (4, None)


@pytest.mark.slow
@pytest.mark.parametrize(("mode", "wire"), WIRES)
def test_a_refused_key_stops_the_run_at_once(
    mode: str, wire: Format, out: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The provider's word is the message, the key is not in it, nothing is repeated, and nothing is scored."""
    with WireServer(wire, in_turn(Status(401, message="go away"))) as server:
        use(server, monkeypatch)
        assert run(mode, out, "--layers", "unit", "--concurrency", "2") == 2
        assert len(server.calls) <= 4
    told = capsys.readouterr().err

    assert "go away" in told
    assert "sk-test-0123456789abcdef" not in told
    assert not out.exists()


def test_nothing_is_asked_where_code_could_escape(
    out: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The subprocess sandbox is refused for what a model writes, before anything is asked or written."""
    with WireServer(ANTHROPIC, in_turn(Said(text=CODE))) as server:
        use(server, monkeypatch)
        assert run_argv(["run", "--mode", "claude", "--sandbox", "subprocess", "--out", str(out)]) == 2
        assert server.calls == ()

    assert "--allow-unsafe-sandbox" in capsys.readouterr().err
    assert not ledger_path(out).exists()


@pytest.mark.slow
def test_a_budget_stops_before_it_is_exceeded_and_a_resume_goes_on(
    out: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Exit 3 and how to go on; a resume counts what was spent; a larger budget finishes and pays nothing twice."""
    model = RecordedModel()
    with WireServer(ANTHROPIC, model) as server:
        use(server, monkeypatch)
        options = ("--layers", "unit", "--prices", "prices.toml", "--max-tokens", "1000", "--strategies", "bare")
        assert run("claude", out, *options, "--budget-usd", "0.028") == 3
        asked = len(server.calls)
        told = capsys.readouterr().err
        assert run_argv(["run", "--resume", str(out), *UNSAFE, "--budget-usd", "0.02"]) == 3
        assert len(server.calls) == asked
        assert run_argv(["run", "--resume", str(out), *UNSAFE, "--budget-usd", "1"]) == 0
        assert len(server.calls) == len(server.answered) == 10
    record = record_of(out)

    assert 0 < asked < 10
    assert "budget of $0.028 allows no further call" in told
    assert "--resume" in told
    assert record.spent_now is not None
    assert record.spent_in_all is not None
    assert record.spent_now.calls == 10 - asked
    assert record.spent_in_all == record.from_scratch
    assert record.spent_in_all.usd is not None


def test_a_budget_needs_a_price(out: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """Nothing is asked where it can't be known what it costs."""
    with WireServer(OPENAI, in_turn(Said(text=CODE))) as server:
        use(server, monkeypatch)
        assert small("openai", out, "--budget-usd", "1") == 2
        assert server.calls == ()

    assert "price" in capsys.readouterr().err


@pytest.mark.slow
def test_what_was_paid_for_is_used_again_unless_told_otherwise(out: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A new run at the same place asks only what is new; `--fresh` asks all again and leaves the old ledger."""
    script: Script = in_turn(Said(text=CODE))
    with WireServer(ANTHROPIC, script) as server:
        use(server, monkeypatch)
        asked = []
        for options in ((), (), ("--samples", "3"), ("--fresh",)):
            assert small("claude", out, *options) == 0
            asked.append(len(server.calls))

    assert asked == [1, 1, 3, 4]
    with Ledger.resume(out.with_name("r.ledger.old")) as old:
        assert len(list(old.replies())) == 3
