"""`evalrun evaluate`, whole: what it prints and writes, in every order of work, and after it was killed."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from codegen_eval.cli.main import run_argv

DATA = Path(__file__).parent.parent / "data" / "datasets"
UNSAFE = ("--sandbox", "subprocess", "--allow-unsafe-sandbox")
SETS = ("humaneval", "humanevalplus", "mbpp", "mbppplus", "quixbugs", "humanevalfix", "livecodebench")


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Keep answers of canonical solutions in a folder of the test's own."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))


def evaluate(out: Path, *options: str, sandbox: tuple[str, ...] = UNSAFE) -> int:
    """Run the command."""
    return run_argv(["evaluate", "--out", str(out), "--layers", "unit", *sandbox, *options])


def summary(out: Path) -> dict[str, object]:
    """Return the summary."""
    found = json.loads(out.read_text(encoding="utf-8"))
    assert isinstance(found, dict)
    return found


def rate(out: Path) -> float:
    """Return pass@1."""
    found = json.loads(out.read_text(encoding="utf-8"))["pass_at_k"]
    return float(found[0]["estimate"])


@pytest.mark.slow
@pytest.mark.parametrize("name", ["humaneval", "humanevalplus", "mbpp", "quixbugs", "humanevalfix"])
def test_canonical_solutions_pass(tmp_path: Path, name: str) -> None:
    """Every canonical solution of the sets passes its own tests; each buggy program fails."""
    out, dataset = tmp_path / "e.json", f"{name}={DATA / f'{name}.jsonl'}"

    assert evaluate(out, "--dataset", dataset, "--references") == 0
    assert (rate(out), summary(out)["excluded"]) == (1.0, [])
    if name in {"quixbugs", "humanevalfix"}:
        assert evaluate(out, "--dataset", dataset, "--buggy") == 0
        assert rate(out) == 0.0


def test_the_hand_checked_set_is_read_from_its_array(tmp_path: Path) -> None:
    """MBPP's sanitized file judges as the full one does."""
    out = tmp_path / "e.json"

    assert evaluate(out, "--dataset", f"mbpp={DATA / 'sanitized-mbpp.json'}", "--references") == 0
    assert rate(out) == 1.0


def write_samples(path: Path) -> None:
    """Write samples of four problems: right ones, wrong ones, hostile ones, and lines that are none."""
    problems = [json.loads(line) for line in (DATA / "humaneval.jsonl").read_text(encoding="utf-8").splitlines()]
    bodies = ["    return None\n", "    import sys; sys.exit(0)\n", "    return (\n", ""]
    lines = ["", "{not json"]
    for problem in problems:
        texts = [problem["canonical_solution"], *bodies, problem["canonical_solution"]]
        lines += [json.dumps({"task_id": problem["task_id"], "completion": text}) for text in texts]
    lines.append(json.dumps({"task_id": "HumanEval/999", "completion": ""}))
    path.write_text("\n".join(lines), encoding="utf-8")


@pytest.mark.slow
def test_samples_are_scored_and_bad_lines_are_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Two of six right answers give pass@1 of a third; lines that can't be read are listed, and the rest runs."""
    samples, out = tmp_path / "s.jsonl", tmp_path / "e.json"
    write_samples(samples)

    assert evaluate(out, "--dataset", f"humaneval={DATA / 'humaneval.jsonl'}", "--samples", str(samples)) == 0
    text = capsys.readouterr().out

    assert "24 samples of 4 of 4 problems" in text
    assert "reference pass rate 4/4" in text
    assert re.search(r"^pass@1 +33.33% ", text, re.MULTILINE)
    assert re.search(r"^pass@5 +100.00% ", text, re.MULTILINE)
    assert "Could not be read" in text
    assert f"{samples}:2" in text
    assert len((tmp_path / "e.samples.jsonl").read_text(encoding="utf-8").splitlines()) == 24
    assert len((tmp_path / "e.samples_results.jsonl").read_text(encoding="utf-8").splitlines()) == 24


@pytest.mark.parametrize(
    ("given", "out"),
    [("e.samples.jsonl", "e.json"), ("e.samples_results.jsonl", "e.json"), ("s", "s"), ("e.ledger", "e.json")],
)
def test_what_is_read_is_never_written_over(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], given: str, out: str
) -> None:
    """Samples, or a set, where an output would be are left as they are, and the user is told."""
    samples = tmp_path / given
    write_samples(samples)
    kept = samples.read_bytes()
    words = ("--dataset", f"humaneval={DATA / 'humaneval.jsonl'}", "--samples", str(samples))

    assert evaluate(tmp_path / out, *words) == 2
    assert "would be written over it" in capsys.readouterr().err
    samples.with_name("link").hardlink_to(samples)
    assert evaluate(tmp_path / out, "--dataset", f"humaneval={tmp_path / 'link'}", "--references") == 2
    assert samples.read_bytes() == kept


def test_nothing_is_written_into_a_folder_of_samples(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Neither over a sample nor beside one."""
    sample = tmp_path / "samples" / "HumanEval_34" / "0.py"
    sample.parent.mkdir(parents=True)
    sample.write_text("def unique(l):\n    return sorted(set(l))\n", encoding="utf-8")
    words = ("--dataset", f"humaneval={DATA / 'humaneval.jsonl'}", "--samples", str(tmp_path / "samples"))

    for out in (sample, tmp_path / "samples" / "e.json"):
        assert evaluate(out, *words) == 2
        assert "would be written over it" in capsys.readouterr().err
    assert [path for path in tmp_path.rglob("*") if path.is_file()] == [sample]


def test_a_link_in_place_of_a_part_is_not_followed(tmp_path: Path) -> None:
    """What another file's name stands for is nobody's output."""
    precious, out = tmp_path / "precious", tmp_path / "e.json"
    precious.write_text("mine")
    for name in ("e.samples.jsonl.part", "e.samples.jsonl.done", "e.samples_results.jsonl.part"):
        (tmp_path / name).symlink_to(precious)

    assert evaluate(out, "--dataset", f"humaneval={DATA / 'humaneval.jsonl'}", "--references") == 0
    assert precious.read_text() == "mine"


def test_a_limit_is_told_with_what_was_judged(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Beside what the samples are stands how many of them were judged."""
    samples, out = tmp_path / "s.jsonl", tmp_path / "e.json"
    write_samples(samples)
    words = ("--dataset", f"humaneval={DATA / 'humaneval.jsonl'}", "--samples", str(samples))

    assert evaluate(out, *words, "--limit", "4") == 0
    assert "24 samples of 4 of 4 problems, of which the first 4 are judged" in capsys.readouterr().out
    assert summary(out)["limit"] == 4


def outputs(folder: Path) -> dict[str, bytes]:
    """Return what must not depend on how the work was done."""
    names = ("e.json", "e.samples.jsonl", "e.samples_results.jsonl")
    return {name: (folder / name).read_bytes() for name in names}


@pytest.mark.slow
def test_what_can_not_be_written_at_the_end_is_told_with_the_way_on(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Where a file beside the summary can't be written, nothing has to be judged again."""
    blocked = tmp_path / "e.samples_results.jsonl.part"
    blocked.mkdir()
    dataset = f"quixbugs={DATA / 'quixbugs.jsonl'}"

    assert evaluate(tmp_path / "e.json", "--dataset", dataset, "--references") == 3
    assert "--resume" in capsys.readouterr().err
    blocked.rmdir()
    assert evaluate(tmp_path / "e.json", "--dataset", dataset, "--references", "--resume") == 0


@pytest.mark.slow
def test_jobs_make_no_difference(tmp_path: Path) -> None:
    """With one job and with four, the same bytes come out."""
    samples, dataset = tmp_path / "s.jsonl", f"humaneval={DATA / 'humaneval.jsonl'}"
    write_samples(samples)
    for jobs in ("1", "4"):
        (tmp_path / jobs).mkdir()
        assert (
            evaluate(tmp_path / jobs / "e.json", "--dataset", dataset, "--samples", str(samples), "--jobs", jobs) == 0
        )

    assert outputs(tmp_path / "1") == outputs(tmp_path / "4")


@pytest.mark.docker
@pytest.mark.usefixtures("engine")
@pytest.mark.parametrize("name", ["humaneval", "mbpp", "quixbugs"])
def test_sandboxes_make_no_difference(tmp_path: Path, name: str) -> None:
    """In Docker and in subprocesses, the same bytes come out."""
    dataset = f"{name}={DATA / f'{name}.jsonl'}"
    for kind, sandbox in (("docker", ("--sandbox", "docker")), ("subprocess", UNSAFE)):
        (tmp_path / kind).mkdir()
        assert evaluate(tmp_path / kind / "e.json", "--dataset", dataset, "--references", sandbox=sandbox) == 0

    assert outputs(tmp_path / "docker") == outputs(tmp_path / "subprocess")


@pytest.mark.slow
def test_a_killed_evaluation_goes_on(tmp_path: Path) -> None:
    """After kill -9 in the middle, --resume gives the same files, and judges nothing twice."""
    samples, dataset = tmp_path / "s.jsonl", f"humaneval={DATA / 'humaneval.jsonl'}"
    write_samples(samples)
    whole, cut = tmp_path / "whole", tmp_path / "cut"
    whole.mkdir()
    cut.mkdir()
    options = ["--dataset", dataset, "--samples", str(samples), "--jobs", "1"]
    assert evaluate(whole / "e.json", *options) == 0

    command = [sys.executable, "-m", "codegen_eval", "evaluate", "--out", str(cut / "e.json"), "--layers", "unit"]
    with subprocess.Popen(
        [*command, *UNSAFE, *options, "--log-format", "json"],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    ) as process:
        assert process.stderr is not None
        judged = 0
        for line in process.stderr:
            judged += '"event": "layer_finished"' in line
            if judged == 12:  # four references, eight samples
                break
        os.killpg(process.pid, signal.SIGKILL)
    assert not (cut / "e.json").exists()

    assert evaluate(cut / "e.json", *options, "--resume") == 0
    assert outputs(cut) == outputs(whole)


def test_another_problem_set_is_no_resume(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A ledger of another set is refused, with what to do."""
    out = tmp_path / "e.json"
    assert evaluate(out, "--dataset", f"humaneval={DATA / 'humaneval.jsonl'}", "--references") == 0

    assert evaluate(out, "--dataset", f"mbpp={DATA / 'mbpp.jsonl'}", "--references", "--resume") in {2, 3}
    assert "another problem set" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ((), "one of `--samples`, `--references` and `--buggy`"),
        (("--references", "--buggy"), "one of `--samples`, `--references` and `--buggy`"),
        (("--buggy",), "come without buggy programs"),
        (("--samples", "/nowhere/at/all.jsonl"), "can't be read"),
        (("--references", "--layers", "taste"), "no layer `taste`"),
        (("--references", "--rule", "taste"), "no rule `taste`"),
        (("--references", "--k", "0"), "no number from 1"),
    ],
)
def test_mistakes_are_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], options: tuple[str, ...], said: str
) -> None:
    """Input that can't be used ends with 2 and says why."""
    assert evaluate(tmp_path / "e.json", "--dataset", f"humaneval={DATA / 'humaneval.jsonl'}", *options) == 2
    assert said in capsys.readouterr().err


@pytest.mark.parametrize("name", ["bigcodebench", "bigcodebench-instruct"])
def test_bigcodebench_is_judged_as_far_as_it_runs_apart(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str
) -> None:
    """Tests that need the solution's own process, or a library, exclude their problem with the reason."""
    out, samples = tmp_path / "e.json", tmp_path / "s.jsonl"
    head = "import collections\ndef task_func(text):\n"
    right = "    if not isinstance(text, str):\n        raise TypeError('no text')\n"
    right += "    return {**collections.Counter(text.split())}\n"
    bodies = [right, right.replace("TypeError", "ValueError"), "    raise __import__('unittest').SkipTest\n"]
    records = [{"task_id": "BigCodeBench/9002", "solution": head + body} for body in bodies]
    records += [
        {"task_id": f"BigCodeBench/{n}", "solution": "def task_func(*_):\n    pass\n"} for n in (9001, 9003, 9004, 9005)
    ]
    samples.write_text("".join(json.dumps(record) + "\n" for record in records), encoding="utf-8")

    assert evaluate(out, "--dataset", f"{name}={DATA / 'bigcodebench.jsonl'}", "--samples", str(samples)) == 0

    said, found = capsys.readouterr().out, summary(out)
    assert (found["scored_samples"], found["errors"], found["problems"]) == (
        3,
        0,
        [{"problem": "BigCodeBench/9002", "samples": 3, "passed": 1, "base_passed": None, "known_bad": None}],
    )
    excluded = found["excluded"]
    assert isinstance(excluded, list)
    reasons = {one["problem"]: one["reason"] for one in excluded}
    for number, why in (
        (9001, "No module named 'pandas'"),
        (9003, "its tests replace names within the solution's own process"),
        (9004, "its tests make files where the solution, which runs apart, can't see them"),
        (9005, "its tests replace streams"),
    ):
        assert why in reasons[f"BigCodeBench/{number}"]
        assert re.search(rf"^BigCodeBench/{number} +\S", said, re.MULTILINE)
