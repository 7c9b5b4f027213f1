"""Runs, plans and checks of public problem sets, with a model on the other side of real HTTP."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from codegen_eval.cli.main import run_argv
from codegen_eval.datasets import Dataset, Problem, read_dataset
from codegen_eval.results import load_results, load_run_record, run_record_path
from codegen_eval.solution import Outcome, Strategy
from codegen_eval.verdict import Verdict
from wires import OPENAI, Said, Status, WireServer
from wires.script import Asked, Fault, Script

DATA = Path(__file__).parents[1] / "data" / "datasets"
UNSAFE = ("--sandbox", "subprocess", "--allow-unsafe-sandbox")
HUMANEVAL = f"humaneval={DATA / 'humaneval.jsonl'}"
BODY, WHOLE, WRONG = "HumanEval/34", "HumanEval/38", "HumanEval/64"
"""How the model answers: with a body to go on with, with a whole function that uses the prompt's helpers, wrongly."""


def answers(dataset: Dataset) -> Script:
    """Return a model that knows the canonical solutions, writes them in several forms, and gets one problem wrong."""

    def reply(problem: Problem) -> str:
        canonical = problem.canonical or ""
        match problem.id:
            case str(name) if name == BODY:
                code = canonical.removeprefix(problem.prompt)
            case str(name) if name == WRONG:
                code = f"def {problem.entry_point}(*args):\n    return None\n"
            case _:
                code = canonical.removeprefix(problem.preamble)
        return f"Here it is.\n\n```python\n{code}```\n"

    said = {problem.prompt.strip("\n"): reply(problem) for problem in dataset.problems.values()}

    def script(asked: Asked) -> Said | Fault:
        shown = next(content for role, content in asked.messages if role == "user")
        return Said(text=next(text for prompt, text in said.items() if prompt in shown))

    return script


@pytest.fixture
def out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Give a place for results, and a cache of the test's own."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return tmp_path / "r.json"


def serve(monkeypatch: pytest.MonkeyPatch, script: Script) -> WireServer:
    server = WireServer(OPENAI, script)
    for name, value in server.environment().items():
        monkeypatch.setenv(name, value)
    return server


def run(out: Path, *options: str, dataset: str = HUMANEVAL) -> int:
    words = ["run", "--dataset", dataset, "--mode", "openai", "--model", "m", *UNSAFE, "--out", str(out)]
    return run_argv([*words, *options])


def test_a_model_answers_a_set_under_all_strategies(out: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Bodies, whole functions and wrong ones are told apart under every strategy, with the prompt's helpers in scope."""
    with read_dataset(HUMANEVAL) as dataset:
        server = serve(monkeypatch, answers(dataset))
        ids, digest = tuple(dataset.problems), dataset.digest
    with server:
        assert run(out, "--layers", "unit", "props", "mutation", "lint", "llm_review") == 0

    results, record = load_results(out), load_run_record(run_record_path(out))
    assert results.tasks == ids
    assert not results.has_truth
    assert len(results.solutions) == len(ids) * len(Strategy)
    for scored in results.solutions:
        wanted = Verdict.FAIL if scored.solution.task == WRONG else Verdict.PASS
        assert scored.result("unit").verdict is wanted, scored.solution.id
        assert scored.result("props").verdict is not Verdict.ERROR
        assert scored.result("mutation").verdict is not Verdict.ERROR
        assert scored.solution.id.startswith(f"{scored.solution.task}/")
    assert {"humaneval": digest}.items() <= {fact.name: fact.value for fact in record.datasets}.items()
