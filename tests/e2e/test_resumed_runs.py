"""What a resume keeps of the session before: where calls go and what they may cost; and what it can cure."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path

import pytest

from codegen_eval.cli.main import run_argv
from codegen_eval.ledger import ledger_path
from codegen_eval.models import Reply
from codegen_eval.results import Spending, load_run_record, run_record_path
from codegen_eval.run_record import values_of
from wires import ANTHROPIC, Fault, Said, Status, WireServer, in_turn
from wires.openai_format import OpenAIFormat
from wires.script import Asked

LOCAL = OpenAIFormat(key=None)
UNSAFE = ("--sandbox", "subprocess", "--allow-unsafe-sandbox")
CODE = Said(text="```python\ndef fizzbuzz(n):\n    return []\n```", input_tokens=1000, output_tokens=100)
PRICES = 'as_of = "2026-11-01"\n[models.m]\ninput = "1"\noutput = "1"\ncached = "1"\n'
ASKED = ("--tasks", "fizzbuzz", "--strategies", "bare", "--layers", "unit", "--concurrency", "1", "--samples", "3")
EMPTY = ("OPENAI_BASE_URL", "OPENAI_API_KEY", "ANTHROPIC_BASE_URL")


@pytest.fixture
def out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Give a place for results, in a working directory of its own with a price table."""
    monkeypatch.chdir(tmp_path)
    for name in EMPTY:
        monkeypatch.delenv(name, raising=False)
    (tmp_path / "prices.toml").write_text(PRICES)
    return tmp_path / "r.json"


def run(out: Path, *options: str) -> int:
    return run_argv(["run", "--mode", "openai", "--model", "m", *UNSAFE, *ASKED, "--out", str(out), *options])


def resume(out: Path, *options: str) -> int:
    return run_argv(["run", "--resume", str(out), *UNSAFE, *options])


def broken_at(number: int) -> WireServer:
    """Return a server whose how-many-th answer is a refused key."""
    return WireServer(LOCAL, lambda asked: Status(401) if asked.number == number else CODE)


def parameters(out: Path) -> dict[str, str]:
    return values_of(load_run_record(run_record_path(out)).parameters)


@pytest.mark.slow
def test_a_resume_keeps_the_budget(out: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """What the hint says is followed and stops at the same sum; `none` lifts it."""
    with WireServer(LOCAL, in_turn(CODE)) as server:
        address = ("--base-url", f"{server.url}/v1", "--prices", "prices.toml", "--max-tokens", "1000")
        assert run(out, *address, "--budget-usd", "0.006") == 3
        told = capsys.readouterr().err.rpartition("hint: ")[2]
        paid = len(server.calls)
        assert resume(out) == 3
        assert len(server.calls) == paid
        assert "budget of $0.006 allows no further call" in capsys.readouterr().err
        assert resume(out, "--budget-usd", "none") == 0

    assert told == f"`evalrun run --resume {out} --budget-usd SUM` goes on with this run, if the sum is larger\n"
    assert paid < len(server.calls) == 3
    assert "budget_usd" not in parameters(out)


@pytest.mark.slow
def test_a_resume_asks_where_the_run_did(out: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The address that an option named is kept, whatever the environment says; one that is given anew is used."""
    with broken_at(2) as first, broken_at(2) as second, WireServer(LOCAL, in_turn(CODE)) as stranger:
        monkeypatch.setenv("OPENAI_BASE_URL", f"{stranger.url}/v1")
        assert run(out, "--base-url", f"{first.url}/v1") == 2
        assert resume(out, "--base-url", f"{second.url}/v1") == 2
        assert resume(out) == 0
        assert [len(server.calls) for server in (first, second, stranger)] == [2, 3, 0]

    assert parameters(out)["address"] == parameters(out)["base_url"] == f"{second.url}/v1"


@pytest.mark.slow
def test_a_resume_does_not_go_elsewhere_unasked(
    out: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Where the environment has changed it is refused, with both addresses, until an option names one of them."""
    with broken_at(2) as first, WireServer(LOCAL, in_turn(CODE)) as second:
        monkeypatch.setenv("OPENAI_BASE_URL", f"{first.url}/v1")
        assert run(out) == 2
        monkeypatch.setenv("OPENAI_BASE_URL", f"{second.url}/v1")
        capsys.readouterr()
        assert resume(out) == 2
        told = capsys.readouterr().err
        assert len(second.calls) == 0
        assert resume(out, "--base-url", f"{second.url}/v1") == 0
        assert len(second.calls) == 2

    assert first.url in told
    assert second.url in told
    assert "`--base-url`" in told


@pytest.mark.slow
def test_credentials_in_an_address_are_not_kept(out: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A resume asks for them again, and neither ledger nor record holds them."""
    with broken_at(2) as server:
        address = f"{server.url}/v1".replace("://", "://me:swordfish@")
        assert run(out, "--base-url", address) == 2
        kept = ledger_path(out).read_bytes()
        capsys.readouterr()
        assert resume(out) == 2
        assert "give `--base-url` again" in capsys.readouterr().err
        assert resume(out, "--base-url", address) == 0

    assert b"swordfish" not in kept + run_record_path(out).read_bytes()
    assert parameters(out)["address"] == f"{server.url}/v1"


@pytest.mark.slow
@pytest.mark.parametrize("refused", [Status(400, message="no temperature is taken"), Status(404, message="no model m")])
def test_what_a_resume_cannot_cure_is_not_to_be_resumed(
    refused: Status, out: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Where the request is refused, the hint is the same command with the change; what was paid for is kept by it."""
    script = in_turn(CODE, refused, CODE)
    with WireServer(LOCAL, script) as server:
        address = ("--base-url", f"{server.url}/v1")
        assert run(out, *address) == 2
        told = capsys.readouterr().err
        assert run(out, *address) == 0
        assert len(server.calls) == 4

    assert "--resume" not in told
    assert "same `--out`" in told


@pytest.mark.slow
def test_a_wrong_path_is_told_from_a_wrong_model(out: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The hint is about the address, and how this provider's is written; a resume with another one goes on."""
    with WireServer(LOCAL, in_turn(CODE)) as server:
        assert run(out, "--base-url", server.url) == 2
        told = capsys.readouterr().err
        assert resume(out, "--base-url", f"{server.url}/v1") == 0

    assert f"has nothing at `{server.url}`" in told
    assert "with `/v1`" in told
    assert "`--model`" not in told
    assert f"--resume {out}" in told


@pytest.mark.parametrize("command", ["run", "check"])
def test_a_reviewer_gets_no_temperature_unasked(command: str, out: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A model that takes none can review; `--reviewer-temperature` sends one."""

    def review(_asked: Asked) -> Said | Fault:
        return Said(tool='{"claims": []}')

    (out.parent / "mine.py").write_text("def fizzbuzz(n):\n    return []\n")
    what = {
        "run": [
            "run",
            "--mock",
            "--tasks",
            "fizzbuzz",
            "--strategies",
            "bare",
            "--out",
            str(out),
            "--sandbox",
            "subprocess",
        ],
        "check": ["check", "fizzbuzz", "mine.py", *UNSAFE],
    }[command]
    with WireServer(ANTHROPIC, review) as server:
        for name, value in server.environment().items():
            monkeypatch.setenv(name, value)
        assert run_argv([*what, "--layers", "llm_review", "--reviewer", "claude:c"]) == 0
        assert run_argv([*what, "--layers", "llm_review", "--reviewer", "claude:c", "--reviewer-temperature", "0"]) == 0
        assert [asked.temperature for asked in server.calls] == [None, 0]


@pytest.mark.slow
def test_empty_replies_are_in_what_was_spent(out: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """In this session's sum and in the run's, as far as they were counted; not in what the results rest on."""
    empty = Said(text="", input_tokens=500, output_tokens=1)
    with WireServer(LOCAL, in_turn(empty, CODE)) as server:
        assert run(out, "--base-url", f"{server.url}/v1", "--prices", "prices.toml") == 0
    record = load_run_record(run_record_path(out))

    assert record.spent_now == record.spent_in_all
    assert record.spent_now is not None
    assert record.from_scratch is not None
    assert (record.spent_now.calls, record.from_scratch.calls) == (4, 3)
    assert record.spent_now.usd == Decimal("0.003801")
    assert record.from_scratch.usd == Decimal("0.0033")
    assert "spent now: $0.0038 for 4 calls" in capsys.readouterr().err
    assert "openai" in values_of(record.versions)


def test_a_sum_with_an_unknown_price_is_at_least_the_known_ones() -> None:
    """Whichever comes first, and nothing is made of two unknown ones."""
    reply = Reply(text="", input_tokens=1, output_tokens=1, estimated=False)
    known, unknown = Spending.of(reply, Decimal("0.5")), Spending.of(reply, None)

    for total in (known + unknown, unknown + known):
        assert (total.usd, total.at_least_usd) == (None, Decimal("0.5"))
    assert (unknown + unknown).at_least_usd == 0


def test_a_reviewer_that_declines_is_told_with_its_reason(
    out: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """On standard error, once, with the number of solutions."""
    with WireServer(ANTHROPIC, in_turn(Said(text="No.", stop="refusal"))) as server:
        for name, value in server.environment().items():
            monkeypatch.setenv(name, value)
        what = ("--tasks", "fizzbuzz", "--strategies", "bare", "--layers", "llm_review", "--reviewer", "claude:c")
        assert run_argv(["run", "--mock", "--sandbox", "subprocess", *what, "--out", str(out)]) == 3

    assert "no verdict of llm_review on 1 solution: the reviewer declined to review it" in capsys.readouterr().err


@pytest.mark.parametrize("name", ["x" * 300 + ".json", "prices.toml/r.json", "r\0.json"])
def test_a_place_that_cannot_be_is_the_users_error(name: str, out: Path) -> None:
    """Exit 2, and nothing is asked."""
    assert run_argv(["run", "--mock", "--sandbox", "subprocess", "--out", str(out.parent / name)]) == 2
