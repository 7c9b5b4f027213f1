"""Evaluations that are killed, interrupted, run twice at once, or find the disk full: going on gives the same bytes."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from own_group import own_group

DATA = Path(__file__).parent.parent / "data" / "datasets" / "humaneval.jsonl"
NAMES = ("e.json", "e.samples.jsonl", "e.samples_results.jsonl")
PROGRAM = [sys.executable, "-m", "codegen_eval"]
pytestmark = [pytest.mark.slow, pytest.mark.timeout(300)]


@pytest.fixture
def command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Give the command, but for `--out`, on samples of which half are wrong, many more than what is judged at once."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    samples = tmp_path / "s.jsonl"
    with samples.open("w", encoding="utf-8") as file:
        for number in range(16):
            for line in DATA.read_text(encoding="utf-8").splitlines():
                problem = json.loads(line)
                text = problem["canonical_solution"] if number % 2 else "    return eval('None')\n"
                file.write(json.dumps({"task_id": problem["task_id"], "completion": f"{text}# {number}\n"}) + "\n")
    words = ["--dataset", f"humaneval={DATA}", "--samples", str(samples), "--jobs", "2", "--log-format", "json"]
    unsafe = ["--sandbox", "subprocess", "--allow-unsafe-sandbox"]
    return ["evaluate", *words, *unsafe]


def wait_for_outcomes(process: subprocess.Popen[bytes], count: int) -> None:
    """Return when so many layers have said something that was not known."""
    assert process.stderr is not None
    for line in process.stderr:
        count -= b'"event": "layer_finished"' in line
        if count <= 0:
            return


def ended(program: list[str], words: list[str]) -> tuple[int, str]:
    """Run a program to its end; return its exit code and what it said last."""
    done = subprocess.run([*program, *words], capture_output=True, text=True, check=False)
    return done.returncode, done.stderr[-600:]


def finish(command: list[str], out: Path, *more: str) -> tuple[int, str]:
    """Run an evaluation to its end; return its exit code and what it said last."""
    return ended(PROGRAM, [*command, "--out", str(out), *more])


def outputs(folder: Path) -> dict[str, bytes]:
    """Return what must not depend on how the work was done; nothing half written is left."""
    assert not list(folder.glob("*.part"))
    return {name: (folder / name).read_bytes() for name in NAMES}


@pytest.fixture
def undisturbed(command: list[str], tmp_path: Path) -> dict[str, bytes]:
    """Give what an evaluation writes that nothing happened to."""
    (tmp_path / "whole").mkdir()
    code, said = finish(command, tmp_path / "whole" / "e.json")
    assert code == 0, said
    return outputs(tmp_path / "whole")


@pytest.fixture
def out(tmp_path: Path) -> Path:
    """Give another place for results."""
    (tmp_path / "cut").mkdir()
    return tmp_path / "cut" / "e.json"


def test_kills_and_interrupts_change_no_byte(command: list[str], undisturbed: dict[str, bytes], out: Path) -> None:
    """Killed, alone or with all that it started, and interrupted, again and again, it goes on to the same files."""
    more: tuple[str, ...] = ()
    for outcomes, number, whole_group in (
        (2, signal.SIGKILL, True),
        (5, signal.SIGINT, False),
        (3, signal.SIGKILL, False),
        (6, signal.SIGINT, True),
        (9, signal.SIGKILL, True),
    ):
        with own_group([*command, "--out", str(out), *more]) as process:
            wait_for_outcomes(process, outcomes)
            (os.killpg if whole_group else os.kill)(process.pid, number)
            _, told = process.communicate()
        assert process.returncode == (130 if number is signal.SIGINT else -number), told[-600:]
        assert not out.exists()
        more = ("--resume",)

    code, said = finish(command, out, "--resume")
    assert code == 0, said
    assert outputs(out.parent) == undisturbed


def test_two_at_once_are_refused(command: list[str], undisturbed: dict[str, bytes], out: Path) -> None:
    """A second evaluation of the same `--out`, resumed or not, is refused with a reason, and disturbs nothing."""
    with own_group([*command, "--out", str(out)]) as process:
        wait_for_outcomes(process, 2)
        process.send_signal(signal.SIGSTOP)  # or it might be done before the second one looks
        for more in ((), ("--resume",)):
            code, said = finish(command, out, *more)
            assert code == 3
            assert "is in use by another run" in said
        process.send_signal(signal.SIGCONT)
        process.communicate()
        assert process.returncode == 0

    assert outputs(out.parent) == undisturbed


@pytest.mark.parametrize("blocks", [80, 200])
def test_a_full_disk_is_told_and_goes_on_with_room(
    command: list[str], undisturbed: dict[str, bytes], out: Path, blocks: int
) -> None:
    """Where a file can't grow it ends with 3 and says how to go on; with room it goes on to the same files."""
    limited = ["/bin/sh", "-c", f'ulimit -f {blocks}; exec "$@"', "sh", *PROGRAM]

    code, said = ended(limited, [*command, "--out", str(out)])
    assert code == 3, said
    assert "error: " in said
    assert "--resume" in said
    assert "Traceback" not in said
    code, said = finish(command, out, "--resume")
    assert code == 0, said
    assert outputs(out.parent) == undisturbed
