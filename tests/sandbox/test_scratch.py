"""Laws of the folders that sandboxes without a container use."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from codegen_eval.sandbox.reaper import Owner
from codegen_eval.sandbox.scratch import dead_scratch, make_scratch, remove_scratch, sweep_scratch


@pytest.fixture(autouse=True)
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Have temporary folders made in a place of the test's own, which any user can enter."""
    for part in (tmp_path, tmp_path.parent, tmp_path.parent.parent):
        part.chmod(0o755)
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    return tmp_path


def dead_owner() -> str:
    """Return the name of a process of this machine that has ended."""
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as child:
        return str(Owner.of(child.pid)).replace(":", "-")


def test_a_live_process_keeps_its_folder() -> None:
    """What this process made stays as long as it lives, until it removes it itself."""
    folder = make_scratch()
    swept = sweep_scratch()

    assert folder not in swept
    assert folder.is_dir()
    remove_scratch(folder)
    assert not folder.exists()


def test_the_folder_of_a_dead_process_is_swept(place: Path) -> None:
    """Whatever a solution left in it, a dead run's folder goes."""
    folder = place / f"evalrun-{dead_owner()}-abc123"
    (folder / "work" / "deep").mkdir(parents=True)
    (folder / "work" / "link").symlink_to("/")
    (folder / "work" / "deep").chmod(0)

    assert folder in dead_scratch()
    assert folder in sweep_scratch()
    assert not folder.exists()


def test_nothing_is_swept_through_a_link_or_by_another_name(place: Path) -> None:
    """A link with the name of a folder of ours, or a folder with a name that nearly is one, stays with all in it."""
    owner = dead_owner()
    victim = place / "victim"
    victim.mkdir()
    (victim / "file").touch()
    (place / f"evalrun-{owner}-link").symlink_to(victim)
    for name in ("evalrun-", f"evalrun-{owner}", f"xevalrun-{owner}-a", f"evalrun-{owner}-a.b", "evalrun-zz-1-2-a"):
        (place / name).mkdir()

    assert [folder for folder in sweep_scratch() if folder.parent == place] == []
    assert (victim / "file").exists()


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can make a folder of another user's")
def test_another_users_folder_is_left_alone(place: Path) -> None:
    """A folder that somebody else made under such a name is not removed, not even by root."""
    folder = place / f"evalrun-{dead_owner()}-theirs"
    folder.mkdir()
    os.chown(folder, 65534, 65534)

    assert folder not in sweep_scratch()
    assert folder.is_dir()
