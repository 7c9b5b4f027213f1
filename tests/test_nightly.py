"""The steps of the nightly workflow, run in bash as GitHub runs them, with the canned corpus for a model.

What GitHub itself does (the schedule, secrets, caches, artefacts) is not run here; `gh`, which fetches an artefact of
an earlier night, is a stand-in that copies a folder.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from ruamel.yaml import YAML

from codegen_eval.results import dump
from codegen_eval.verdict import FailureClass, Verdict
from factories import make_layer_result, make_results, make_scored, make_solution

ROOT = Path(__file__).parent.parent
WORKFLOW = YAML(typ="safe").load(ROOT / ".github" / "workflows" / "nightly.yml")
LIST, BENCHMARK = (WORKFLOW["jobs"][name] for name in ("models", "benchmark"))
GH = """#!/bin/sh
case "$1 $2" in
  "run list") echo 41; echo 40 ;;
  "run download") [ "$3" = 40 ] && mkdir -p downloaded/x-2 && cp "$NIGHT"/results*.json downloaded/x-2/ ;;
esac
"""


def step(job: dict[str, list[dict[str, object]]], name: str) -> str:
    """Return the commands of a step."""
    (found,) = (step["run"] for step in job["steps"] if step.get("name") == name)
    assert isinstance(found, str)
    return found


def run(folder: Path, commands: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run commands as GitHub does, where `evalrun` is this one."""
    tools = folder / "tools"
    tools.mkdir(exist_ok=True)
    for name, text in {"evalrun": f'#!/bin/sh\nexec {sys.executable} -m codegen_eval "$@"\n', "gh": GH}.items():
        (tools / name).write_text(text)
        (tools / name).chmod(0o755)
    files = {name: str(folder / name.lower()) for name in ("GITHUB_OUTPUT", "GITHUB_STEP_SUMMARY")}
    return subprocess.run(
        ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", commands],
        cwd=folder,
        env=os.environ | files | environment | {"PATH": f"{tools}:{os.environ['PATH']}"},
        capture_output=True,
        text=True,
        timeout=250,
        check=False,
    )


def write_results(folder: Path, *, failing: int) -> None:
    """Write results of ten answers, some of which fail."""
    folder.mkdir(exist_ok=True)
    bad = make_layer_result(verdict=Verdict.FAIL, classes=(FailureClass.WRONG_LOGIC,))
    scored = [
        make_scored(
            solution=make_solution(task=f"task_{number}"), layers=(bad if number < failing else make_layer_result(),)
        )
        for number in range(10)
    ]
    (folder / "results.json").write_bytes(dump(make_results(solutions=tuple(scored))))


def test_commands_hold_no_expressions_and_know_their_variables() -> None:
    """No input or name is pasted into a shell; each variable that a step reads is set for it."""
    given = {"GITHUB_OUTPUT", "GITHUB_STEP_SUMMARY"}
    for job in (LIST, BENCHMARK):
        for one in job["steps"]:
            commands = str(one.get("run", ""))
            assert "${{" not in commands
            own = set(re.findall(r"\b([A-Z][A-Z0-9_]*)=", commands))
            read = set(re.findall(r"\$\{?([A-Z][A-Z0-9_]*)", commands)) - own
            assert read <= given | set(one.get("env", {})) | set(job.get("env", {}))


def test_actions_are_pinned_and_rights_are_few() -> None:
    """Every action is named by a whole commit; only reading is allowed; no fork runs anything."""
    used = [str(one["uses"]) for job in (LIST, BENCHMARK) for one in job["steps"] if "uses" in one]

    assert len(used) == 5
    assert all(re.fullmatch(r"[\w/-]+@[0-9a-f]{40}", name) for name in used)
    assert WORKFLOW["permissions"] == {}
    assert BENCHMARK["permissions"] == {"contents": "read", "actions": "read"}
    assert "fork" in LIST["if"]
    assert BENCHMARK["needs"] == "models"
    assert all("timeout-minutes" in job for job in (LIST, BENCHMARK))
    assert WORKFLOW["concurrency"]["cancel-in-progress"] is False


def test_the_list_of_models_becomes_a_matrix(tmp_path: Path) -> None:
    """Each model gets a name of its own that is safe in a path."""
    models = [{"mode": "mock"}, {"mode": "openai", "model": "qwen2.5-coder:7b", "base_url": "http://127.0.0.1/v1"}]

    done = run(tmp_path, step(LIST, "Read the list"), MODELS=json.dumps(models))

    assert done.returncode == 0, done.stderr
    matrix = json.loads((tmp_path / "github_output").read_text().removeprefix("models="))
    assert [one.pop("name") for one in matrix] == ["mock", "openai-qwen2.5-coder_7b"]
    assert matrix == models


@pytest.mark.parametrize(
    "models",
    [
        *("", "{}", "null", '["mock"]', '[{"model": "x"}]', '[{"mode": 1}]', '[{"mode": "a b"}]', '[{"mode": "-x"}]'),
        *(
            '[{"mode": "mock"}, {"mode": "mock"}]',
            '[{"mode": "x", "key": "y"}]',
            '[{"mode": "a\\nb"}]',
            '[{"mode": ""}]',
        ),
    ],
)
def test_a_list_that_is_none_stops_the_night(tmp_path: Path, models: str) -> None:
    """Anything but a list of different models fails before a key is used."""
    assert run(tmp_path, step(LIST, "Read the list"), MODELS=models).returncode != 0
    assert not (tmp_path / "github_output").exists()


@pytest.mark.docker
@pytest.mark.slow
@pytest.mark.usefixtures("engine")
def test_a_night_with_the_canned_corpus(tmp_path: Path) -> None:
    """Run, report without an earlier night, run again from the ledger: the same results, and a summary."""
    mode = {"MODE": "mock", "MODEL": "", "BASE_URL": "", "BUDGET_USD": "1"}
    done = run(tmp_path, step(BENCHMARK, "Run"), **mode)
    assert done.returncode == 0, done.stderr
    first = (tmp_path / "results.json").read_bytes()

    reported = run(
        tmp_path, step(BENCHMARK, "Report, and fail where the model got worse"), NAME="mock", MAX_REGRESSION="5"
    )
    (tmp_path / "results.json").unlink()
    again = run(tmp_path, step(BENCHMARK, "Run"), **mode)

    assert (reported.returncode, again.returncode) == (0, 0), reported.stderr + again.stderr
    assert (tmp_path / "results.json").read_bytes() == first
    assert "40 solutions of 10 tasks" in (tmp_path / "github_step_summary").read_text()


@pytest.mark.slow
def test_a_run_that_fails_says_why(tmp_path: Path) -> None:
    """The code of `evalrun` is the step's, and its message is shown."""
    environment = {"MODE": "nobody", "MODEL": "x", "BASE_URL": "", "BUDGET_USD": "none"}

    done = run(tmp_path, step(BENCHMARK, "Run"), **environment)

    assert done.returncode == 2
    assert "error: " in done.stderr
    assert "nobody" in done.stderr


@pytest.mark.slow
@pytest.mark.parametrize(("failing", "code"), [(2, 0), (1, 0), (9, 1)])
def test_a_night_that_got_worse_fails(tmp_path: Path, failing: int, code: int) -> None:
    """Results are held against those of the last night whose artefact is there; worse by more than allowed fails."""
    write_results(tmp_path, failing=failing)
    write_results(tmp_path / "night", failing=2)

    fetched = run(
        tmp_path,
        step(BENCHMARK, "Get the results of the last good night"),
        NAME="mock",
        BRANCH="main",
        NIGHT=str(tmp_path / "night"),
        GH_TOKEN="",
        GH_REPO="a/b",
    )
    reported = run(
        tmp_path, step(BENCHMARK, "Report, and fail where the model got worse"), NAME="mock", MAX_REGRESSION="5"
    )

    assert "compared with run 40" in fetched.stdout
    assert reported.returncode == code, reported.stderr
    assert (tmp_path / "github_step_summary").read_text().startswith("## mock\n")
