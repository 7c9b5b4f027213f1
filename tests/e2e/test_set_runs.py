"""Runs, plans and checks of public problem sets, with a model on the other side of real HTTP."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from codegen_eval.cli.main import run_argv
from codegen_eval.datasets import Dataset, Problem, read_dataset
from codegen_eval.resources import resource_root
from codegen_eval.results import load_results, load_run_record, run_record_path
from codegen_eval.solution import Outcome, Strategy
from codegen_eval.verdict import Verdict
from wires import OPENAI, Said, Status, WireServer
from wires.script import Asked, Fault, Script

DATA = Path(__file__).parents[1] / "data" / "datasets"
BIGCODE = f"bigcodebench={DATA / 'bigcodebench.jsonl'}"
UNSAFE = ("--sandbox", "subprocess", "--allow-unsafe-sandbox")
HUMANEVAL = f"humaneval={DATA / 'humaneval.jsonl'}"
BODY, WHOLE, WRONG = "HumanEval/34", "HumanEval/38", "HumanEval/64"
"""How the model answers: with a body to go on with, with a whole function that uses the prompt's helpers, wrongly."""

CONTEST = {
    "own001_a": "print(sum(map(int, input().split())))",
    "9001": "class Solution:\n    def longestWord(self, words: List[str], least: int) -> str:\n"
    "        return max([word for word in words if len(word) >= least] or [''], key=len)",
    "own001_b": "line = list(map(int, input().split()))\nprint(line.index(max(line)))",
}
"""Answers to contest problems, which have no canonical solutions; the second one uses what its set imports."""


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


@pytest.mark.slow
def test_a_model_answers_a_set_under_all_strategies(out: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Bodies and whole functions pass under every strategy, with the prompt's helpers in scope; wrong ones fail."""
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


def small(out: Path, *options: str, dataset: str = HUMANEVAL) -> int:
    """Run under one strategy, through one layer."""
    return run(out, "--strategies", "bare", "--layers", "unit", *options, dataset=dataset)


def changed(tmp_path: Path, **changes: str) -> str:
    """Return a copy of the set whose first problem has other fields."""
    first, *others = (DATA / "humaneval.jsonl").read_text().splitlines()
    path = tmp_path / "changed.jsonl"
    path.write_text("\n".join((json.dumps(json.loads(first) | changes), *others)) + "\n")
    return f"humaneval={path}"


@pytest.mark.slow
def test_a_problem_that_its_own_solution_fails_is_left_out(
    out: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """No model is asked about a problem whose canonical solution fails; it is told, recorded, and counts nowhere."""
    dataset = changed(out.parent, canonical_solution="    return l\n", task_id="A|<b>`x/1")
    with read_dataset(HUMANEVAL) as known:
        server = serve(monkeypatch, answers(known))
    with server:
        assert small(out, dataset=dataset) == 0

    results, record = load_results(out), load_run_record(run_record_path(out))
    assert results.tasks == ("HumanEval/38", "HumanEval/64", "HumanEval/116")
    assert len(server.calls) == 3
    ((left, why),) = [(fact.name, fact.value) for fact in record.left_out]
    assert (left, why[:42]) == ("A|<b>`x/1", "its canonical solution does not pass: an a")
    assert "left out: A|<b>`x/1: its canonical solution" in capsys.readouterr().err


def test_hostile_ids_stay_text(out: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """An id that looks like markup or like another solution's id is escaped, and splits nothing."""
    dataset = changed(out.parent, task_id="x/bare/y|<b>[a](http://e)/1")
    with read_dataset(HUMANEVAL) as known:
        server = serve(monkeypatch, answers(known))
    with server:
        assert small(out, "--limit", "1", dataset=dataset) == 0
        capsys.readouterr()
        assert run_argv(["report", str(out), "--format", "markdown", "-v"]) == 0

    (scored,) = load_results(out).solutions
    assert scored.solution.id == "x/bare/y|<b>[a](http://e)/1/bare"
    assert "<b>" not in capsys.readouterr().out


@pytest.mark.slow
def test_a_run_of_a_set_goes_on_where_it_was_stopped(out: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A resumed run pays nothing twice and writes the bytes of one that was never stopped; its set may not change."""
    path = out.parent / "set.jsonl"
    path.write_bytes((DATA / "humaneval.jsonl").read_bytes())
    dataset = f"humaneval={path}"
    with read_dataset(dataset) as known:
        script = answers(known)

    def refusing(asked: Asked) -> Said | Fault:
        return script(asked) if asked.number <= 2 else Status(401)

    whole = out.with_name("whole.json")
    with serve(monkeypatch, script):
        assert small(whole, dataset=dataset) == 0
    with serve(monkeypatch, refusing) as server:
        assert small(out, "--concurrency", "1", dataset=dataset) == 2
        assert len(server.answered) == 2
    with serve(monkeypatch, script) as server:
        path.write_text(path.read_text() + "\n")
        assert run_argv(["run", "--resume", str(out), *UNSAFE]) == 2
        path.write_bytes((DATA / "humaneval.jsonl").read_bytes())
        assert run_argv(["run", "--resume", str(out), *UNSAFE, "--base-url", f"{server.url}/v1"]) == 0
        assert len(server.answered) == 2

    assert out.read_bytes() == whole.read_bytes()
    assert run_argv(["extract", str(out)]) == 0


@pytest.mark.slow
def test_a_reviewers_claims_are_executed_on_the_canonical_solution(out: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A claim is confirmed where the solution departs from the canonical one on its call, and refuted elsewhere."""
    with read_dataset(HUMANEVAL) as known:
        script = answers(known)
    claim: dict[str, object] = {"class": "wrong-logic", "summary": "wrong", "files": [], "cwe": None}

    def reviewing(asked: Asked) -> Said | Fault:
        if asked.tool is None:
            return script(asked)
        call = "vowels_count('abcde')" if "vowels_count" in asked.prompt else "unique([3, 1, 3])"
        return Said(tool=json.dumps({"claims": [claim | {"call": call}]}))

    with serve(monkeypatch, reviewing):
        options = ("--reviewer", "openai:another", "--tasks", "34", "HumanEval/64", "--strategies", "bare")
        assert run(out, *options, "--layers", "unit", "llm_review") == 0

    found = {scored.solution.task: scored.result("llm_review") for scored in load_results(out).solutions}
    assert [claim.outcome for claim in found[BODY].claims] == ["refuted"]
    assert [claim.outcome for claim in found[WRONG].claims] == ["confirmed"]
    assert (found[BODY].verdict, found[WRONG].verdict) == (Verdict.PASS, Verdict.FAIL)


@pytest.mark.slow
def test_programs_and_assertions_are_run_as_well(out: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Sets of other forms run through all layers; nobody is asked to review what no call can be made to."""
    for name, file in (
        ("mbpp", "mbpp.jsonl"),
        ("livecodebench", "livecodebench.jsonl"),
        ("quixbugs", "quixbugs.jsonl"),
        ("bigcodebench", "bigcodebench.jsonl"),
    ):
        dataset = f"{name}={DATA / file}"
        with read_dataset(dataset) as known:
            ids = tuple(known.problems)
            texts = {p.prompt.strip("\n"): p.canonical or CONTEST[p.id] for p in known.problems.values()}

        def script(asked: Asked, texts: dict[str, str] = texts) -> Said | Fault:
            if asked.tool is not None:
                return Said(tool=json.dumps({"claims": []}))
            return Said(
                text=next(f"```python\n{code}\n```" for prompt, code in texts.items() if prompt in asked.prompt)
            )

        with serve(monkeypatch, script) as server:
            options = ("--strategies", "test-first", "--reviewer", "openai:another")
            assert run(out.with_name(f"{name}.json"), *options, dataset=dataset) == 0
        results = load_results(out.with_name(f"{name}.json"))
        verdicts = {scored.result("unit").verdict for scored in results.solutions}
        reviews = {scored.result("llm_review").verdict for scored in results.solutions}
        left_out = load_run_record(run_record_path(out.with_name(f"{name}.json"))).left_out

        assert len(results.tasks) + len(left_out) == len(ids)
        assert verdicts == {Verdict.PASS}
        assert reviews == ({Verdict.SKIP} if name == "livecodebench" else {Verdict.PASS})
        assert sum(call.tool is not None for call in server.calls) == (
            0 if name == "livecodebench" else len(results.tasks)
        )


def test_a_plan_counts_the_problems_of_a_set(out: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """`plan` says what a run of a set would ask: the chosen problems under each strategy, with their own prompts."""
    del out
    words = ["plan", "--dataset", HUMANEVAL, "--mode", "openai", "--model", "m", "--json"]
    assert run_argv(words) == 0
    whole = json.loads(capsys.readouterr().out)
    assert run_argv([*words, "--limit", "1"]) == 0
    one = json.loads(capsys.readouterr().out)

    assert [row["solutions"] for row in whole["rows"]] == [4] * len(Strategy)
    assert [row["solutions"] for row in one["rows"]] == [1] * len(Strategy)
    assert whole["total"]["least"]["calls"] == 4 * 5
    assert whole["total"]["least"]["input_tokens"] > one["total"]["least"]["input_tokens"] > 0


@pytest.mark.slow
def test_files_are_checked_against_a_problem(out: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """`check` judges whole programs by the tests of one problem, and says so where its own solution fails them, too."""
    good, bad = out.with_name("good.py"), out.with_name("bad.py")
    good.write_text("def unique(l):\n    return sorted(set(l))\n")
    bad.write_text("def unique(l):\n    return l\n")
    words = ("--layers", "unit", "lint", *UNSAFE)

    assert run_argv(["check", "--dataset", HUMANEVAL, BODY, str(good), *words]) == 0
    assert run_argv(["check", "--dataset", HUMANEVAL, BODY, str(bad), *words]) == 1
    assert "does not pass" not in capsys.readouterr().err
    broken = changed(out.parent, canonical_solution="    return l\n")
    assert run_argv(["check", "--dataset", broken, BODY, str(bad), *words]) == 1
    assert "its canonical solution does not pass" in capsys.readouterr().err


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "text", "code"),
    [
        ("body.py", "\n    return sorted(set(l))\n", 0),
        ("body.py", "    return l\n", 1),
        ("reply.md", "It sorts:\n\n```python\ndef unique(l):\n    return sorted(set(l))\n```\n", 0),
        ("reply.txt", "```python\ndef unique(l):\n    return l\n```\n", 1),
        ("reply.md", "I can't.\n", 2),
    ],
)
def test_bodies_and_replies_are_checked_as_samples_are(out: Path, name: str, text: str, code: int) -> None:
    """A body goes on with the prompt, and of a reply it is the code that counts."""
    path = out.with_name(name)
    path.write_text(text, encoding="utf-8")

    assert run_argv(["check", "--dataset", HUMANEVAL, BODY, str(path), "--layers", "unit", *UNSAFE]) == code


@pytest.mark.parametrize(
    "words",
    [
        ("run", "--mock", "--dataset", HUMANEVAL),
        ("run", "--mode", "openai", "--model", "m", "--dataset", HUMANEVAL, "--tasks-dir", "."),
        ("run", "--mode", "openai", "--model", "m", "--dataset", HUMANEVAL, "--tasks", "HumanEval/999"),
        ("run", "--mode", "openai", "--model", "m", "--dataset", BIGCODE, "--tasks", "BigCodeBench/9003"),
        ("run", "--mode", "openai", "--model", "m", "--dataset", "humaneval=nowhere.jsonl"),
        ("plan", "--mode", "openai", "--model", "m", "--dataset", "unheard-of=x"),
        ("check", "--dataset", HUMANEVAL, "HumanEval/999", "x.py"),
    ],
)
def test_what_cannot_be_run_is_refused(out: Path, words: tuple[str, ...], capsys: pytest.CaptureFixture[str]) -> None:
    """What names no problem, or contradicts itself, is the user's mistake, and nothing is written."""
    assert run_argv([*words]) == 2
    assert "error: " in capsys.readouterr().err
    assert not out.with_name("results.json").exists()


@pytest.mark.slow
def test_own_tasks_are_run_and_resumed(out: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """`--tasks-dir` takes tasks of the user's own, which a resume finds again."""
    own = out.parent / "own" / "mine"
    shutil.copytree(resource_root() / "tasks" / "fizzbuzz", own)
    text = (own / "reference.py").read_text()

    def script(asked: Asked) -> Said | Fault:
        return Said(text=f"```python\n{text}```") if asked.number > 1 else Status(401)

    words = ["--tasks-dir", "own", "--strategies", "bare", "--layers", "unit", "props"]
    with serve(monkeypatch, script):
        model = ["--mode", "openai", "--model", "m", "--out", str(out)]
        assert run_argv(["plan", "--mode", "openai", "--model", "m", "--tasks-dir", "own"]) == 0
        assert run_argv(["run", *model, *words, *UNSAFE]) == 2
        assert run_argv(["run", "--resume", str(out), *UNSAFE]) == 0

    (scored,) = load_results(out).solutions
    assert (scored.solution.id, scored.solution.outcome, scored.verdict) == ("mine/bare", Outcome.OK, Verdict.PASS)


@pytest.mark.parametrize("out", ["set", "set.json"])
def test_a_run_never_writes_over_its_set(tmp_path: Path, capsys: pytest.CaptureFixture[str], out: str) -> None:
    """A set that lies where results, or their record, would be is left as it is, and the user is told."""
    place = tmp_path / ("set" if out == "set" else "set.run.json")
    place.write_bytes(Path(HUMANEVAL.partition("=")[2]).read_bytes())
    kept = place.read_bytes()

    assert run(tmp_path / out, dataset=f"humaneval={place}") == 2
    assert "would be written over it" in capsys.readouterr().err
    assert place.read_bytes() == kept
