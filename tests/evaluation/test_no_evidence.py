"""What proves nothing passes nobody: cut samples, tests that never ask, answers that can't be compared."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

import pytest

from codegen_eval.cli.main import run_argv

UNSAFE = ("--sandbox", "subprocess", "--allow-unsafe-sandbox")
PROMPT = "def f(x):\n    '''Answer.'''\n"
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
        HONEST + "if 0:\n    check(f)\ncheck (0) if 0 else 0\n",
    ],
)
def test_tests_that_never_ask_exclude_their_problem(tmp_path: Path, test: str) -> None:
    problem = {"canonical_solution": "    return x*x\n", "test": test}

    assert judged(tmp_path, "humaneval", problem, "    return None\n")[:2] == (False, ["t/1"])


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
