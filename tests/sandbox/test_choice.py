"""Laws of choosing a sandbox: what is there, what works, and what is told where it doesn't."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

import pytest

from codegen_eval.cli.main import run_argv
from codegen_eval.errors import SandboxUnavailableError, UnsafeSandboxError
from codegen_eval.sandbox.bwrap import probe_bwrap
from codegen_eval.sandbox.choice import Wish, choose_sandbox
from codegen_eval.sandbox.confinement import NAMESPACES
from codegen_eval.sandbox.refusal import hint_for

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="bubblewrap is for Linux")


def fake_bwrap(folder: Path, complaint: str) -> None:
    """Put a bubblewrap into a folder that knows all options and fails."""
    script = folder / "bwrap"
    options = " ".join(word for each in NAMESPACES for word in each.words if word.startswith("--"))
    script.write_text(
        f'#!/bin/sh\n[ "$1" = --help ] && echo "{options}" && exit\n'
        '[ "$1" = --version ] && echo bubblewrap 0.9 && exit\n'
        f'echo "{complaint}" >&2\nexit 1\n',
        encoding="ascii",
    )
    script.chmod(0o755)


def test_one_that_is_not_installed_is_told(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Without the program one hears what to install."""
    monkeypatch.setenv("PATH", str(tmp_path))
    report = probe_bwrap()

    assert report.problem == "bubblewrap is not installed"
    assert "bubblewrap" in (report.hint or "")


def test_one_that_does_not_work_is_told(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A bubblewrap that is there and may not make namespaces can't be used, and says why."""
    fake_bwrap(tmp_path, "bwrap: setting up uid map: Permission denied")
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    report = probe_bwrap()

    assert "setting up uid map" in (report.problem or "")
    assert "namespaces" in (report.hint or "")


def test_one_that_is_too_old_is_told(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A bubblewrap without what a sandbox needs is named with its version."""
    script = tmp_path / "bwrap"
    script.write_text('#!/bin/sh\n[ "$1" = --version ] && echo bubblewrap 0.1.8\nexit 0\n', encoding="ascii")
    script.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")

    assert "0.1.8 is too old" in (probe_bwrap().problem or "")


@pytest.mark.parametrize(
    ("file", "text", "word"),
    [
        ("user/max_user_namespaces", "0", "max_user_namespaces"),
        ("kernel/unprivileged_userns_clone", "0", "unprivileged_userns_clone"),
        ("kernel/apparmor_restrict_unprivileged_userns", "1", "AppArmor"),
        ("kernel/apparmor_restrict_unprivileged_userns", "0", "container"),
    ],
)
def test_the_switch_that_forbids_namespaces_is_named(tmp_path: Path, file: str, text: str, word: str) -> None:
    """What to do follows from this machine's own switches."""
    path = tmp_path / "proc/sys" / file
    path.parent.mkdir(parents=True)
    path.write_text(text + "\n", encoding="ascii")

    assert word in hint_for("bwrap: No permissions to create new namespace", root=tmp_path)


def test_auto_takes_it_where_there_is_no_engine(
    bubblewrap: None, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Without an engine `auto` is bubblewrap, unasked and without a warning; it is a boundary."""
    del bubblewrap
    monkeypatch.setenv("DOCKER_HOST", f"unix://{tmp_path}/none.sock")
    choice = choose_sandbox(Wish(expected=1), run_id="x")
    facts = choice.provider.facts()
    choice.provider.close()

    assert (facts.name, facts.isolated, choice.warning) == ("bwrap", True, None)


def test_auto_does_not_take_one_that_fails(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """With neither, untrusted code is refused, and trusted code runs with both reasons told."""
    fake_bwrap(tmp_path, "bwrap: setting up uid map: Permission denied")
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    monkeypatch.setenv("DOCKER_HOST", f"unix://{tmp_path}/none.sock")
    with pytest.raises(UnsafeSandboxError):
        choose_sandbox(Wish(), run_id="x")
    choice = choose_sandbox(Wish(trusted=True), run_id="x")
    choice.provider.close()

    assert choice.provider.name == "subprocess"
    assert "Docker can't be used" in (choice.warning or "")
    assert "bubblewrap can't be used" in (choice.warning or "")
    with pytest.raises(SandboxUnavailableError, match="uid map"):
        choose_sandbox(Wish(name="bwrap"), run_id="x")


@pytest.mark.slow
@pytest.mark.usefixtures("bubblewrap")
def test_doctor_says_what_it_lacks(capsys: pytest.CaptureFixture[str]) -> None:
    """`doctor` calls it a boundary, and names the limit that it does not have."""
    assert run_argv(["doctor", "--sandbox", "bwrap", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)

    assert told["sandbox"] == "bwrap"
    assert any("control group" in each["problem"] for each in told["complaints"] if each["about"] == "bwrap")
