"""Laws of the progress display."""

from __future__ import annotations

import io
import os
import pty
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from decimal import Decimal

import pytest
from structlog.testing import capture_logs

from codegen_eval.progress import EventProgress, Progress, make_progress
from codegen_eval.verdict import Verdict

_SOURCE = """
import os, signal, sys, threading
from decimal import Decimal
from codegen_eval.progress import make_progress
from codegen_eval.verdict import Verdict
signal.signal(signal.SIGINT, signal.default_int_handler)
with make_progress(sys.stderr, environ=os.environ) as progress:
    progress.start_replies(2)
    progress.reply_had(Decimal("0.0125"))
    if sys.argv[2] == "ask":
        threading.Event().wait(60)
    progress.start(2)
    progress.solution_started("one")
    progress.solution_finished("one", Verdict.PASS)
    progress.solution_started(sys.argv[1])
    progress.layer_finished(sys.argv[1], "unit", Verdict.FAIL)
    if sys.argv[2] == "wait":
        threading.Event().wait(60)
"""
HIDE, SHOW = b"\x1b[?25l", b"\x1b[?25h"


def _run(name: str = "fizzbuzz/bare", *, until: bytes | None = None, stay: str = "wait", **environ: str) -> bytes:
    """Run a display on a terminal of its own; return all that it wrote there.

    With `until` the display goes on until these bytes were written, and is then interrupted as by Ctrl-C.
    """
    master, slave = pty.openpty()
    with subprocess.Popen(
        [sys.executable, "-c", _SOURCE, name, stay if until else "go"],
        stderr=slave,
        env=os.environ | {"TERM": "xterm-256color", "COLUMNS": "100", "LINES": "20"} | environ,
    ) as child:
        os.close(slave)
        written = b""
        while part := _read(master):
            written += part
            if until is not None and until in written:
                child.send_signal(signal.SIGINT)
                until = None
    os.close(master)
    return written


def _read(master: int) -> bytes:
    try:
        return os.read(master, 65536)
    except OSError:  # what Linux says when the last writer is gone
        return b""


def test_a_terminal_sees_how_far_it_is() -> None:
    """Solutions done and their total, what is in work, and the last layer's verdict are on the screen."""
    written = _run(until=b"fizzbuzz/bare (unit: fail)")

    assert b"fizzbuzz/bare (unit: fail)" in written
    assert b"1/2" in written


def test_a_terminal_sees_what_replies_cost() -> None:
    """While models are asked the screen has the replies that are there, their total, and what was spent."""
    written = _run(until=b"$0.0125 spent", stay="ask")

    assert b"replies" in written
    assert b"1/2" in written
    assert b"solutions" not in written


def test_a_name_cannot_move_the_cursor() -> None:
    """Control characters and markup in the name of a solution are shown and not obeyed."""
    written = _run("\x1b]0;title[red]/bare", until=b"?]0;title[red]/bare")

    assert b"?]0;title[red]/bare" in written
    assert b"\x1b]0;" not in written


def test_control_c_leaves_the_terminal_sane() -> None:
    """When it is interrupted the cursor is shown again, after it was hidden."""
    written = _run(until=b"fizzbuzz/bare")

    assert HIDE in written
    assert written.rindex(SHOW) > written.rindex(HIDE)
    assert b"KeyboardInterrupt" in written


def test_no_color_is_respected() -> None:
    """With NO_COLOR no colour is sent; the display still moves its cursor."""
    assert b"\x1b[3" in _run()
    assert b"\x1b[3" not in _run(NO_COLOR="1")


def test_a_dumb_terminal_sees_nothing() -> None:
    assert _run(TERM="dumb") == b""


def test_elsewhere_nothing_is_drawn() -> None:
    """A stream that is no terminal gets no display, whatever happens, in any order."""
    stream = io.StringIO()
    progress: Progress = make_progress(stream, environ={})

    with progress:
        progress.start(1)
        progress.solution_started("a")
        progress.layer_finished("a", "unit", Verdict.PASS)
        progress.solution_finished("a", Verdict.PASS)
        progress.stop()

    assert stream.getvalue() == ""


@pytest.mark.parametrize("columns", [40, 60, 80, 200])
def test_what_counts_fits_every_terminal(columns: int) -> None:
    """On terminals of any width there are count and time left, and names of what is in work where there is room."""
    written = _run("HumanEval/" + "x" * 300, until=b"1/2", COLUMNS=str(columns))
    lines = re.sub(rb"\x1b\[[0-9;?]*[a-zA-Z]", b"", written).decode("utf-8", "replace").replace("\r", "\n").split("\n")
    shown = [line for line in lines if "1/2" in line]

    assert shown
    assert all("solutions" in line and "-:--:--" in line for line in shown)
    assert all(len(line) <= columns for line in shown)
    assert any("Hum" in line for line in shown)


def clock(*times: float) -> Iterator[float]:
    """Give these times, one after the other."""
    yield from times


def test_a_log_says_how_far_it_is_from_time_to_time() -> None:
    """Where nobody watches there is an event at most every so many seconds, with the time that is left."""
    times = clock(0.0, 0.0, *(float(second) for second in range(1, 101)))
    progress = EventProgress("samples", seconds=30.0, clock=lambda: next(times))

    with capture_logs() as logs, progress:
        progress.start(200)
        for number in range(40):
            progress.solution_recalled(f"old/{number}")
        for number in range(60):
            progress.solution_finished(f"new/{number}", Verdict.PASS)

    told = [(each["event"], each["what"], each["done"], each["total"], each["seconds_left"]) for each in logs]
    assert told == [
        ("progress_made", "samples", 30, 200, None),
        ("progress_made", "samples", 60, 200, 140),
        ("progress_made", "samples", 90, 200, 110),
    ]


def test_a_log_says_what_was_spent() -> None:
    """While models are asked the events count replies and dollars."""
    times = clock(*(20.0 * number for number in range(5)))
    progress = EventProgress(clock=lambda: next(times))

    with capture_logs() as logs:
        progress.start_replies(3)
        for number in range(3):
            progress.reply_had(Decimal(number + 1))

    assert [(each["what"], each["done"], each["usd"]) for each in logs] == [("replies", 1, 1.0), ("replies", 3, 3.0)]
