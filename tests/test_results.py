"""Laws of the results files."""

from __future__ import annotations

import json
import os
import resource
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from pydantic import ValidationError

from codegen_eval import json_file
from codegen_eval.errors import EnvironmentFaultError, InputError, ResultsError
from codegen_eval.interfaces import SandboxFacts
from codegen_eval.results import (
    Fact,
    Measure,
    Results,
    RunRecord,
    SandboxRecord,
    ScoredSolution,
    Timing,
    Truth,
    dump,
    load_results,
    load_run_record,
    run_record_path,
    write_atomic,
)
from codegen_eval.verdict import FailureClass, Verdict
from factories import make_call, make_layer_result, make_results, make_scored, make_solution
from mock_run import mock_results
from result_strategies import results

ONE = make_results(solutions=(make_scored(),), truth={"fizzbuzz/bare": FailureClass.WRONG_LOGIC})


@pytest.mark.slow
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(results())
def test_what_is_dumped_loads_as_the_same_value_and_dumps_as_the_same_bytes(tmp_path: Path, value: Results) -> None:
    """Load undoes dump, byte for byte and value for value."""
    path = tmp_path / "results.json"
    path.write_bytes(dump(value))

    loaded = load_results(path)

    assert loaded == value
    assert dump(loaded) == path.read_bytes()


@pytest.mark.slow
@given(results())
def test_the_order_of_solutions_makes_no_difference_to_the_bytes(value: Results) -> None:
    """Solutions are sorted by id and layers as the run lists them, whoever finished first."""
    turned = tuple(
        ScoredSolution(solution=s.solution, verdict=s.verdict, layers=s.layers[::-1]) for s in value.solutions[::-1]
    )
    other = Results.model_validate({**dict(value), "solutions": turned})

    assert dump(other) == dump(value)


def test_a_dump_is_sorted_ascii_with_one_line_feed_at_the_end() -> None:
    """The file reads well in a diff: sorted keys, one space of indent, ASCII."""
    value = make_results(solutions=(make_scored(solution=make_solution(source="é = '\u2028'\n")),))

    text = dump(value).decode("ascii")

    assert text.endswith("\n}\n")
    assert text == json.dumps(json.loads(text), sort_keys=True, indent=1) + "\n"


def test_a_run_record_goes_round() -> None:
    """What varies is kept beside the results, typed."""
    facts = SandboxFacts(name="docker", isolated=True, python="3.11.2", details=(("runtime", "runc"),))
    now = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)
    record = RunRecord(
        started=now,
        finished=now,
        versions=(Fact(name="codegen-eval", value="0.1.0"),),
        sandbox=SandboxRecord.of(facts),
        timings=(Timing(solution="fizzbuzz/bare", measures=(Measure(name="wall_seconds", value=0.5),)),),
        leftovers=("container abc",),
    )

    assert RunRecord.model_validate_json(dump(record), strict=True) == record


def test_a_run_record_lies_beside_its_results_and_is_read_as_strictly(tmp_path: Path) -> None:
    """`results.json` has `results.run.json`; a results file is no run record."""
    path = run_record_path(tmp_path / "results.json")
    path.write_bytes(dump(ONE))

    assert path.name == "results.run.json"
    with pytest.raises(ResultsError, match="started"):
        load_run_record(path)


@pytest.mark.parametrize(
    ("raw", "complaint"),
    [
        (b"", "not JSON"),
        (b"{", "not JSON"),
        (b"[]", "(whole file)"),
        (b"{}", "`tasks`: Field required"),
        (b"\xff", "not UTF-8"),
        (b"[" * 100_000, "nested deeper"),
        (b'{"a":' * 100_000, "nested deeper"),
        (b'"' + b"\\" * 100_001, "not JSON"),
        (b'{"seed": 1, "seed": 2}', "stands twice"),
        (b'{"format": true}', "`format`: "),
        (b'{"format": 1.0}', "`format`: "),
        (b'{"format": 2}', "`format`: "),
        (b'{"seed": NaN}', "`NaN` is no JSON number"),
        (b'{"seed": -Infinity}', "is no JSON number"),
        (b'{"seed": ' + b"9" * 10_000 + b"}", "strict JSON"),
        (b'{"\\u001b[31m": 1}', "\\x1b[31m"),
        (b'{"tasks": ["\\ud800"]}', "Invalid JSON"),
    ],
    ids=lambda x: ascii(x[:12])[1:-1] if isinstance(x, bytes) else None,
)
def test_a_hostile_file_is_refused_with_what_and_where(tmp_path: Path, raw: bytes, complaint: str) -> None:
    """Whatever the bytes, the answer is a ResultsError on printable text that names the file and the place."""
    path = tmp_path / "results.json"
    path.write_bytes(raw)

    with pytest.raises(ResultsError) as caught:
        load_results(path)

    assert complaint in caught.value.message
    assert str(path) in caught.value.message
    assert caught.value.message.isprintable()
    assert len(caught.value.message) < 10_000


@pytest.mark.parametrize(
    ("place", "value", "complaint"),
    [
        (("format",), 2, "format"),
        (("seed",), "1", "seed"),
        (("surprise",), 1, "surprise"),
        (("solutions", 0, "verdict"), "fail", "amount to `pass`"),
        (("solutions", 0, "layers"), [], "amount to `error`"),
        (("solutions", 0, "layers", 0, "layer"), "lint", "lacks a layer"),
        (("solutions", 0, "layers", 0, "verdict"), "maybe", "solutions[0].layers[0].verdict"),
        (("solutions", 0, "solution", "task"), "other", "task that is not listed"),
        (("solutions", 0, "solution", "strategy"), "spec", "strategy that is not listed"),
        (("solutions", 0, "solution", "id"), "x\x1b", "no solution of this run"),
        (("truth", "fizzbuzz/bare", "class"), "fragile-pass", "never seeded"),
        (("has_truth",), False, "`has_truth` is false"),
        (("layers",), ["unit", "unit"], "listed twice"),
        (("models",), ["mock", "mock"], "listed twice"),
        (("models",), ["other"], "model that is not listed"),
    ],
    ids=str,
)
def test_a_file_that_contradicts_itself_is_refused(
    tmp_path: Path, place: tuple[str | int, ...], value: object, complaint: str
) -> None:
    """Verdicts must follow from layers, and names must be listed: a scorecard can't be talked into counting."""
    data = json.loads(dump(ONE))
    where = data
    for step in place[:-1]:
        where = where[step]
    where[place[-1]] = value
    path = tmp_path / "results.json"
    path.write_text(json.dumps(data))

    with pytest.raises(ResultsError) as caught:
        load_results(path)

    assert complaint in caught.value.message
    assert caught.value.message.isprintable()


@pytest.mark.parametrize("usd", ["-1", "1E+12", "1E-40"])
def test_a_cost_that_is_no_sum_of_money_is_refused(usd: str) -> None:
    """Costs are bounded, so sums of them are exact enough and never overflow."""
    with pytest.raises(ValidationError, match="no sum of money"):
        make_results(solutions=(make_scored(solution=make_solution(calls=(make_call(usd=usd),))),))


def test_tokens_are_bounded_like_money() -> None:
    """Also those of calls that a layer made: sums of them can always be written down."""
    many = make_call(input_tokens=10**13)
    for scored in (
        make_scored(solution=make_solution(calls=(many,))),
        make_scored(layers=(make_layer_result(calls=(many,)),)),
    ):
        with pytest.raises(ValidationError, match="more tokens"):
            make_results(solutions=(scored,))


def test_two_solutions_can_not_have_the_same_id() -> None:
    """An id names one solution."""
    with pytest.raises(ValidationError, match="same id"):
        make_results(solutions=(make_scored(), make_scored()))


def test_truth_is_one_of_the_seeded_classes() -> None:
    """Classes that only findings have are no ground truth."""
    with pytest.raises(ValidationError, match="never seeded"):
        Truth(failure_class=FailureClass.RESOURCE_LIMIT, summary="")


def test_a_verdict_must_follow_from_the_layers() -> None:
    """A solution that a layer fails can't have passed."""
    with pytest.raises(ValidationError, match="amount to `fail`"):
        ScoredSolution(
            solution=make_solution(), verdict=Verdict.PASS, layers=(make_layer_result(verdict=Verdict.FAIL),)
        )


def test_all_problems_of_a_file_are_reported_at_once_up_to_twenty(tmp_path: Path) -> None:
    """The whole file is checked before anything is said."""
    path = tmp_path / "results.json"
    path.write_text(json.dumps({f"key{n}": n for n in range(40)}))

    with pytest.raises(ResultsError) as caught:
        load_results(path)

    assert caught.value.message.count("Extra inputs") + caught.value.message.count("Field required") == 20
    assert "more" in caught.value.message


def test_a_file_over_the_cap_is_refused_unread(tmp_path: Path) -> None:
    """A sparse file beyond the cap costs no parse."""
    path = tmp_path / "results.json"
    with path.open("wb") as file:
        file.truncate(json_file.MAX_BYTES + 1)

    with pytest.raises(ResultsError, match="larger than 256 MiB"):
        load_results(path)


def test_what_is_no_regular_file_is_refused_without_waiting(tmp_path: Path) -> None:
    """A pipe nobody writes to, a folder, a device and a missing file are all errors at once."""
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)

    for path in (pipe, tmp_path, Path("/dev/zero"), tmp_path / "missing", Path("a\0b")):
        with pytest.raises(ResultsError):
            load_results(path)


def test_writing_replaces_the_file_and_leaves_nothing_else(tmp_path: Path) -> None:
    """After a write there is the new file and no temporary one; a link keeps pointing where it did."""
    real, link = tmp_path / "real.json", tmp_path / "link.json"
    real.write_bytes(b"old")
    link.symlink_to(real)

    write_atomic(link, b"new")

    assert real.read_bytes() == b"new"
    assert link.is_symlink()
    assert sorted(p.name for p in tmp_path.iterdir()) == ["link.json", "real.json"]


@pytest.mark.parametrize("name", ["missing/results.json", "file/results.json", "x" * 300, "folder", "nul\0"])
def test_a_place_that_can_not_be_written_is_the_users_to_mend(tmp_path: Path, name: str) -> None:
    """No such folder, no folder, no possible name, a folder in the way: exit 2, and nothing is left behind."""
    (tmp_path / "file").touch()
    (tmp_path / "folder").mkdir()

    with pytest.raises(InputError, match="can't be written"):
        write_atomic(tmp_path / name, b"new")

    assert sorted(p.name for p in tmp_path.iterdir()) == ["file", "folder"]


def test_a_device_is_never_replaced() -> None:
    """`--out /dev/null` must not turn the device into a file."""
    with pytest.raises(InputError, match="not a regular file"):
        write_atomic(Path("/dev/null"), b"new")


def test_a_full_disk_is_the_environments_fault_and_leaves_the_old_file(tmp_path: Path) -> None:
    """When the bytes don't fit the old file stays as it is, and no half of a new one."""
    path = tmp_path / "results.json"
    path.write_bytes(b"old")

    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (2, hard))
    try:
        with pytest.raises(EnvironmentFaultError, match="File too large"):
            write_atomic(path, b"newer")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))

    assert path.read_bytes() == b"old"
    assert [p.name for p in tmp_path.iterdir()] == ["results.json"]


def test_the_designed_run_is_a_valid_results_file(tmp_path: Path) -> None:
    """Forty solutions with truth go through the file unharmed."""
    path = tmp_path / "results.json"
    write_atomic(path, dump(mock_results()))

    assert load_results(path) == mock_results()


def test_a_string_without_an_end_is_refused_at_once(tmp_path: Path) -> None:
    """Escapes that never end cost one look each: ten million of them are refused in the time of a few seconds."""
    path = tmp_path / "r.json"
    path.write_bytes(b'{"a":"' + b'\\"' * 2_000_000)

    with pytest.raises(ResultsError):
        load_results(path)
