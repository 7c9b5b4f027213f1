"""What proves nothing passes nobody: cut samples, tests that never ask, answers that can't be compared."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping
from pathlib import Path
from threading import Thread

import pytest

from codegen_eval.cli.main import run_argv

UNSAFE = ("--sandbox", "subprocess", "--allow-unsafe-sandbox")
PROMPT = "def f(x):\n    '''Answer.'''\n"
HELPER = "class Helper(unittest.TestCase):\n    def test_runs(self):\n        f(1)\n"
VALUE = "    def test_value(self):\n        self.assertEqual(f(3), 9)\n"
HONEST = "def check(candidate):\n    assert candidate(3) == 9\n"


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Keep answers of canonical solutions in a folder of the test's own."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))


def judged(folder: Path, dataset: str, problem: Mapping[str, object], completion: str) -> tuple[bool, list[str], int]:
    """Return whether a completion passes, the problems that are excluded, and how many errors there are."""
    record = {"task_id": "t/1", "prompt": PROMPT, "entry_point": "f", **problem}
    (folder / "d.jsonl").write_text(json.dumps(record) + "\n")
    (folder / "s.jsonl").write_text(json.dumps({"task_id": "t/1", "completion": completion}) + "\n")
    names = ("--dataset", f"{dataset}={folder / 'd.jsonl'}", "--samples", str(folder / "s.jsonl"))
    run_argv(["evaluate", *names, "--layers", "unit", *UNSAFE, "--out", str(folder / "e.json")])
    found = json.loads((folder / "e.json").read_text())
    (line,) = map(json.loads, (folder / "e.samples.jsonl").read_text().splitlines())
    return line["passed"], [each["problem"] for each in found["excluded"]], found["errors"]


@pytest.mark.parametrize("length", [10, 1_100_000])
def test_no_part_of_a_sample_is_judged_for_the_whole(tmp_path: Path, length: int) -> None:
    completion = "    return x*x\n#" + "x" * length + "\n)))no Python(((\n"

    passed, excluded, _ = judged(
        tmp_path, "humaneval", {"canonical_solution": "    return x*x\n", "test": HONEST}, completion
    )

    assert (passed, excluded) == (False, [])


@pytest.mark.parametrize(
    "tail",
    [
        "check.level = 1\n",
        "check = staticmethod(check)\n",
        "check if False else None\n",
    ],
)
def test_a_mention_of_check_is_no_call(tmp_path: Path, tail: str) -> None:
    """What begins with the name of the tests' function does not run it, so it is called all the same."""
    problem = {"canonical_solution": "    return x*x\n", "test": HONEST + tail}

    assert not judged(tmp_path, "humaneval", problem, "    return None\n")[0]


@pytest.mark.parametrize(
    "test",
    [
        "def check(candidate):\n    pass\n",
        "def check(candidate):\n    assert True\n",
        "def check(candidate):\n    candidate(1)\n",
        "def check(candidate):\n    assert candidate(3) == 9 or True\n",
        "def check(candidate):\n    assert (candidate(3) == 9, 'message')\n",
        "r = f(3)\nasync def check(candidate):\n    assert r == 9 and candidate(3) == 9\n    yield\n",
        "r = f(3)\n@__import__('contextlib').contextmanager\ndef check(candidate):\n    assert r == 9\n    yield\n",
        "def check(candidate):\n    r = candidate(3)\n    return map(lambda e: 1 / 0 if r != e else 1, [9])\n",
        "import threading\ndef check(f):\n    t = threading.Thread(target=lambda: 1 / (f(3) == 9))\n    t.start()\n",
        "def check(candidate):\n    candidate(1)\n    def inner():\n        assert candidate(3) == 9\n",
    ],
)
def test_tests_that_prove_nothing_exclude_their_problem(tmp_path: Path, test: str) -> None:
    """Tests that pass whoever does nothing are none, however they look."""
    problem = {"canonical_solution": "    return x*x\n", "test": test}

    assert judged(tmp_path, "humaneval", problem, "    return None\n")[1] == ["t/1"]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("canonical", "wrong", "inputs"),
    [
        ("return float('inf')", "return 0.0", [[1], [2]]),
        ("return [float('inf'), 1.0]", "return [-7.0, 1.0]", [[1]]),
        ("return {'a': float('-inf')}", "return {'a': 3}", [[1.0]]),
        ("return 1e308 * 10 if x > 5 else 1.0", "return 1.0", [[1], [9]]),
        ("return float('inf')", "return float('-inf')", [[1]]),
        ("return float('inf')", "return float('nan')", [[1]]),
        ("return complex(float('inf'), 0)", "return 1j", [[1]]),
    ],
)
def test_no_number_is_close_to_infinity(tmp_path: Path, canonical: str, wrong: str, inputs: list[list[object]]) -> None:
    problem = {
        "canonical_solution": f"    {canonical}\n",
        "base_input": inputs,
        "plus_input": [],
        "atol": 1e-6,
        "contract": "",
    }

    assert judged(tmp_path, "humanevalplus", problem, f"    {canonical}\n")[:2] == (True, [])
    assert not judged(tmp_path, "humanevalplus", problem, f"    {wrong}\n")[0]


def test_a_problem_without_an_answer_left_is_excluded(tmp_path: Path) -> None:
    """Where no canonical answer can be had, nothing is compared, and nobody passes."""
    problem = {
        "canonical_solution": "    return 'x' * 9_000_000\n",
        "base_input": [[1], [2]],
        "plus_input": [],
        "atol": 0,
        "contract": "",
    }

    passed, excluded, _ = judged(tmp_path, "humanevalplus", problem, "    return None\n")

    assert (passed, excluded) == (False, ["t/1"])


@pytest.mark.parametrize(
    "body",
    [
        "    r = f(3)\n    def test_a(self):\n        yield self.assertEqual(self.r, 9)\n",
        "    r = f(3)\n    def test_a(self):\n        return lambda: self.assertEqual(self.r, 9)\n",
        "    def test_a(self):\n        f(3)\n",
        "    def run(self, result=None):\n        f(3)\n    def test_a(self):\n        self.assertEqual(f(3), 9)\n",
    ],
)
def test_methods_that_prove_nothing_exclude_their_problem(tmp_path: Path, body: str) -> None:
    """So it is with classes of `unittest`."""
    test = "import unittest\nclass TestCases(unittest.TestCase):\n" + body
    problem = {
        "complete_prompt": PROMPT,
        "instruct_prompt": "Square.",
        "canonical_solution": "    return x*x\n",
        "code_prompt": PROMPT,
        "test": test,
        "doc_struct": "{}",
        "libs": "[]",
    }

    assert judged(tmp_path, "bigcodebench", problem, "    return 'wrong'\n")[1] == ["t/1"]


def test_without_a_score_it_does_not_end_as_if_there_was_one(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Where every problem is excluded the exit code says that less was done than asked."""
    record = {
        "task_id": "t/1",
        "prompt": PROMPT,
        "entry_point": "f",
        "canonical_solution": "    return 1\n",
        "test": HONEST,
    }
    dataset = tmp_path / "d.jsonl"
    dataset.write_text(json.dumps(record) + "\n")
    names = ("--dataset", f"humaneval={dataset}", "--references", "--out", str(tmp_path / "e.json"))

    assert run_argv(["evaluate", *names, "--layers", "unit", *UNSAFE]) == 1
    assert "there is no score: every problem that has samples is excluded" in capsys.readouterr().out


def test_samples_that_change_meanwhile_are_told_of_nobody(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """What was judged and what is published are the same, or nothing is published."""
    record = {"task_id": "t/1", "prompt": PROMPT, "entry_point": "f", "canonical_solution": "    return x*x\n"}
    (tmp_path / "d.jsonl").write_text(json.dumps(record | {"test": HONEST}) + "\n")
    samples, others = tmp_path / "s.jsonl", tmp_path / "others.jsonl"
    for path, answer in ((samples, "x*x"), (others, "None")):
        lines = [{"task_id": "t/1", "completion": f"    return {answer} # {number}\n"} for number in range(40)]
        path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    halfway = tmp_path / "e.samples.jsonl.part"

    def replace() -> None:
        while not halfway.exists() or halfway.stat().st_size == 0:
            time.sleep(0.005)
        others.replace(samples)

    replacing = Thread(target=replace)
    replacing.start()
    names = ("--dataset", f"humaneval={tmp_path / 'd.jsonl'}", "--samples", str(samples))
    code = run_argv(["evaluate", *names, "--layers", "unit", *UNSAFE, "--out", str(tmp_path / "e.json")])
    replacing.join()

    assert code == 2
    assert "has changed while it was evaluated" in capsys.readouterr().err
    assert not (tmp_path / "e.json").exists()
    assert not (tmp_path / "e.samples_results.jsonl").exists()


@pytest.mark.parametrize(
    "test",
    [
        "async def check(candidate):\n    assert candidate(3) == 9\ncandidate(1)\n",
        "def check(candidate):\n    candidate(1)\n    yield\n    assert candidate(3) == 9\ncandidate(0)\n",
        HONEST + "candidate(0)\ncheck(lambda x: x * x)\n",
    ],
)
def test_a_check_that_has_not_run_passes_nobody(tmp_path: Path, test: str) -> None:
    problem = {"canonical_solution": "    return x*x\n", "test": test}

    assert not judged(tmp_path, "humaneval", problem, "    return None\n")[0]


def test_a_text_that_is_none_is_judged_as_no_other(tmp_path: Path) -> None:
    """Half of a surrogate pair can't be run; a program with another character in its place is another program."""
    test = "def check(candidate):\n    assert candidate(3) == '?'\n"

    assert not judged(
        tmp_path, "humaneval", {"canonical_solution": "    return '?'\n", "test": test}, "    return '\ud800'\n"
    )[0]


@pytest.mark.parametrize(
    ("canonical", "wrong"),
    [("x/3", "complex(x/3, 1e-7)"), ("0.0", "1e-7j"), ("x/3", "(x/3,)")],
)
def test_only_numbers_of_one_kind_are_close(tmp_path: Path, canonical: str, wrong: str) -> None:
    inputs = {"base_input": [[1], [3]], "plus_input": [], "atol": 1e-6, "contract": ""}
    problem = {"canonical_solution": f"    return {canonical}\n", **inputs}

    assert not judged(tmp_path, "humanevalplus", problem, f"    return {wrong}\n")[0]


@pytest.mark.parametrize(
    "test",
    [
        HELPER + "class TestCases(Helper):\n" + VALUE,
        HELPER + "class TestCases(unittest.TestCase, object):\n" + VALUE,
    ],
)
def test_a_class_that_decides_and_can_not_be_read_gives_no_verdict(tmp_path: Path, test: str) -> None:
    record = {
        "task_id": "BigCodeBench/1",
        "complete_prompt": PROMPT,
        "instruct_prompt": "Square.",
        "canonical_solution": "    return x*x\n",
        "code_prompt": PROMPT,
        "test": "import unittest\n" + test,
        "entry_point": "f",
        "doc_struct": "{}",
        "libs": "[]",
    }
    (tmp_path / "d.jsonl").write_text(json.dumps(record) + "\n")
    (tmp_path / "s.jsonl").write_text(
        json.dumps({"task_id": "BigCodeBench/1", "completion": "    return None\n"}) + "\n"
    )
    names = ("--dataset", f"bigcodebench={tmp_path / 'd.jsonl'}", "--samples", str(tmp_path / "s.jsonl"))

    assert run_argv(["evaluate", *names, "--layers", "unit", *UNSAFE, "--out", str(tmp_path / "e.json")]) == 2
