"""The shipped attacks, through the whole command: none passes, reaches anything or leaves anything."""

from __future__ import annotations

import json
import os
import sys
from typing import Any

import pytest

from codegen_eval.attack import load_attacks
from codegen_eval.cli.main import run_argv

pytestmark = [pytest.mark.slow, pytest.mark.timeout(900)]

_SANDBOXES = {
    "subprocess": ("--sandbox", "subprocess", "--allow-unsafe-sandbox"),
    "bwrap": ("--sandbox", "bwrap"),
    "docker": ("--sandbox", "docker"),
}
"""How each is asked for; a further sandbox is a further line."""
_NEEDS = {"docker": "engine", "bwrap": "bubblewrap"}
_EXCUSED = {
    "fizzbuzz/fills_the_disk",
    "fizzbuzz/uses_up_inodes",
    "fizzbuzz/sees_other_processes",
    "fizzbuzz/runs_its_own_program",
    "fizzbuzz/names_its_host",
    "fizzbuzz/finds_host_paths",
    "fizzbuzz/leaves_locked_folders",
}
"""What a subprocess under a user of its own, with seccomp and without Landlock, does not stop."""


def selftest(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, dict[str, Any]]:
    """Run the command; return its exit code and what it printed."""
    code = run_argv(["selftest", *words, "--json"])
    return code, json.loads(capsys.readouterr().out)


def not_held(shown: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the outcomes that did not hold, for a readable failure."""
    bad = ("forged", "escaped", "lingered", "disturbed", "misreported", "error")
    return [one for one in shown["outcomes"] if any(one[key] for key in bad)]


@pytest.mark.parametrize("sandbox", ["subprocess", "bwrap", pytest.param("docker", marks=pytest.mark.docker)])
def test_every_attack_is_held(request: pytest.FixtureRequest, capsys: pytest.CaptureFixture[str], sandbox: str) -> None:
    """None is forged, escapes, lingers or disturbs; what only a boundary stops is told where there is none.

    The controls show that they are attacks: each gets through a naive harness, or where its limit is left out.
    """
    if sandbox in _NEEDS:
        request.getfixturevalue(_NEEDS[sandbox])

    code, shown = selftest(capsys, *_SANDBOXES[sandbox], "--control")

    assert not_held(shown) == []
    assert shown["left"] == []
    assert len(shown["outcomes"]) == len(load_attacks())
    excused = {one["id"] for one in shown["outcomes"] if one["not_stopped"]}
    if shown["isolated"]:
        assert excused == set()
    elif sys.platform == "linux" and os.geteuid() == 0:
        assert excused <= _EXCUSED
    controls = [(one["id"], control["succeeded"]) for one in shown["outcomes"] for control in one["controls"]]
    assert {name for name, succeeded in controls if succeeded is False} == set()
    assert {name for name, succeeded in controls if succeeded is None} == set()
    in_docker = sandbox == "docker"
    isolated = shown["isolated"]
    wanted = {a.id for a in load_attacks() if (a.naive and (isolated or not a.contained)) or (a.control and in_docker)}
    assert {name for name, _ in controls} == wanted
    assert code == 0


@pytest.mark.docker
@pytest.mark.usefixtures("gvisor")
def test_every_attack_is_held_by_gvisor(capsys: pytest.CaptureFixture[str]) -> None:
    """Another runtime below holds as well. Starting anything takes longer there, and so limits are longer."""
    code, shown = selftest(capsys, "--sandbox", "docker", "--runtime", "runsc", "--timeout", "5")

    assert not_held(shown) == []
    assert shown["left"] == []
    assert len(shown["outcomes"]) == len(load_attacks())
    assert {one["id"] for one in shown["outcomes"] if one["not_stopped"]} == set()
    assert code == 0
