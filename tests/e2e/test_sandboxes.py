"""Whichever sandbox runs it, a run gives the same results."""

from __future__ import annotations

from pathlib import Path

import pytest

from codegen_eval.cli.main import run_argv

pytestmark = pytest.mark.slow


def results(out: Path, *options: str) -> bytes:
    """Return the bytes of a run of the canned corpus."""
    assert run_argv(["run", "--mock", "--out", str(out), *options]) == 0
    return out.read_bytes()


@pytest.mark.usefixtures("bubblewrap")
def test_bubblewrap_gives_the_bytes_of_a_subprocess(tmp_path: Path) -> None:
    """All tasks, strategies and layers, byte for byte."""
    inside = results(tmp_path / "a.json", "--sandbox", "bwrap")

    assert inside == results(tmp_path / "b.json", "--sandbox", "subprocess")


@pytest.mark.docker
@pytest.mark.usefixtures("gvisor")
def test_gvisor_gives_the_bytes_of_docker(tmp_path: Path) -> None:
    """Programs that are started, mutants and properties, byte for byte."""
    some = ["--sandbox", "docker", "--tasks", "binary_search,list_files,safe_calc"]
    inside = results(tmp_path / "a.json", *some, "--runtime", "runsc")

    assert inside == results(tmp_path / "b.json", *some)
