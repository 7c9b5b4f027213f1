"""`evalrun clean` removes what dead runs left, and says what it left alone."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from codegen_eval.cli.main import run_argv
from codegen_eval.sandbox.engine import Engine
from codegen_eval.sandbox.hardening import LABEL_OWNER
from codegen_eval.sandbox.reaper import Owner

HOLD = """
import sys, time
from codegen_eval.sandbox.docker import DockerProvider
provider = DockerProvider(run_id="held")
provider.open()
print("open", flush=True)
time.sleep(60)
"""


def clean(capsys: pytest.CaptureFixture[str], *options: str) -> dict[str, object]:
    """Run the command; return what it printed as JSON."""
    assert run_argv(["clean", "--json", *options]) == 0
    printed: dict[str, object] = json.loads(capsys.readouterr().out)
    return printed


def test_without_an_engine_the_rest_is_done(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Where no engine answers, folders and the cache are looked after, and the output says what was not."""
    monkeypatch.setenv("DOCKER_HOST", f"unix://{tmp_path}/nobody.sock")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    (tmp_path / "codegen-eval").mkdir()
    (tmp_path / "codegen-eval" / "file").touch()

    tried = clean(capsys, "--cache", "--dry-run")
    there = (tmp_path / "codegen-eval" / "file").exists()
    done = clean(capsys, "--cache")

    assert there
    assert tried["cache"] == done["cache"] == str(tmp_path / "codegen-eval")
    assert not (tmp_path / "codegen-eval").exists()
    assert "no Docker engine" in str(done["problem"])


@pytest.mark.docker
def test_the_container_of_a_killed_run_is_removed(engine: Engine, capsys: pytest.CaptureFixture[str]) -> None:
    """A container stays, and is counted, while its run lives; after a `kill -9` of the run it is gone."""
    with subprocess.Popen([sys.executable, "-c", HOLD], stdout=subprocess.PIPE) as run:
        assert run.stdout is not None
        assert b"open\n" in iter(run.stdout.readline, b"")  # what was swept may be told before
        owner = str(Owner.of(run.pid))
        alive = clean(capsys)
        run.send_signal(signal.SIGKILL)
        run.wait()
    clean(capsys)

    deadline = time.monotonic() + 20  # the engine may be at it already: the guest ends with its host
    while held := [c.id for c in engine.containers(LABEL_OWNER) if c.labels[LABEL_OWNER] == owner]:
        assert time.monotonic() < deadline, held
        time.sleep(0.1)
    assert isinstance(alive["left"], int)
    assert alive["left"] >= 1
    assert clean(capsys)["problem"] is None
