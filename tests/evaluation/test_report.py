"""`evalrun report` on evaluations: their tables, what changed from one to another, and the bar."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from codegen_eval.cli.main import run_argv
from codegen_eval.evaluation.pass_at_k import estimate
from codegen_eval.evaluation.record import Evaluation, Excluded, LayerAdds, ProblemScore, load_evaluation
from codegen_eval.fault import Fault
from codegen_eval.json_file import dump_json
from codegen_eval.samples import Coverage


def evaluation(passed: dict[str, int], *, samples: int = 4, dataset: str = "humaneval", sha: str = "0") -> Evaluation:
    """Return an evaluation in which so many samples of each problem pass."""
    counts = [(samples, n) for n in passed.values()]
    return Evaluation(
        dataset=dataset,
        dataset_sha256=sha * 64,
        layers=("unit", "lint"),
        coverage=Coverage(
            problems=len(passed) + 1,
            sampled=len(passed),
            samples=samples * len(passed),
            fewest=samples,
            most=samples,
            missing=(),
        ),
        references=len(passed) + 1,
        references_passed=len(passed),
        excluded=(Excluded(problem="gone|\x1b[31m", reason="its canonical solution fails"),),
        scored_samples=samples * len(passed),
        errors=0,
        pass_at_k=tuple(x for x in (estimate(counts, k) for k in (1, samples)) if x),
        adds=(LayerAdds(layer="lint", judged=5, rejected=2),),
        problems=tuple(
            ProblemScore(problem=name, samples=samples, passed=n, known_bad="odd tests" if name == "p/0" else None)
            for name, n in passed.items()
        ),
        fault_count=31,
        faults=(Fault(path="samples.jsonl", line=3, what="it is not JSON"),),
    )


def write(path: Path, found: Evaluation) -> Path:
    """Write it as `evalrun evaluate` does."""
    path.write_bytes(dump_json(found))
    return path


def report(capsys: pytest.CaptureFixture[str], *words: str | Path) -> tuple[int, str, str]:
    """Run the command; return its exit code and what it printed and told."""
    code = run_argv(["report", *map(str, words)])
    printed = capsys.readouterr()
    return code, printed.out, printed.err


def test_what_is_written_is_read_again(tmp_path: Path) -> None:
    """The strict reader takes what the writer writes."""
    found = evaluation({"p/0": 4, "p/1": 1})

    assert load_evaluation(write(tmp_path / "e.json", found)) == found


def test_all_problems_stand_in_a_table_where_asked(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The summary names excluded and bad problems, and cut lists say so; `--verbose` and Markdown name all problems."""
    path = write(tmp_path / "e.json", evaluation({"p/0": 4, "p/1": 1}))

    code, text, _ = report(capsys, path)
    assert code == 0
    assert re.search(r"^pass@1 +62\.50% ", text, re.MULTILINE)
    assert re.search(r"^p/0 +odd tests", text, re.MULTILINE)
    assert re.search(r"^lint +2/5 +40%", text, re.MULTILINE)
    assert "and 30 more" in text
    assert "\x1b" not in text
    assert "p/1" not in text

    _, verbose, _ = report(capsys, path, "--verbose")
    assert re.search(r"^p/1 +1/4 +25%", verbose, re.MULTILINE)

    _, page, _ = report(capsys, path, "--format", "markdown")
    assert "| p/1 | 1/4 25% |" in page
    assert "gone|" not in page.replace("\\|", "")

    _, document, _ = report(capsys, path, "--json")
    assert json.loads(document) == json.loads(path.read_text(encoding="utf-8"))


def test_two_evaluations_are_compared_problem_by_problem(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A significant fall is exit 1; a rise is none; what differs beside the samples is a warning."""
    good = write(tmp_path / "good.json", evaluation({f"p/{n}": 4 for n in range(10)}))
    bad = write(tmp_path / "bad.json", evaluation({f"p/{n}": 1 if n < 8 else 4 for n in range(11)}, sha="1"))

    code, text, told = report(capsys, bad, "--against", good)
    assert code == 1
    assert re.search(r"^ +all +10 +100\.0% +40\.0% +-60\.0 ", text, re.MULTILINE)
    assert re.search(r"^p/7 +worse", text, re.MULTILINE)
    assert "without a counterpart: 0 before, 1 after" in text
    assert "humaneval: the pass rate fell from 100.0% to 40.0% (8 worse, 0 better of 10, p = 0.0078)" in told
    assert "not as in the earlier run: the file of the problem set" in told

    assert report(capsys, good, "--against", bad)[0] == 0
    assert report(capsys, bad, "--against", good, "--max-regression", "60")[0] == 0
    assert report(capsys, bad, "--against", good, "--max-regression", "59")[0] == 1
    document = json.loads(report(capsys, bad, "--against", good, "--json")[1])
    assert document["comparison"]["overall"][0]["difference"] == -0.6
    assert len(document["comparison"]["got_worse"]) == 8


def test_an_evaluation_is_held_against_a_bar(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Below it is exit 1, with the figure; an evaluation without a score is below every bar."""
    path = write(tmp_path / "e.json", evaluation({"p/0": 4, "p/1": 1}))
    empty = write(tmp_path / "none.json", evaluation({}))

    assert report(capsys, path, "--fail-under", "62.5")[0] == 0
    code, _, told = report(capsys, path, "--fail-under", "63")
    assert code == 1
    assert "humaneval: pass@1 is 62.5%, less than 63%" in told
    assert report(capsys, empty, "--fail-under", "0")[0] == 1


def test_unlike_things_are_not_compared(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Another set, other problems, a run, and files that are neither are mistakes of the user."""
    path = write(tmp_path / "e.json", evaluation({"p/0": 4}))
    other = write(tmp_path / "other.json", evaluation({"p/0": 4}, dataset="mbpp"))
    apart = write(tmp_path / "apart.json", evaluation({"p/9": 4}))
    run = tmp_path / "run.json"
    run.write_text('{"format": 1, "solutions": []}', encoding="utf-8")
    broken = tmp_path / "broken.json"
    broken.write_text('{"pass_at_k": [], "problems": 3}', encoding="utf-8")

    for words, said in (
        ((path, "--against", other), "one evaluation is of mbpp, the other of humaneval"),
        ((path, "--against", apart), "no scored problem in common"),
        ((path, "--against", run), "a run and an evaluation can't be compared"),
        ((broken,), "`problems`: Input should be a valid array"),
        ((path, "--format", "yaml"), "unknown format `yaml`"),
        ((path, "--max-regression", "1"), "needs an earlier run"),
    ):
        code, _, told = report(capsys, *words)
        assert code == 2, words
        assert said in told


@pytest.mark.parametrize(
    "change",
    [
        {"problems.0.passed": -1},
        {"problems.0.passed": 10**18},
        {"problems.0.passed": 10**18, "problems.0.samples": 10**18},
        {"problems.0.samples": 29_000_000, "scored_samples": 29_000_004},
        {"problems.0.base_passed": 5},
        {"scored_samples": 7},
        {"pass_at_k.0.k": -1},
        {"pass_at_k.0.low": 1e308},
        {"pass_at_k.0.estimate": -0.5},
        {"adds.0.rejected": 6},
        {"coverage.samples": -3},
        {"errors": -1},
        {"references_passed": -1},
    ],
    ids=str,
)
def test_a_summary_that_does_not_add_up_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], change: dict[str, object]
) -> None:
    """What no evaluation would write is told, whatever it is asked for."""
    good = write(tmp_path / "good.json", evaluation({"p/0": 4, "p/1": 1}))
    document = json.loads(good.read_text(encoding="utf-8"))
    for place, value in change.items():
        *path, last = [int(part) if part.isdigit() else part for part in place.split(".")]
        inner = document
        for part in path:
            inner = inner[part]
        inner[last] = value
    bad = tmp_path / "bad.json"
    bad.write_text(json.dumps(document), encoding="utf-8")

    for words in ((bad,), (bad, "--fail-under", "50"), (good, "--against", bad), (bad, "--against", good)):
        code, _, told = report(capsys, *words)
        assert (code, told.startswith("error: results file")) == (2, True), words
