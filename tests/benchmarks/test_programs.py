"""The benchmark programs run: a few solutions, and nothing but processes."""

from __future__ import annotations

import json

import pytest

import load
import soak
import throughput
from codegen_eval.task_loader import discover_tasks
from contender import CONTENDERS, contenders
from figure import Target, median_ratio, percentile, table
from fuzz import fuzz
from workload import plain_items


def test_throughput_measures_against_the_floor(capsys: pytest.CaptureFixture[str]) -> None:
    """The floor and the subprocess sandbox answer the same cases, and the ratio of their rates has a target."""
    arguments = [
        "--only",
        "floor",
        "subprocess",
        "--rounds",
        "1",
        "--solutions",
        "3",
        "--jobs",
        "1",
        "--inside",
        "--json",
    ]

    assert throughput.main(arguments) == 0
    document = json.loads(capsys.readouterr().out)

    assert [lane["name"] for lane in document["race"]] == ["bare python3 -I", "subprocess"]
    assert len({tuple(lane["right"]) for lane in document["race"]}) == 1
    assert [target["what"] for target in document["targets"]] == ["subprocess against the floor"]


def test_every_contender_has_a_short_name() -> None:
    """The names of the command line are those that there are."""
    assert len(contenders(())) == len(CONTENDERS)
    assert len({contender.name for contender in contenders(CONTENDERS)}) == len(CONTENDERS)


def test_the_floor_runs_the_cases_of_the_sandboxes() -> None:
    """What a program of the floor calls is what the cases call."""
    for item in plain_items(discover_tasks()):
        assert item.program.count("\n    (") == len(item.cases)


@pytest.mark.slow
def test_soak_ends_with_a_verdict(capsys: pytest.CaptureFixture[str]) -> None:
    """A few honest and hostile solutions: every law holds."""
    arguments = ["--solutions", "6", "--hostile-share", "0.34", "--jobs", "2", "--sandbox", "subprocess"]
    only = ["--only", "fizzbuzz/bare", "fizzbuzz/spec", "made_exits_hard", "made_does_not_compile"]

    assert soak.main([*arguments, *only, "--layers", "unit"]) == 0
    assert "BROKEN" not in capsys.readouterr().out


@pytest.mark.slow
def test_load_ends_with_a_verdict(capsys: pytest.CaptureFixture[str]) -> None:
    """One repetition: clean solutions are not flagged, the trap is."""
    assert load.main(["--repetitions", "1", "--loops", "1", "--sandbox", "subprocess"]) == 0
    assert "1 caught" in capsys.readouterr().out


def test_the_fuzzer_runs() -> None:
    """Fifty inputs break no law, and the last line says so."""
    lines: list[str] = []

    assert fuzz("reply", inputs=50, seed=0, guided=5, tell=lines.append) is None
    assert "no law broken" in lines[-1]


def test_figures() -> None:
    """Percentiles are values that occur; a ratio is taken round by round; a target says whether it is met."""
    assert percentile([5, 1, 3, 2, 4], 0.5) == 3
    assert percentile([1, 2], 0.99) == 2
    assert median_ratio([10, 20, 5], [5, 10, 5]) == 2
    assert Target(what="x", figure=1, bound=1, unit="s").met
    assert not Target(what="x", figure=1, bound=2, unit="x", at_least=True).met
    assert table(("a", "b"), [("long", "1")]).splitlines()[2] == "long  1"
