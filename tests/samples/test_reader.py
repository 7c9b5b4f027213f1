"""Reading samples in the formats that tools write: every sample is found once, and what is none is told."""

from __future__ import annotations

import gzip
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from codegen_eval.datasets import Dataset, read_dataset
from codegen_eval.errors import InputError
from codegen_eval.samples import Coverage, Sample, SampleKind, SampleStream, read_samples

DATA = Path(__file__).parent.parent / "data"
ONE = {"task_id": "HumanEval/34", "completion": "    return sorted(set(l))\n"}


@pytest.fixture(scope="module")
def humaneval() -> Iterator[Dataset]:
    """Give four problems of HumanEval: 34, 38, 64 and 116."""
    with read_dataset(f"humaneval={DATA / 'datasets' / 'humaneval.jsonl'}") as dataset:
        yield dataset


@pytest.fixture(scope="module")
def contests() -> Iterator[Dataset]:
    """Give three problems in LiveCodeBench's form: own001_a, 9001 and own001_b."""
    with read_dataset(f"livecodebench={DATA / 'datasets' / 'livecodebench.jsonl'}") as dataset:
        yield dataset


def _write(path: Path, *lines: object) -> Path:
    path.write_bytes(
        b"".join((line if isinstance(line, bytes) else json.dumps(line).encode()) + b"\n" for line in lines)
    )
    return path


def _all(stream: SampleStream) -> tuple[list[Sample], list[str]]:
    samples = list(stream)
    return samples, [str(fault) for fault in stream.faults]


def test_repeated_ids_are_samples_in_order(humaneval: Dataset) -> None:
    """Records with the same id are samples of one problem, numbered in the order of the file."""
    samples, faults = _all(read_samples(DATA / "samples" / "dedented.jsonl", humaneval.problems))

    assert faults == []
    assert [(s.task_id, s.index, s.line, s.kind) for s in samples] == [
        ("HumanEval/34", index, index + 1, SampleKind.COMPLETION) for index in range(3)
    ]


def test_a_nested_list_is_samples_of_one_problem(humaneval: Dataset) -> None:
    """Texts in the list of one record are samples; each knows its place in it."""
    samples, faults = _all(read_samples(DATA / "samples" / "nested.jsonl", humaneval.problems))

    assert faults == []
    assert [(s.index, s.line, s.sub) for s in samples] == [(place, 1, place) for place in range(5)]
    assert samples[4].origin.endswith("nested.jsonl:1[4]")


def test_lists_without_ids_belong_to_the_problems_in_their_order(humaneval: Dataset) -> None:
    """A list of lists has the programs of the problems in the order of the set; fewer lists are a subset."""
    stream = read_samples(DATA / "samples" / "generations.json", humaneval.problems)
    samples, faults = _all(stream)

    assert faults == []
    assert [(s.task_id, s.index, s.kind) for s in samples] == [
        ("HumanEval/34", 0, SampleKind.SOLUTION),
        ("HumanEval/34", 1, SampleKind.SOLUTION),
        ("HumanEval/38", 0, SampleKind.SOLUTION),
    ]
    assert stream.coverage == Coverage(
        problems=4, sampled=2, samples=3, fewest=1, most=2, missing=("HumanEval/64", "HumanEval/116")
    )


def test_too_many_lists_are_told(humaneval: Dataset, tmp_path: Path) -> None:
    """More lists than the set has problems are of another set: each is a fault, and so is what is no text."""
    stream = read_samples(_write(tmp_path / "x", [["a"], [1, "b"], [], ["c"], ["d"]]), humaneval.problems)
    samples, faults = _all(stream)

    assert [(s.task_id, s.text) for s in samples] == [
        ("HumanEval/34", "a"),
        ("HumanEval/38", "b"),
        ("HumanEval/116", "c"),
    ]
    assert ["should be a text" in faults[0], "problem 5 of 4" in faults[1]] == [True, True]


def test_livecodebench_output_is_read_by_id_and_lists_by_the_order_of_ids(contests: Dataset, tmp_path: Path) -> None:
    """A record of LiveCodeBench's output has its own id; lists without ids are in the order of the ids."""
    samples, faults = _all(read_samples(DATA / "samples" / "livecodebench.json", contests.problems))
    listed, _ = _all(read_samples(_write(tmp_path / "x", [["one"], ["two"], ["three"]]), contests.problems))

    assert faults == []
    assert [(s.task_id, s.index, s.kind) for s in samples] == [
        ("own001_a", 0, SampleKind.SOLUTION),
        ("own001_a", 1, SampleKind.SOLUTION),
        ("9001", 0, SampleKind.SOLUTION),
    ]
    assert [s.task_id for s in listed] == ["9001", "own001_a", "own001_b"]


def test_a_folder_has_a_folder_for_each_problem(humaneval: Dataset, tmp_path: Path) -> None:
    """Programs of an EvalPlus folder are samples in the order of their numbers; links and rubbish are told."""
    for name, text in (("HumanEval_34/0.py", "a"), ("HumanEval_34/10.py", "c"), ("HumanEval_34/2.py", "\ufeffb")):
        file = tmp_path / name
        file.parent.mkdir(exist_ok=True)
        file.write_text(text, encoding="utf-8")
    (tmp_path / "HumanEval_64").mkdir()
    (tmp_path / "HumanEval_64" / "0.py").symlink_to("/etc/hostname")
    (tmp_path / "HumanEval_64" / "1.py").write_bytes(b"\xff")
    (tmp_path / "HumanEval_35").mkdir()
    (tmp_path / "HumanEval_35" / "0.py").write_text("x", encoding="utf-8")
    (tmp_path / "eval_results.json").write_text("{}", encoding="utf-8")

    samples, faults = _all(read_samples(tmp_path, humaneval.problems))

    assert [(s.task_id, s.index, s.text) for s in samples] == [("HumanEval/34", n, t) for n, t in enumerate("abc")]
    assert samples[0].origin.endswith("HumanEval_34/0.py")
    assert len(faults) == 3
    assert "unknown problem `HumanEval_35`" in faults[0]
    assert "a link" in faults[1]
    assert "not UTF-8" in faults[2]


def test_a_name_that_is_no_text_is_written_out(humaneval: Dataset, tmp_path: Path) -> None:
    """Names of files and folders may hold any bytes; what is told of them can be written to any file."""
    folder = os.fsencode(tmp_path) + b"/\xff"
    (Path(os.fsdecode(folder)) / "HumanEval_34").mkdir(parents=True)
    for name in (b"/HumanEval_34/\xfe0.py", b"/HumanEval_34/\xfd1.py"):
        Path(os.fsdecode(folder + name)).write_bytes(b"\xff" if b"1" in name else b"x")

    stream = read_samples(Path(os.fsdecode(folder)), humaneval.problems)
    (sample,) = stream

    assert sample.path.endswith(r"/\xff/HumanEval_34/\xfe0.py")
    assert [fault.path.endswith(r"\xfd1.py") for fault in stream.faults] == [True]
    assert [json.loads(fault.model_dump_json())["path"] for fault in stream.faults] == [stream.faults.kept[0].path]


def test_an_empty_folder_is_told(humaneval: Dataset, tmp_path: Path) -> None:
    """A folder without programs is a fault that says what is due."""
    _, faults = _all(read_samples(tmp_path, humaneval.problems))

    assert "no folder in it has a `.py` file" in faults[0]


def test_markdown_under_the_name_of_a_solution_is_a_raw_reply(humaneval: Dataset) -> None:
    """A solution with fences is a raw reply; fences in a docstring make none; a raw reply can be wished for."""
    path = DATA / "samples" / "raw.jsonl"
    samples, _ = _all(read_samples(path, humaneval.problems))
    wished, _ = _all(read_samples(path, humaneval.problems, wanted=SampleKind.RAW))

    assert [s.kind for s in samples] == [SampleKind.RAW, SampleKind.SOLUTION, SampleKind.SOLUTION]
    assert [s.kind for s in wished] == [SampleKind.RAW, SampleKind.SOLUTION, SampleKind.RAW]
    assert wished[2].text.startswith("Sure:")


@pytest.mark.parametrize(
    ("record", "words"),
    [
        ({"task_id": "HumanEval/34", "complietion": "x"}, "there is `complietion`"),
        ({"taskid": "HumanEval/34", "completion": "x"}, "there is `taskid`"),
        ({"task_id": "HumanEval/34"}, "neither `completion` nor `solution`"),
        ({"task_id": "HumanEval/34", "completion": None}, "should be a text, not null"),
        ({"task_id": "HumanEval/34", "completion": float("nan")}, "pandas writes NaN"),
        ({"task_id": "HumanEval/34", "completion": ["x"]}, "records of their own"),
        ({"task_id": "HumanEval/34", "samples": "x"}, "should be a list of texts"),
        ({"task_id": "HumanEval/34", "samples": [1]}, "`samples[0]` should be a text"),
        ({"task_id": "HumanEval/35", "completion": "x"}, "unknown problem `HumanEval/35` (did you mean"),
        ({"task_id": "MBPP/34", "completion": "x"}, "begin with `HumanEval/`"),
        ({"task_id": None, "completion": "x"}, "unknown problem None"),
        ({"task_id": ["HumanEval/34"], "completion": "x"}, "unknown problem ['HumanEval/34']"),
        ({"task_id": "\x1b[31m" + "x" * 500, "completion": "x"}, "unknown problem '\\x1b[31mx"),
        ({"task_id": 10**400, "completion": "x"}, "unknown problem 1000"),
        (b'{"task_id": "HumanEval/34", "completion": "x", "completion": "y"}', "stands twice"),
        (b'{"task_id": "HumanEval/34", "completion": "x"', "not JSON"),
        (b"\xff\xfe", "not UTF-8"),
        (["x"], "a JSON object is due"),
    ],
)
def test_a_bad_record_is_told_and_its_neighbours_are_read(
    humaneval: Dataset, tmp_path: Path, record: object, words: str
) -> None:
    """What gives no sample is one fault with its line; the samples around it are read, and numbered without it."""
    stream = read_samples(_write(tmp_path / "x", ONE, record, ONE), humaneval.problems)
    samples, faults = _all(stream)

    assert [(s.index, s.line) for s in samples] == [(0, 1), (1, 3)]
    assert len(faults) == 1
    assert f"{tmp_path / 'x'}:2: " in faults[0]
    assert words in faults[0]
    assert faults[0].isprintable()


@pytest.mark.parametrize("name", ["HumanEval/34", "humaneval/34", 34, "34"])
def test_a_problem_is_found_under_the_names_that_tools_use(humaneval: Dataset, tmp_path: Path, name: object) -> None:
    """Ids in other letters, or the number alone, mean the problem; samples carry the id of the set."""
    samples, faults = _all(read_samples(_write(tmp_path / "x", {**ONE, "task_id": name}), humaneval.problems))

    assert faults == []
    assert [s.task_id for s in samples] == ["HumanEval/34"]


def test_half_a_surrogate_pair_is_a_sample_nevertheless(humaneval: Dataset, tmp_path: Path) -> None:
    """A text that can't be written to a file is a sample: it counts, and fails where it is judged."""
    line = b'{"task_id": "HumanEval/34", "completion": "    return \'\\ud800\'"}'
    samples, faults = _all(read_samples(_write(tmp_path / "x", line), humaneval.problems))

    assert faults == []
    assert samples[0].text == "    return '\ud800'"


@given(
    texts=st.lists(st.tuples(st.sampled_from(["HumanEval/34", "HumanEval/38", "HumanEval/64"]), st.text()), max_size=8),
    packed=st.booleans(),
)
def test_every_text_comes_through_unchanged(
    humaneval: Dataset, tmp_path_factory: pytest.TempPathFactory, texts: list[tuple[str, str]], *, packed: bool
) -> None:
    """Completions come as they were written, in order, and the coverage counts them."""
    data = b"".join(json.dumps({"task_id": name, "completion": text}).encode() + b"\n" for name, text in texts)
    path = tmp_path_factory.mktemp("any") / "samples.jsonl"
    path.write_bytes(gzip.compress(data) if packed else data)
    stream = read_samples(path, humaneval.problems)

    assert [(s.task_id, s.text) for s in stream] == texts
    assert stream.coverage.samples == len(texts)
    assert stream.coverage.sampled == len({name for name, _ in texts})


def test_a_missing_file_is_an_error(humaneval: Dataset, tmp_path: Path) -> None:
    """Samples that are not there are the user's fault at once, and not a file without samples."""
    with pytest.raises(InputError, match="can't be read"):
        list(read_samples(tmp_path / "missing", humaneval.problems))


_COUNT = """
import resource, sys
from pathlib import Path
from codegen_eval.datasets import read_dataset
from codegen_eval.samples import assemble, read_samples
def peak():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // (1024 if sys.platform == "darwin" else 1)
with read_dataset("humaneval=" + sys.argv[1]) as dataset:
    few = read_samples(Path(sys.argv[2]), dataset.problems)
    assert all(assemble(dataset.problems[s.task_id], s).source for s in few)
    before = peak()
    stream = read_samples(Path(sys.argv[3]), dataset.problems)
    many = sum(bool(assemble(dataset.problems[s.task_id], s).source) for s in stream)
    print(many, len(stream.faults), peak() - before)
"""


@pytest.mark.slow
def test_memory_is_flat_for_a_hundred_thousand_samples(tmp_path: Path) -> None:
    """A hundred thousand samples of 2 kB, and as many bad lines, take hardly more memory than a hundred."""
    text = "    return sorted(set(l))\n" + "    # and so on\n" * 120
    lines = [json.dumps({"task_id": "HumanEval/34", "completion": text + str(n)}) + "\n{\n" for n in range(100)]
    few, many = tmp_path / "few.jsonl", tmp_path / "many.jsonl"
    few.write_text("".join(lines), encoding="utf-8")
    with many.open("w", encoding="utf-8") as out:
        for _ in range(1000):
            out.writelines(lines)
    command = [sys.executable, "-c", _COUNT, str(DATA / "datasets" / "humaneval.jsonl"), str(few), str(many)]

    run = subprocess.run(command, capture_output=True, text=True, check=True)
    samples, faults, kib = map(int, run.stdout.split())

    assert (samples, faults) == (100_000, 100_000)
    assert many.stat().st_size > 150_000_000
    assert kib < 10_000
