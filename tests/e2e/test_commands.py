"""The commands as a user types them, in real sandboxes."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import docker
import docker.errors
import pytest

from codegen_eval.cli.main import run_argv
from codegen_eval.results import load_results
from codegen_eval.sandbox.hardening import LABEL_OWNER

CLASSES = ("wrong-logic", "missed-edge-case", "insecure-pattern", "silent-type-error", "performance-trap")
EXPECTED = {"unit": (3, 4, 4, 2, 1), "props": (3, 3, 0, 1, 0), "mutation": (0,) * 5, "lint": (0, 0, 4, 0, 0)}


def mock(out: Path, *options: str) -> int:
    return run_argv(["run", "--mock", "--out", str(out), *options])


def test_the_mock_run_gives_the_designed_matrix(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Every layer catches what it should, flags nothing falsely, and costs rise with the strategy."""
    assert mock(tmp_path / "r.json", "--sandbox", "subprocess", "--json") == 0

    card = json.loads(capsys.readouterr().out)
    for layer, caught in EXPECTED.items():
        assert tuple(card["catch"][layer][name]["caught"] for name in CLASSES) == caught
        assert card["false_flags"][layer] == {"flagged": 0, "clean": 26}
    costs = [card["cost"][strategy]["usd"] for strategy in ("bare", "spec", "test-first", "self-review")]
    assert costs == sorted(costs)
    assert len(set(costs)) == 4
    assert card["uncaught"] == []


@pytest.mark.docker
@pytest.mark.usefixtures("engine")
def test_bytes_do_not_depend_on_sandbox_or_jobs(tmp_path: Path) -> None:
    """Docker and subprocess, one job and many, write the same results where the Pythons agree."""
    assert mock(tmp_path / "a.json", "--sandbox", "docker", "--jobs", "4") == 0
    assert mock(tmp_path / "b.json", "--sandbox", "docker", "--jobs", "1") == 0
    assert mock(tmp_path / "c.json", "--sandbox", "subprocess", "--jobs", "2") == 0
    inside = json.loads((tmp_path / "a.run.json").read_text())["sandbox"]["python"]

    assert (tmp_path / "a.json").read_bytes() == (tmp_path / "b.json").read_bytes()
    if inside.split(".")[:2] == [str(part) for part in sys.version_info[:2]]:
        assert (tmp_path / "a.json").read_bytes() == (tmp_path / "c.json").read_bytes()


def test_a_killed_run_resumes_to_the_same_bytes(tmp_path: Path) -> None:
    """`kill -9` in the middle, then `--resume`: the bytes of an undisturbed run."""
    options = ["--sandbox", "subprocess", "--tasks", "fizzbuzz,word_count", "--layers", "unit,props"]
    assert mock(tmp_path / "whole.json", *options) == 0
    argv = [sys.executable, "-m", "codegen_eval", "run", "--mock", "--out", str(tmp_path / "cut.json"), *options]
    scratch = tmp_path / "scratch"
    scratch.mkdir(mode=0o755)
    tmp_path.chmod(0o755)
    environment = os.environ | {"TMPDIR": str(scratch)}
    with subprocess.Popen(
        argv, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, start_new_session=True, env=environment
    ) as process:
        assert process.stderr is not None
        said: list[bytes] = []
        for line in process.stderr:
            said.append(line)
            if b"layer_finished" in line:
                break
        assert b"layer_finished" in said[-1], said
        os.killpg(process.pid, signal.SIGKILL)
        process.stderr.read()
    assert not (tmp_path / "cut.json").exists()
    assert becomes_empty(scratch, seconds=5)

    assert run_argv(["run", "--resume", str(tmp_path / "cut.json"), "--sandbox", "subprocess"]) == 0
    assert (tmp_path / "cut.json").read_bytes() == (tmp_path / "whole.json").read_bytes()


@pytest.mark.slow
def test_a_long_name_of_the_temporary_folder_is_no_obstacle(tmp_path: Path) -> None:
    """Sockets have short names; where temporary files go may have a long one."""
    folder = tmp_path / ("long" * 25)
    folder.mkdir(mode=0o755)
    for parent in (tmp_path, tmp_path.parent):
        parent.chmod(0o755)
    argv = [sys.executable, "-m", "codegen_eval", "run", "--mock", "--tasks", "fizzbuzz", "--layers", "unit"]
    argv += ["--sandbox", "subprocess", "--out", str(tmp_path / "r.json")]
    done = subprocess.run(argv, capture_output=True, text=True, check=False, env=os.environ | {"TMPDIR": str(folder)})

    assert done.returncode == 0, done.stderr
    assert list(folder.iterdir()) == []


def becomes_empty(folder: Path, *, seconds: float) -> bool:
    """Say whether nothing of the sandboxes is left in time; sockets of Python's own fork server stay."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if not list(folder.glob("evalrun-*")):
            return True
        threading.Event().wait(0.02)
    return False


def group_ends(group: int, *, seconds: float) -> bool:
    """Say whether a process group is gone in time: what waits on a pipe to us needs a moment to notice."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        try:
            os.killpg(group, 0)
        except ProcessLookupError:
            return True
        threading.Event().wait(0.02)
    return False


@pytest.mark.parametrize("sandbox", ["subprocess", pytest.param("docker", marks=pytest.mark.docker)])
def test_ctrl_c_leaves_nothing_and_resumes(tmp_path: Path, request: pytest.FixtureRequest, sandbox: str) -> None:
    """Ctrl-C in the middle says so, exits with 130 and leaves no process; `--resume` finishes to a results file."""
    if sandbox == "docker":
        request.getfixturevalue("engine")
    out = tmp_path / "cut.json"
    argv = [sys.executable, "-c", "from codegen_eval.cli.main import run; run()", "run", "--mock", "--out", str(out)]
    argv += ["--sandbox", sandbox, "--tasks", "slugify,word_count", "--layers", "unit,props"]
    with subprocess.Popen(argv, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, start_new_session=True) as process:
        assert process.stderr is not None
        for line in process.stderr:
            if b"layer_finished" in line:
                break
        os.killpg(process.pid, signal.SIGINT)
        rest = process.stderr.read()

    assert process.returncode == 130
    assert group_ends(process.pid, seconds=5)
    assert b"error: interrupted" in rest
    assert f"--resume {out}".encode() in rest
    assert run_argv(["run", "--resume", str(out), "--sandbox", sandbox]) == 0
    assert out.exists()


@pytest.mark.docker
@pytest.mark.usefixtures("engine")
def test_sandboxes_that_are_taken_away_cost_time_and_no_verdict(tmp_path: Path) -> None:
    """What an engine loses in the middle of a run is done again: the bytes of an undisturbed run."""
    options = ["--sandbox", "docker", "--tasks", "fizzbuzz,word_count", "--layers", "unit,props,mutation"]
    assert mock(tmp_path / "whole.json", *options) == 0
    argv = [sys.executable, "-m", "codegen_eval", "run", "--mock", "--out", str(tmp_path / "cut.json"), *options]
    killed = 0
    with subprocess.Popen(argv, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL) as process:
        assert process.stderr is not None
        for line in process.stderr:
            if killed < 2 and b"layer_finished" in line:
                killed += kill_sandboxes_of(process.pid)

    assert killed >= 2
    assert process.returncode == 0
    assert (tmp_path / "cut.json").read_bytes() == (tmp_path / "whole.json").read_bytes()


def kill_sandboxes_of(pid: int) -> int:
    """Kill every running sandbox of a process; say how many there were."""
    killed = 0
    client = docker.from_env()
    for container in client.containers.list(filters={"label": LABEL_OWNER}):
        if f":{pid}:" not in container.labels[LABEL_OWNER]:
            continue
        with contextlib.suppress(docker.errors.APIError):
            container.kill()
            killed += 1
    client.close()
    return killed


@pytest.mark.slow
def test_a_run_that_is_refused_leaves_the_earlier_one_alone(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """What can be refused is refused before anything is written; a resume takes no option that would change the run."""
    out = tmp_path / "r.json"
    assert mock(out, "--sandbox", "subprocess", "--tasks", "fizzbuzz", "--layers", "lint", "--seed", "7") == 0
    before = (tmp_path / "r.ledger").read_bytes()

    assert mock(out, "--sandbox", "cloud") == 2
    assert mock(out, "--sandbox", "subprocess", "--runtime", "runsc") == 2
    assert run_argv(["run", "--mode", "nobody", "--model", "x", "--out", str(out)]) == 2
    for change in (["--seed", "8"], ["--tasks", "flatten"], ["--mock"], ["--out", str(tmp_path / "other.json")]):
        assert run_argv(["run", "--resume", str(out), *change]) == 2
    assert (tmp_path / "r.ledger").read_bytes() == before
    assert not (tmp_path / "other.json").exists()
    capsys.readouterr()
    assert run_argv(["run", "--resume", str(out), "--sandbox", "subprocess", "--json"]) == 0
    assert run_argv(["report", str(tmp_path / "r.run.json")]) == 2
    assert "r.json" in capsys.readouterr().err


@pytest.mark.parametrize("out", ["missing/r.json", ".", "device"])
def test_a_place_that_cannot_be_written_is_refused_first(tmp_path: Path, out: str) -> None:
    """A results file that can't be is exit 2, with nothing left beside it."""
    (tmp_path / "device").symlink_to("/dev/null")

    assert mock(tmp_path / out, "--sandbox", "subprocess") == 2
    assert {path.name for path in tmp_path.iterdir()} == {"device"}


@pytest.mark.parametrize("name", ["notes.md", "r.ledger", "r.run.json", "-"])
def test_results_replace_nothing_but_results(tmp_path: Path, name: str) -> None:
    """A file of the user's, or of another run, is not overwritten by a slip of the pen."""
    (tmp_path / name).write_text("not results")

    assert mock(tmp_path / name, "--sandbox", "subprocess", "--tasks", "fizzbuzz", "--layers", "lint") == 2
    assert (tmp_path / name).read_text() == "not results"
    assert len(list(tmp_path.iterdir())) == 1


@pytest.mark.slow
@pytest.mark.parametrize("streams", [">&-", "2>&-", "2>/dev/full", "<&- >&- 2>&-"])
def test_streams_that_are_closed_stop_no_run(tmp_path: Path, streams: str) -> None:
    """Who can't be told still gets the results."""
    evalrun = f"{sys.executable} -c 'from codegen_eval.cli.main import run; run()' run --mock --sandbox subprocess"
    command = f"{evalrun} --tasks fizzbuzz --strategies bare --layers lint --out r.json {streams}"

    done = subprocess.run(["sh", "-c", command], cwd=tmp_path, capture_output=True, timeout=60, check=False)

    assert done.returncode == 0
    assert len(load_results(tmp_path / "r.json").solutions) == 1


@pytest.mark.slow
def test_an_early_interrupt_is_one_message(tmp_path: Path) -> None:
    """Ctrl-C while everything is still being imported, here and in the fork server, prints no traceback."""
    argv = [sys.executable, "-c", "from codegen_eval.cli.main import run; run()", "run", "--mock"]
    for delay in (0.25, 0.4, 0.6):
        with subprocess.Popen(
            argv, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, start_new_session=True, cwd=tmp_path
        ) as process:
            threading.Event().wait(delay)
            os.killpg(process.pid, signal.SIGINT)
            assert process.stderr is not None
            err = process.stderr.read()

        assert b"Traceback" not in err or process.returncode == -signal.SIGINT  # Python itself was not up yet
        assert group_ends(process.pid, seconds=5)


@pytest.mark.slow
def test_json_is_all_that_a_validation_prints(capsys: pytest.CaptureFixture[str]) -> None:
    """Standard output is data: events go to standard error."""
    assert run_argv(["tasks", "validate", "fizzbuzz", "--sandbox", "subprocess", "--json"]) == 0

    told = json.loads(capsys.readouterr().out)
    assert list(told) == ["fizzbuzz"]
    assert told["fizzbuzz"]["problems"] == []


@pytest.mark.parametrize("source", ["", "def fizbuzz(n): return []\n", "fizzbuzz = 3\n"])
def test_a_solution_without_the_function_is_told_so_once(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], source: str
) -> None:
    """What is not defined fails as that, not case by case with the class that each case is aimed at."""
    (tmp_path / "s.py").write_text(source)
    options = ["--sandbox", "subprocess", "--allow-unsafe-sandbox", "--layers", "unit", "--json"]

    assert run_argv(["check", "fizzbuzz", str(tmp_path / "s.py"), *options]) == 1
    (row,) = json.loads(capsys.readouterr().out)
    (finding,) = row["layers"]["unit"]["findings"]
    assert "does not define fizzbuzz" in finding["message"]
    assert finding["class"] == "wrong-logic"


@pytest.mark.slow
def test_options_take_words_in_every_form(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """List options are separated by spaces or commas, or repeated; `--mock` alone means `run --mock`."""
    out = str(tmp_path / "r.json")
    tail = ["--sandbox", "subprocess", "--tasks", "fizzbuzz", "--json", "--out", out]
    for form in (["bare", "self-review"], ["bare,self-review"], ["bare", "--strategies", "self-review"]):
        assert run_argv(["--mock", "--strategies", *form, "--layers", "unit", "lint", *tail]) == 0
        assert sorted(json.loads(capsys.readouterr().out)["seeded"]) == ["bare", "self-review"]
    for name in ("text", "markdown", "json"):
        assert run_argv(["report", out, "--format", name]) == 0
        assert "self-review" in capsys.readouterr().out


def test_check_judges_files(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """`check` exits 0 where all pass, 1 where one fails, 2 on bad input; JSON has a row for each file."""
    good, bad = tmp_path / "good.py", tmp_path / "bad.py"
    good.write_text("def is_palindrome(s):\n    k = [c for c in s.lower() if c.isalnum()]\n    return k == k[::-1]\n")
    bad.write_text("def is_palindrome(s: return\n")
    (tmp_path / "binary.py").write_bytes(b"\xff\xfe\x00")
    common = ["--sandbox", "subprocess", "--allow-unsafe-sandbox", "--layers", "unit", "lint"]

    assert run_argv(["check", "is_palindrome", str(good), *common]) == 0
    assert "PASS" in capsys.readouterr().out
    assert run_argv(["check", "is_palindrome", str(good), str(bad), "--json", *common]) == 1
    rows = json.loads(capsys.readouterr().out)
    assert [row["verdict"] for row in rows] == ["pass", "fail"]
    assert rows[1]["layers"]["unit"]["findings"][0]["class"] == "syntax-error"
    for wrong in (
        ["check", "is_palindrome", str(tmp_path / "none.py")],
        ["check", "is_palindrome", str(tmp_path / "binary.py")],
        ["check", "nothing", str(good)],
    ):
        assert run_argv([*wrong, *common]) == 2
    assert run_argv(["check", "is_palindrome", str(good), "--sandbox", "subprocess"]) == 2
    assert "--allow-unsafe-sandbox" in capsys.readouterr().err


@pytest.mark.parametrize(
    "argv",
    [
        ["run"],
        ["run", "--mock", "--tasks", "fizbuzz"],
        ["run", "--mock", "--layers", "unti"],
        ["run", "--mock", "--strategies", "bear"],
        ["run", "--mock", "--sandbox", "cloud"],
        ["run", "--mock", "--log-format", "xml"],
        ["run", "--mock", "--jobs", "0"],
        ["run", "--mock", "--model", "gpt"],
        ["run", "--mock", "--layers", ""],
        ["run", "--resume", "results.run.json"],
        ["run", "--resume", "nowhere.json"],
        ["report", "nowhere.json"],
        ["tasks", "show", "nothing"],
        ["no-such-command"],
    ],
)
def test_bad_input_is_exit_2_and_no_traceback(
    argv: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """What the user got wrong is one message with exit code 2."""
    monkeypatch.chdir(tmp_path)

    assert run_argv(argv) == 2
    err = capsys.readouterr().err
    assert "Traceback" not in err
    assert err


def test_windows_is_told_of_wsl(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """Where it can't run it says where it can."""
    monkeypatch.setattr("sys.platform", "win32")

    assert run_argv(["run", "--mock"]) == 3
    assert "WSL" in capsys.readouterr().err


@pytest.mark.slow
def test_tasks_and_doctor_answer(capsys: pytest.CaptureFixture[str]) -> None:
    """`tasks list`, `tasks show`, `tasks validate`, `corpus validate` and `doctor` print what they promise."""
    assert run_argv(["tasks", "list", "--json"]) == 0
    assert len(json.loads(capsys.readouterr().out)) == 10
    assert run_argv(["tasks", "list"]) == 0
    assert run_argv(["tasks", "show", "safe_calc"]) == 0
    assert "ValueError" in capsys.readouterr().out
    assert run_argv(["tasks", "validate", "fizzbuzz", "--sandbox", "subprocess"]) == 0
    assert "fizzbuzz: ok" in capsys.readouterr().out
    assert run_argv(["doctor", "--sandbox", "subprocess"]) == 3
    assert "subprocess" in capsys.readouterr().out


@pytest.mark.slow
def test_the_corpus_is_what_it_says(capsys: pytest.CaptureFixture[str]) -> None:
    """Every seeded failure is there, by its witness."""
    assert run_argv(["corpus", "validate", "--sandbox", "subprocess"]) == 0
    assert capsys.readouterr().out.count(": ok") == 14
