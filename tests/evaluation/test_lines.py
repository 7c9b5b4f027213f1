"""Laws of the file of lines: as they come, in order at the end, whole or not at all."""

from __future__ import annotations

import resource
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from codegen_eval.errors import EnvironmentFaultError
from codegen_eval.evaluation.lines import LineFile, line_of
from codegen_eval.evaluation.record import LayerLine, SampleLine
from codegen_eval.pipeline import Judged
from codegen_eval.solution import Solution
from codegen_eval.verdict import LayerResult, Verdict


def line(number: int, *, reason: str = "") -> SampleLine:
    """Return a line."""
    layer = LayerLine(layer="unit", verdict=Verdict.PASS, reason=reason)
    return SampleLine(task_id="t", index=number, origin="s:1", rule="as-is", passed=True, layers=(layer,))


@given(st.permutations(["unit", "props", "lint"]))
def test_layers_stand_in_their_order(came: list[str]) -> None:
    """Whichever layer is done first, a line is the same."""
    solution = Solution(id="s.jsonl:1@0", task="t", strategy=None, model="", source="x = 1", rule="as-is")
    results = {layer: LayerResult(layer=layer, verdict=Verdict.PASS) for layer in came}
    found = line_of(Judged(solution=solution, results=results), ("unit", "props", "lint"), passed=True)

    assert [each.layer for each in found.layers] == ["unit", "props", "lint"]
    assert (found.origin, found.rule) == ("s.jsonl:1", "as-is")


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.integers(0, 40), unique=True, max_size=30))
def test_lines_come_to_stand_in_order(tmp_path: Path, places: list[int]) -> None:
    """However they come, also with gaps, the file holds them by their places."""
    path = tmp_path / "lines.jsonl"
    with LineFile(path) as lines:
        for place in places:
            lines.write(place, line(place, reason="x" * (place % 7)))
        lines.finish()

    found = [SampleLine.model_validate_json(text).index for text in path.read_bytes().splitlines()]
    assert found == sorted(places)
    assert [each.name for each in tmp_path.iterdir()] == [path.name]


def test_until_the_end_the_file_is_what_it_was(tmp_path: Path) -> None:
    """Lines that have come are beside it, and a file of an earlier evaluation is whole till all are there."""
    path = tmp_path / "lines.jsonl"
    path.write_text("before", encoding="utf-8")
    with LineFile(path) as lines:
        lines.write(1, line(1))
        kept = path.with_name("lines.jsonl.part").read_bytes()

    assert path.read_text(encoding="utf-8") == "before"
    assert SampleLine.model_validate_json(kept) == line(1)


@pytest.fixture
def small_disk() -> Iterator[None]:
    """Let no file grow beyond 64 KiB: to who writes it's as if the disk were full."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    before = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (64 << 10, hard))
    yield
    resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    signal.signal(signal.SIGXFSZ, before)


def write_many(path: Path) -> None:
    """Write more lines than a small disk holds."""
    with LineFile(path) as lines:
        for place in range(100):
            lines.write(place, line(place, reason="x" * 4000))


@pytest.mark.usefixtures("small_disk")
def test_a_full_disk_is_an_error_of_the_environment(tmp_path: Path) -> None:
    """Where a line can't be written the error says which file, and the final file is not touched."""
    path = tmp_path / "lines.jsonl"
    path.write_text("before", encoding="utf-8")
    with pytest.raises(EnvironmentFaultError, match="can't be written"):
        write_many(path)

    assert path.read_text(encoding="utf-8") == "before"
