"""Laws of extracting a finished run again."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from codegen_eval.asking import describe_request
from codegen_eval.cli.main import run_argv
from codegen_eval.ledger import Ledger, key_of, ledger_path
from codegen_eval.models import Message, Reply, Request, Role, StopReason
from codegen_eval.results import dump
from codegen_eval.run_request import make_request
from codegen_eval.solution import Outcome, Strategy
from factories import make_results, make_scored, make_solution

GOOD = "def fizzbuzz(n):\n    return []\n"
FENCED = f"```python\n{GOOD}```\n"


def _write(folder: Path, replies: dict[int, str], *, stop: StopReason = StopReason.END, source: str = GOOD) -> Path:
    """Write a run of one solution, whose replies are keyed by the room that was given for them."""
    out = folder / "results.json"
    request = make_request(mode="real", models=["m"], tasks=["fizzbuzz"], strategies=["bare"], layers=[])
    with Ledger.open(ledger_path(out), parameters=request.model_dump(mode="json")) as ledger:
        for room, text in replies.items():
            asked = Request(
                model="m",
                messages=(Message(role=Role.USER, content="as some other version asked"),),
                task="fizzbuzz",
                strategy=Strategy.BARE,
                max_tokens=room,
                temperature=0.0,
            )
            described = describe_request("real", asked)
            reply = Reply(text=text, input_tokens=1, output_tokens=1, estimated=False, stop_reason=stop)
            ledger.put_reply(key_of(described), reply, request=described)
    solution = make_solution(task="fizzbuzz", strategy=Strategy.BARE).model_copy(
        update={"model": "m", "source": source, "rule": "fence", "outcome": Outcome.OK}
    )
    out.write_bytes(dump(make_results(solutions=(make_scored(solution=solution),))))
    return out


def test_a_run_that_gives_the_same_today_has_no_changes(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The exit code is 0, and neither file is touched."""
    out = _write(tmp_path, {4096: FENCED})
    before = out.read_bytes()

    assert run_argv(["extract", str(out)]) == 0
    assert capsys.readouterr().out == "1 solution, 0 changed\n"
    assert out.read_bytes() == before


@pytest.mark.parametrize(
    ("replies", "line"),
    [
        ({4096: f"```python\n{GOOD}"}, "fizzbuzz/bare: rule fence -> fence-unclosed"),
        ({4096: FENCED.replace("[]", "[n]")}, "fizzbuzz/bare: source differs"),
        ({4096: "No."}, "fizzbuzz/bare: rule fence -> none, outcome ok -> no_code, source differs"),
        ({4096: FENCED.replace("[]", "]")}, "fizzbuzz/bare: outcome ok -> syntax_error, source differs"),
        ({2048: FENCED}, "fizzbuzz/bare: no reply for it in the ledger"),
    ],
)
def test_what_changed_is_said(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], replies: dict[int, str], line: str
) -> None:
    """The exit code is 1, and a line says what is different for each solution."""
    assert run_argv(["extract", str(_write(tmp_path, replies))]) == 1
    assert capsys.readouterr().out == f"{line}\n1 solution, 1 changed\n"


def test_a_cut_reply_gives_way_to_the_one_with_more_room(tmp_path: Path) -> None:
    """As in the run itself: the second reply is what counts."""
    assert run_argv(["extract", str(_write(tmp_path, {4096: "```python\ndef fizzbuzz(n", 8192: FENCED}))]) == 0


def test_it_can_be_read_by_machines(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run_argv(["extract", "--json", str(_write(tmp_path, {4096: f"```python\n{GOOD}"}))])
    found = json.loads(capsys.readouterr().out)

    assert found["rules"] == {"fence-unclosed": 1}
    assert found["changes"][0]["after"] == {"outcome": "ok", "rule": "fence-unclosed"}


def test_a_run_without_a_ledger_is_the_users_mistake(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = _write(tmp_path, {4096: FENCED})
    ledger_path(out).unlink()

    assert run_argv(["extract", str(out)]) == 2
    assert "there is no ledger" in capsys.readouterr().err
