"""`compose.yaml`, run for real: `evalrun` beside an engine of its own."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from codegen_eval.cli.main import run_argv
from compose.stand import ROOT, Stand, docker, make_stand

pytestmark = [pytest.mark.docker, pytest.mark.slow, pytest.mark.timeout(580)]


@pytest.fixture(scope="module")
def stand(engine: object, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stand]:  # noqa: ARG001 - asks for one
    """Give the project, built and up, its inner engine with a base image."""
    with make_stand(tmp_path_factory.mktemp("compose")) as made:
        yield made


def test_one_command_gives_the_bytes_of_a_plain_run(stand: Stand, tmp_path: Path) -> None:
    """What `docker compose run --rm evalrun` writes is what `evalrun --mock` writes here, where the Pythons agree."""
    stand.evalrun()

    made = (stand.results / "results.json").read_bytes()
    record = json.loads((stand.results / "results.run.json").read_text())["sandbox"]
    assert (record["name"], record["isolated"]) == ("docker", True)
    assert "codegen-eval-sandbox" in stand.compose("exec", "-T", "engine", "docker", "images").stdout
    assert len(json.loads(made)["solutions"]) == 40
    if record["python"].split(".")[:2] == [str(part) for part in sys.version_info[:2]]:
        assert run_argv(["run", "--mock", "--sandbox", "docker", "--out", str(tmp_path / "here.json")]) == 0
        assert made == (tmp_path / "here.json").read_bytes()


def test_every_limit_bites_in_the_inner_engine(stand: Stand) -> None:
    """An engine in a container holds sandboxes as well as one beside it; on a busy machine not all can be tried."""
    done = stand.evalrun("doctor", "--sandbox", "docker", fine=False)

    assert re.search(r"bites: 4\d", done.stdout), done.stdout + done.stderr
    missing = [line for line in done.stdout.splitlines() if "!does not bite" in line]
    assert [line for line in missing if "could not be tried" not in line] == []


def test_a_killed_run_goes_on_and_nothing_of_the_host_was_within_reach(stand: Stand) -> None:
    """`kill -9` of the orchestrator, then `--resume`: the bytes of a whole run. It had results and certificate."""
    options = ["--mock", "--layers", "unit,props", "--sandbox", "docker"]
    slowly = ["--jobs", "1", "--out", "cut.json", "--log-format", "json"]  # it is to be killed in the middle
    words = ["run", "--rm", "-T", "evalrun", "run", *options, *slowly]
    with subprocess.Popen(
        [*stand.command, *words], cwd=ROOT, env=stand.environment, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL
    ) as running:
        assert running.stderr is not None
        for line in running.stderr:
            if b"layer_finished" in line:
                break
        seen = json.loads(docker("inspect", *stand.left("container")))
        (orchestrator,) = (one for one in seen if one["Config"]["Labels"]["com.docker.compose.service"] == "evalrun")
        docker("kill", orchestrator["Id"])
        running.stderr.read()
    assert not (stand.results / "cut.json").exists()

    stand.evalrun("run", "--resume", "cut.json", "--sandbox", "docker")
    stand.evalrun("run", *options, "--out", "whole.json")

    assert (stand.results / "cut.json").read_bytes() == (stand.results / "whole.json").read_bytes()
    mounts = {(mount["Type"], mount["Destination"]) for mount in orchestrator["Mounts"]}
    assert mounts == {("bind", "/results"), ("volume", "/certs/client")}
    assert not orchestrator["HostConfig"]["Privileged"]
    assert len(seen) == 2
    everywhere = [mount for one in seen for mount in one["Mounts"]]
    assert [mount["Destination"] for mount in everywhere if mount["Type"] == "bind"] == ["/results"]
    assert "docker.sock" not in json.dumps(everywhere)
    assert not any(one["NetworkSettings"]["Ports"].get("2376/tcp") for one in seen)


def test_a_key_is_passed_on_and_a_real_run_needs_one(stand: Stand) -> None:
    """A key that is set arrives; without one a real run is refused with the variable to set."""
    ours = {name: value for name, value in stand.environment.items() if not name.startswith("ANTHROPIC_")}
    without = replace(stand, environment=ours)
    with_key = replace(stand, environment=ours | {"ANTHROPIC_API_KEY": "a-key"})
    show = ("run", "--rm", "-T", "--entrypoint", "env", "evalrun")

    refused = without.evalrun(
        "run", "--mode", "claude", "--model", "claude-haiku-4-5", "--out", "real.json", fine=False
    )

    assert refused.returncode == 2
    assert "ANTHROPIC_API_KEY" in refused.stdout + refused.stderr
    assert not (stand.results / "real.json").exists()
    assert "ANTHROPIC_API_KEY" not in without.compose(*show).stdout
    assert "ANTHROPIC_API_KEY=a-key" in with_key.compose(*show).stdout


def test_down_leaves_nothing(stand: Stand) -> None:
    """`down --volumes` removes every container, volume and network of the project."""
    assert stand.left("container")

    stand.compose("down", "--volumes", "--timeout", "5")

    assert [kind for kind in ("container", "volume", "network") if stand.left(kind)] == []
