"""The scorecard on terminals of several widths, through the real command."""

from __future__ import annotations

import os
import pty
import re
import subprocess
import sys
import termios
from pathlib import Path

import pytest

from codegen_eval.render import render_text
from codegen_eval.results import dump
from codegen_eval.scorecard import score
from mock_run import mock_results

ESCAPES = re.compile(r"\x1b\[[0-9;]*m")
COMMAND = (sys.executable, "-m", "codegen_eval")


@pytest.fixture
def results(tmp_path: Path) -> str:
    """Give the path of the designed results."""
    path = tmp_path / "results.json"
    path.write_bytes(dump(mock_results()))
    return str(path)


def on_terminal(*argv: str, columns: int, **environ: str) -> str:
    """Run a command with a terminal of that width as its standard output; return what appears there."""
    plain = {name: value for name, value in os.environ.items() if name not in {"COLUMNS", "NO_COLOR"}}
    ours, theirs = pty.openpty()
    try:
        termios.tcsetwinsize(theirs, (24, columns))
        with subprocess.Popen(
            [*COMMAND, *argv], stdin=subprocess.DEVNULL, stdout=theirs, env={**plain, "TERM": "xterm", **environ}
        ) as process:
            os.close(theirs)
            shown = b"".join(iter(lambda: _read(ours), b""))
    finally:
        os.close(ours)
    assert process.returncode == 0
    return shown.decode("utf-8").replace("\r\n", "\n")


def _read(terminal: int) -> bytes:
    """Read a piece; none where the other end is closed, which Linux tells as an error."""
    try:
        return os.read(terminal, 1 << 16)
    except OSError:
        return b""


@pytest.mark.slow
@pytest.mark.parametrize("options", [(), ("-v",)])
@pytest.mark.parametrize("columns", [60, 200])
def test_the_scorecard_fits_the_terminal(results: str, columns: int, options: tuple[str, ...]) -> None:
    """Tables fit the terminal's width, with unbroken intervals where `-v` asks; `NO_COLOR` means no colour."""
    shown = on_terminal("report", results, *options, columns=columns, NO_COLOR="1")

    assert shown == render_text(score(mock_results()), width=columns, verbose=bool(options))
    assert max(map(len, shown.splitlines())) <= columns
    assert ("3/3  100% (44-100%)" in shown) == bool(options)


def test_colour_is_for_terminals(results: str) -> None:
    """A terminal gets colour unless `NO_COLOR` says otherwise, with the same text; a pipe gets none and 80 columns."""
    shown = on_terminal("report", results, columns=60)
    environ = {name: value for name, value in os.environ.items() if name != "COLUMNS"}
    piped = subprocess.run([*COMMAND, "report", results], capture_output=True, env=environ, check=True)
    plain = [line.rstrip() for line in ESCAPES.sub("", shown).splitlines()]

    assert ESCAPES.search(shown)
    assert plain == render_text(score(mock_results()), width=60).splitlines()
    assert piped.stdout.decode("utf-8") == render_text(score(mock_results()), width=80)


@pytest.mark.slow
def test_columns_decides_where_it_is_set(results: str) -> None:
    """`COLUMNS` wins over the terminal, and serves where there is none."""
    environ = {**os.environ, "COLUMNS": "100"}
    piped = subprocess.run([*COMMAND, "report", "-v", results], capture_output=True, env=environ, check=True)

    assert piped.stdout.decode("utf-8") == render_text(score(mock_results()), width=100, verbose=True)
    assert on_terminal("report", "-v", results, columns=60, COLUMNS="100", NO_COLOR="1") == piped.stdout.decode("utf-8")
