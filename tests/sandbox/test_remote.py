"""Laws of an engine on another machine: it is spoken to over TLS, shares nothing with us, and others use it as well."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import IO

import pytest

from codegen_eval.cli.main import run_argv
from codegen_eval.interfaces import EndReason, WorkerLimits
from codegen_eval.sandbox.docker import DockerProvider
from codegen_eval.sandbox.engine import Engine
from codegen_eval.sandbox.hardening import LABEL_OWNER, LABEL_RUN
from codegen_eval.sandbox.reaper import Owner, reap
from sandbox.own_engine import OwnEngine

pytestmark = [pytest.mark.docker, pytest.mark.slow, pytest.mark.timeout(300)]
LIMITS = WorkerLimits(cpu_seconds=2)


@pytest.fixture
def remote(own_engine: OwnEngine, monkeypatch: pytest.MonkeyPatch) -> Iterator[Engine]:
    """Have this process use the engine behind TLS; give its client."""
    for name, value in own_engine.environment.items():
        monkeypatch.setenv(name, value)
    engine = Engine()
    yield engine
    engine.close()


def test_nothing_of_any_machine_is_mounted(own_engine: OwnEngine, remote: Engine) -> None:
    """What the engine says of a sandbox that it runs: no bind mount, no volume, no device, nothing of ours."""
    assert remote.info().version
    with DockerProvider(run_id="remote", expected=1) as provider:
        sandbox = provider.open()
        sandbox.spawn(LIMITS)
        with own_engine.client() as client:
            told = [client.inspect_container(each) for each in own_engine.containers()]
        end = sandbox.end()
        sandbox.close()

    assert end.reason is EndReason.CLOSED
    assert len(told) == 1
    host = told[0]["HostConfig"]
    assert told[0]["Mounts"] == []
    assert [host.get(name) for name in ("Binds", "Mounts", "VolumesFrom", "Devices")] == [None] * 4
    assert told[0]["Config"]["Volumes"] is None
    assert list(host["Tmpfs"]) == ["/tmp"]  # noqa: S108 - the sandbox's own
    assert provider.not_removed == ()
    assert own_engine.containers() == []


def test_a_remote_engine_gives_the_bytes_of_a_local_one(remote: Engine, tmp_path: Path) -> None:
    """The same solutions, verdicts and findings over TLS as without an engine."""
    assert remote.info().version
    some = ["run", "--mock", "--tasks", "fizzbuzz,list_files", "--out"]
    assert run_argv([*some, str(tmp_path / "a.json"), "--sandbox", "docker"]) == 0
    assert run_argv([*some, str(tmp_path / "b.json"), "--sandbox", "subprocess"]) == 0

    assert (tmp_path / "a.json").read_bytes() == (tmp_path / "b.json").read_bytes()


# --- whose container is this ----------------------------------------------------------------------------------------

_HOLD = """
import os, sys
from codegen_eval.sandbox.docker import DockerProvider
from codegen_eval.sandbox.reaper import Owner
provider = DockerProvider(run_id=sys.argv[1], expected=1)
sandbox = provider.open()
print("open", Owner.of(os.getpid()), flush=True)
sys.stdin.read()
sandbox.close()
provider.close()
print("closed", provider.not_removed, flush=True)
"""


@contextmanager
def holder(run_id: str, *before: str, environment: Mapping[str, str]) -> Iterator[tuple[subprocess.Popen[str], Owner]]:
    """Give a process that has a sandbox open until its standard input ends, and who it says it is."""
    with subprocess.Popen(
        [*before, sys.executable, "-c", _HOLD, run_id],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env={**os.environ, **environment},
        text=True,
    ) as process:
        assert process.stdout is not None
        owner = Owner.parse(_line(process.stdout, "open").split()[-1])
        assert owner is not None
        try:
            yield process, owner
        finally:
            process.kill()


def _line(stream: IO[str], word: str) -> str:
    """Return the first line that starts with a word; other lines are logs."""
    return next(line for line in stream if line.startswith(word))


def test_the_live_container_of_another_host_is_left_alone(own_engine: OwnEngine, remote: Engine) -> None:
    """Two machines use one engine: each calls the other's pids dead, and neither removes the other's sandbox.

    The other machine is a process in a pid namespace of its own, where it has a pid that means nothing here.
    """
    elsewhere = ("unshare", "--pid", "--fork", "--mount-proc")
    with holder("elsewhere", *elsewhere, environment=own_engine.environment) as (process, owner):
        before = own_engine.containers()
        reaped = reap(remote)
        with DockerProvider(run_id="here", expected=1) as provider:  # a whole run of ours
            provider.open().close()
        after = own_engine.containers()
        out, _ = process.communicate("")

    assert owner.host != Owner.of(os.getpid()).host
    assert len(before) == 1
    assert reaped == ()
    assert after == before
    assert "closed ()" in out
    assert own_engine.containers() == []


def test_of_this_hosts_containers_only_those_of_the_dead_go(own_engine: OwnEngine, remote: Engine) -> None:
    """A live owner's, another host's and a stranger's stay; a dead owner's goes, and one whose pid was given anew."""
    with holder("killed", environment=own_engine.environment) as (process, dead):
        process.kill()
        process.wait()
    live = Owner.of(os.getpid())
    owners = {
        "dead": str(dead),
        "reused": str(replace(live, started="1")),
        "live": str(live),
        "elsewhere": str(replace(dead, host="0" * 16)),
        "elsewhere-live": str(replace(live, host="f" * 16)),
        "stranger": "somebody else",
    }
    with own_engine.client() as client:
        image = next(tag for each in client.images() for tag in each["RepoTags"] or () if tag.startswith("localbase"))
        made = {
            name: client.create_container(image, "true", labels={LABEL_OWNER: owner, LABEL_RUN: "two-hosts"})["Id"]
            for name, owner in owners.items()
        }
        try:
            reaped = set(reap(remote))
            left = {each["Id"] for each in client.containers(all=True)}
        finally:
            for container in made.values():
                client.remove_container(container, force=True) if container in own_engine.containers() else None

    assert {made["dead"], made["reused"]} <= reaped
    assert reaped.isdisjoint(made[name] for name in ("live", "elsewhere", "elsewhere-live", "stranger"))
    assert {made[name] for name in ("live", "elsewhere", "elsewhere-live", "stranger")} <= left
