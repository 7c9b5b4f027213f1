"""Laws of other harnesses' formats: readers like theirs take our files, and count what we count."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path

import pytest

from codegen_eval.datasets import read_dataset
from codegen_eval.evaluation.evalplus import statuses
from codegen_eval.evaluation.evaluate import Request
from codegen_eval.evaluation.lines import LineFile
from codegen_eval.evaluation.published import write_published
from codegen_eval.evaluation.record import LayerLine, SampleLine
from codegen_eval.evaluation.source import SteadySamples
from codegen_eval.interfaces import EndReason
from codegen_eval.verdict import Finding, Verdict
from factories import make_finding

DATA = Path(__file__).parent.parent / "data" / "datasets"
UNIQUE = "    return sorted(set(l))\n"
PROGRAM = f"def unique(l):\n{UNIQUE}"
NOW = datetime(2026, 1, 2, 3, 4, tzinfo=UTC)


def unit(*findings: Finding, verdict: Verdict = Verdict.FAIL) -> LayerLine:
    """Return what the unit layer said."""
    return LayerLine(layer="unit", verdict=verdict if findings else Verdict.PASS, findings=findings)


def finding(check: str | None, *, ended: EndReason | None = None) -> Finding:
    """Return a finding of a test."""
    return make_finding(check=check, ended=ended, message="returned another value")


def publish(tmp_path: Path, dataset: str, records: list[dict[str, object]], said: list[LayerLine]) -> None:
    """Write the published files for samples of which this was said."""
    samples, out = tmp_path / "s.jsonl", tmp_path / "out.json"
    samples.write_text("".join(json.dumps(record) + "\n" for record in records), encoding="utf-8")
    with read_dataset(dataset) as problems, LineFile(tmp_path / "out.samples.jsonl") as lines:
        for place, (record, each) in enumerate(zip(records, said, strict=True)):
            task = str(record["task_id"])
            passed = each.verdict is Verdict.PASS
            lines.write(
                place,
                SampleLine(task_id=task, index=0, origin="s", rule="official", passed=passed, layers=(each,)),
            )
        lines.finish()
        request = Request(samples=samples, layers=("unit",))
        steady = SteadySamples(request.samples, problems, request.limit)
        write_published(request, problems, steady, tmp_path / "out.samples.jsonl", out, date=NOW)


def stream_jsonl(path: Path) -> Iterator[dict[str, object]]:
    """Read lines as HumanEval's harness does: each that is not blank is one object."""
    for text in path.read_text(encoding="utf-8").split("\n"):
        if any(not letter.isspace() for letter in text):
            value = json.loads(text)
            assert isinstance(value, dict)
            yield value


def test_human_evals_own_fields_stay(tmp_path: Path) -> None:
    """Each record comes back with all that it had, and `result` and `passed` as the harness words them."""
    records: list[dict[str, object]] = [
        {"task_id": "HumanEval/34", "completion": "    return 1\n", "temperature": 0.2, "meta": {"seed": [1]}},
        {"task_id": "HumanEval/34", "completion": "    \ud800\n", "passed": True, "result": "passed"},
        {"task_id": "HumanEval/38", "completion": "\u2028", "nothing": None},
        {"task_id": "HumanEval/38", "completion": "x", "score": float("nan")},
    ]
    said = [
        unit(),
        unit(finding("check")),
        unit(finding("check", ended=EndReason.CPU)),
        LayerLine(layer="unit", verdict=Verdict.ERROR, reason="the engine went away"),
    ]

    publish(tmp_path, f"humaneval={DATA / 'humaneval.jsonl'}", records, said)

    found = list(stream_jsonl(tmp_path / "out.samples_results.jsonl"))
    assert [(each["result"], each["passed"]) for each in found] == [
        ("passed", True),
        ("failed: returned another value", False),
        ("timed out", False),
        ("failed: the engine went away", False),
    ]
    ours = {"result", "passed"}
    for given, back in zip(records[:3], found[:3], strict=True):
        assert {key: value for key, value in given.items() if key not in ours} == {
            key: value for key, value in back.items() if key not in ours
        }
    assert not (tmp_path / "out.eval_results.json").exists()


@pytest.mark.parametrize(
    ("name", "record", "keys"),
    [
        ("humaneval", {"completion": UNIQUE}, {"completion"}),
        ("humaneval", {"solution": PROGRAM}, {"completion", "solution"}),
        ("humaneval", {"raw_solution": PROGRAM}, {"completion", "solution", "raw_solution"}),
        ("humaneval", {"samples": [UNIQUE]}, {"completion"}),
        ("mbpp", {"solution": PROGRAM}, {"solution"}),
        ("mbpp", {"raw_solution": f"```python\n{PROGRAM}```"}, {"solution", "raw_solution"}),
    ],
)
def test_each_line_has_a_program_as_a_text(
    tmp_path: Path, name: str, record: dict[str, object], keys: set[str]
) -> None:
    """What EvalPlus's and HumanEval's readers ask of a line is there: a text as `solution`, or as `completion`."""
    task = {"humaneval": "HumanEval/34", "mbpp": "MBPP/2"}[name]

    publish(tmp_path, f"{name}={DATA / f'{name}.jsonl'}", [{"task_id": task, **record}], [unit()])

    (line,) = stream_jsonl(tmp_path / "out.samples_results.jsonl")
    found = {key for key in ("completion", "solution", "raw_solution") if isinstance(line.get(key), str)}
    assert (found, line["task_id"]) == (keys, task)
    assert "```" not in str(line.get("solution"))


def evalplus_counts(results: Mapping[str, object]) -> dict[str, list[tuple[bool, bool]]]:
    """Count as EvalPlus does when it finds results: by problem, whether each sample passes base, and base and plus."""
    assert {"date", "hash", "eval"} <= results.keys()
    found: dict[str, list[tuple[bool, bool]]] = {}
    per_task = results["eval"]
    assert isinstance(per_task, dict)
    for task, entries in per_task.items():
        for entry in entries:
            assert entry["task_id"] == task
            assert isinstance(entry["solution"], str)
            assert {entry["base_status"], entry["plus_status"]} <= {"pass", "fail", "timeout"}
            assert isinstance(entry["base_fail_tests"], list)
            assert isinstance(entry["plus_fail_tests"], list)
            base = entry["base_status"] == "pass"
            found.setdefault(task, []).append((base, base and entry["plus_status"] == "pass"))
    return found


def test_evalplus_reads_our_results(tmp_path: Path) -> None:
    """For input sets there is `eval_results.json`: a list for each problem, in the order of its samples."""
    task = "HumanEval/83"
    records: list[dict[str, object]] = [
        {"task_id": task, "solution": "def starts_one_ends(n):\n    return 1\n"} for _ in range(4)
    ]
    said = [unit(), unit(finding("plus-2")), unit(finding("base-1"), finding("plus-1")), unit(finding("load"))]

    publish(tmp_path, f"humanevalplus={DATA / 'humanevalplus.jsonl'}", records, said)

    results = json.loads((tmp_path / "out.eval_results.json").read_text(encoding="utf-8"))
    assert evalplus_counts(results) == {task: [(True, True), (True, False), (False, False), (False, False)]}
    entries = results["eval"][task]
    assert (entries[0]["solution"], results["date"]) == (records[0]["solution"], "2026-01-02 03:04")
    assert [len(entries[2][f"{kind}_fail_tests"]) for kind in ("base", "plus")] == [1, 1]


@pytest.mark.parametrize(
    ("said", "words"),
    [
        (unit(), ("pass", "pass")),
        (unit(finding("plus-1")), ("pass", "fail")),
        (unit(finding("plus-1", ended=EndReason.WALL)), ("pass", "timeout")),
        (unit(finding("base-1")), ("fail", "pass")),
        (unit(finding("base-1", ended=EndReason.CPU), finding("plus-1")), ("timeout", "fail")),
        (unit(finding("base-1"), finding("plus-1")), ("fail", "fail")),
        (unit(finding("load")), ("fail", "fail")),
        (unit(finding(None)), ("fail", "fail")),
        (unit(*(finding(f"base-{n}") for n in range(1, 21))), ("fail", "fail")),
        (LayerLine(layer="unit", verdict=Verdict.ERROR, reason="ours"), ("fail", "fail")),
    ],
)
def test_no_status_is_pass_unless_the_tests_were_seen_to_pass(said: LayerLine, words: tuple[str, str]) -> None:
    """What was not reached, not kept, or an error of ours is no pass."""
    assert statuses(said) == words
