"""bandit and ruff as annotations of the lint layer."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from dataclasses import dataclass

import pytest

from codegen_eval.layers.lint import Lint, LintItem, attach, find_tools
from codegen_eval.layers.lint.batch import BATCH_ITEMS, batches
from codegen_eval.layers.lint.tool import Note

EVAL = LintItem(id="eval", source="def f(x):\n    return eval(x)  # nosec # noqa\n")
CLEAN = LintItem(id="clean", source="def f(x):\n    return x\n")


@dataclass(frozen=True)
class Fragile:
    """A linter that flags line 1 of every file, and that is killed by a file that says `die`."""

    name: str = "fragile"
    version: str = "1"

    def command(self, files: Sequence[str]) -> list[str]:
        """Return the command that lints `files`."""
        code = (
            "import os, sys\n"
            "for f in sys.argv[1:]:\n"
            "    if 'die' in open(f).read(): os.kill(os.getpid(), 9)\n"
            "    print(f)"
        )
        return [sys.executable, "-I", "-c", code, *files]

    def read(self, output: bytes) -> list[tuple[str, Note]]:
        """Return file name and note of everything that it flagged."""
        return [(name, Note(1, "fragile:F1")) for name in output.decode().splitlines()]


def test_tools_flag_what_comments_try_to_silence() -> None:
    """`nosec` and `noqa` in a solution silence neither tool."""
    annotations = Lint().annotate([EVAL, CLEAN])

    assert annotations == {"eval": ("2:bandit:B307", "2:ruff:S307")}


def test_a_file_level_noqa_silences_nothing() -> None:
    """A file-wide `ruff: noqa` changes no annotation."""
    planted = LintItem(id="planted", source="# ruff: noqa\n# flake8: noqa\neval('1')\n")

    assert "3:ruff:S307" in Lint().annotate([planted])["planted"]


def test_planted_configuration_silences_nothing(
    tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Configuration files in the current directory change no annotation."""
    place = tmp_path_factory.mktemp("planted")
    (place / ".bandit").write_text("[bandit]\nskips = B307\n")
    (place / "ruff.toml").write_text('lint.ignore = ["S"]\n')
    monkeypatch.chdir(place)

    assert Lint().annotate([EVAL]) == {"eval": ("2:bandit:B307", "2:ruff:S307")}


def test_a_batch_that_dies_is_halved_until_the_guilty_one_is_alone() -> None:
    """A file that kills a tool costs its own annotations only."""
    items = [LintItem(id=str(i), source="die" if i == 5 else f"x = {i}\n") for i in range(9)]

    annotations = Lint(tools=[Fragile()]).annotate(items)

    assert annotations == {str(i): ("0:fragile:crashed",) if i == 5 else ("1:fragile:F1",) for i in range(9)}


def test_a_real_tool_survives_a_file_that_kills_it() -> None:
    """Beside a file that no parser stands, the others are annotated as ever."""
    deep = LintItem(id="deep", source="x = " + "-" * 50_000 + "1\n")

    annotations = Lint().annotate([CLEAN, deep, EVAL])

    assert annotations["eval"] == ("2:bandit:B307", "2:ruff:S307")
    assert "clean" not in annotations


def test_the_verdict_does_not_depend_on_the_tools() -> None:
    """Without bandit and ruff the results are the same, and nothing is annotated."""
    alone = Lint(tools=())

    assert alone.run_batch([EVAL, CLEAN]) == Lint().run_batch([EVAL, CLEAN])
    assert alone.annotate([EVAL]) == {}
    assert alone.versions() == {}


def test_annotations_go_to_the_findings_of_their_line() -> None:
    """A finding bears the rule ids that the tools gave to its own line."""
    result = Lint(tools=()).run_batch([EVAL])["eval"]

    annotated = attach(result, ("1:ruff:S999", "2:bandit:B307", "2:ruff:S307"))

    assert [f.annotations for f in annotated.findings] == [("bandit:B307", "ruff:S307")]


def test_tools_are_found_with_their_versions() -> None:
    """Both tools of the base install are found, with a version."""
    assert set(Lint().versions()) == {"bandit", "ruff"}
    assert all(tool.version[0].isdigit() for tool in find_tools())


def test_batches_are_bounded_and_complete() -> None:
    """No batch holds more than its number of solutions, and none is lost or moved."""
    items = [LintItem(id=str(i), source="x" * (3 << 20 if i % 50 == 7 else 10)) for i in range(200)]

    cut = list(batches(items))

    assert [item for batch in cut for item in batch] == items
    assert max(len(batch) for batch in cut) <= BATCH_ITEMS
    assert max(sum(len(item.source) for item in batch) for batch in cut) <= 4 << 20


def test_a_poisoned_environment_does_not_reach_the_scanner(
    monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """A module planted where Python would look for it is not imported by the scanner."""
    place = tmp_path_factory.mktemp("planted")
    (place / "ast.py").write_text("raise SystemExit(0)\n")
    monkeypatch.setenv("PYTHONPATH", os.fspath(place))
    monkeypatch.chdir(place)

    assert [f.check for f in Lint(tools=()).run_batch([EVAL])["eval"].findings] == ["CE101-eval"]
