"""Laws of whole runs of real models: a child process asks a local server over HTTP, by its provider's own SDK."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from codegen_eval.results import Results, load_results
from models.talk import FORMATS
from wires import Asked, Dropped, Fault, HalfStream, Said, Status, WireServer, canned, in_turn
from wires.server import KEY

TASKS = "fizzbuzz,slugify"
CALLS = 10
"""Two tasks under three strategies of one call and one of two."""


def evalrun(*arguments: str, environ: dict[str, str] | None = None) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "codegen_eval", "run", "--tasks", TASKS, "--layers", "unit", *arguments]
    sandbox = ["--sandbox", "subprocess"]
    env = os.environ | (environ or {})
    return subprocess.run([*command, *sandbox], env=env, capture_output=True, text=True, timeout=280, check=False)


def verdicts(results: Results) -> dict[str, str]:
    return {scored.solution.id.partition("@")[0]: scored.verdict.value for scored in results.solutions}


@pytest.mark.slow
@pytest.mark.parametrize("mode", sorted(FORMATS))
def test_a_run_through_faults_is_the_canned_run(mode: str, tmp_path: Path) -> None:
    """Overload, half streams and lost connections change no verdict, and no answer is paid for twice."""
    say = canned()

    def script(asked: Asked) -> Said | Fault:
        said = say(asked)
        faults: dict[int, Fault] = {
            2: Status(429, retry_after="0.1"),
            4: HalfStream(said=said),
            6: Dropped(said=said, part=0.5),
            8: Status(529),
            9: Dropped(),
            11: Status(500),
        }
        return faults.get(asked.number, said)

    own, real = tmp_path / "mock.json", tmp_path / "real.json"
    assert evalrun("--mock", "--out", str(own)).returncode == 0
    with WireServer(FORMATS[mode], script) as server:
        ran = evalrun(
            *("--mode", mode, "--model", "some-model", "--no-drafts", "--out", str(real), "--allow-unsafe-sandbox"),
            environ=server.environment(),
        )

    assert ran.returncode == 0, ran.stderr
    assert verdicts(load_results(real)) == verdicts(load_results(own))
    assert len(server.answered) == CALLS
    assert len(server.calls) == CALLS + 6


@pytest.mark.slow
@pytest.mark.parametrize("mode", sorted(FORMATS))
def test_a_refused_key_stops_the_run_with_what_to_do(mode: str, tmp_path: Path) -> None:
    """Exit 2, one clear message, and neither the key nor a prompt on any stream."""
    wrong = "sk-test-this-is-not-the-key"
    with WireServer(FORMATS[mode], in_turn(Said(text="x"))) as server:
        environ = {name: wrong if value == KEY else value for name, value in server.environment().items()}
        ran = evalrun(
            *("--mode", mode, "--model", "some-model", "--out", str(tmp_path / "r.json"), "--allow-unsafe-sandbox"),
            environ=environ,
        )

    said = ran.stdout + ran.stderr
    assert ran.returncode == 2, said
    assert "refuses access" in said
    assert "hint:" in said
    assert wrong not in said
    assert "Traceback" not in said
    assert "fizz" not in said.lower().replace("fizzbuzz", "")
