"""An engine may go away in the middle of a run, and come back."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from contextlib import ExitStack
from pathlib import Path

import pytest

from sandbox.own_engine import OwnEngine

pytestmark = [pytest.mark.docker, pytest.mark.slow, pytest.mark.timeout(300)]
_LAYERS = 12
"""How many have to be finished before the engine goes away."""
_SOME = ("--tasks", "binary_search,fizzbuzz,list_files,slugify", "--sandbox", "docker", "--jobs", "2")


def start(engine: OwnEngine, out: Path, *words: str) -> subprocess.Popen[str]:
    """Start the command on this engine."""
    return subprocess.Popen(
        [sys.executable, "-m", "codegen_eval", "run", *words, "--log-format", "json"],
        env={**os.environ, **engine.environment},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        cwd=out.parent,
        text=True,
    )


def finish(run: subprocess.Popen[str], told: list[str]) -> int:
    """Wait until a run has ended; return its exit code."""
    assert run.stderr is not None
    told += run.stderr
    run.stderr.close()
    return run.wait()


@pytest.fixture(scope="module")
def undisturbed(own_engine: OwnEngine, tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """Give the results of a run that nothing happened to."""
    out = tmp_path_factory.mktemp("undisturbed") / "r.json"
    told: list[str] = []
    assert finish(start(own_engine, out, "--mock", *_SOME, "--out", str(out)), told) == 0, told[-3:]
    return out.read_bytes()


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL])
@pytest.mark.parametrize("back", [False, True])
def test_an_engine_that_goes_away_costs_time_and_no_verdict(
    own_engine: OwnEngine, undisturbed: bytes, tmp_path: Path, number: signal.Signals, *, back: bool
) -> None:
    """The run ends with a clear error and can be resumed, or goes on with the engine that came back.

    Either way the results are those of a run that nothing happened to, and no container is left.
    """
    out = tmp_path / "r.json"
    told: list[str] = []
    with ExitStack() as stack:
        run = start(own_engine, out, "--mock", *_SOME, "--out", str(out))
        stack.callback(run.kill)
        assert run.stderr is not None
        finished = 0
        while finished < _LAYERS and (line := run.stderr.readline()):
            told.append(line)
            finished += "layer_finished" in line
        own_engine.stop(number)
        if back:
            own_engine.start()
        code = finish(run, told)
    if not back:
        own_engine.start()

    assert "Traceback" not in "".join(told)
    if code:
        assert code == 3, told[-3:]
        assert "error: " in told[-3]
        assert " Docker engine " in told[-3]
        assert any("--resume" in line for line in told[-3:])
        again: list[str] = []
        assert finish(start(own_engine, out, "--resume", str(out), "--sandbox", "docker"), again) == 0, again[-3:]
    assert out.read_bytes() == undisturbed
    assert own_engine.containers() == []
