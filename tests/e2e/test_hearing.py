"""A person judges solutions in a real terminal."""

from __future__ import annotations

import contextlib
import os
import pty
import signal
import subprocess
import sys
import termios
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from select import select

import pytest

from codegen_eval.adjudication import Adjudications, Ruling, adjudication_path, load_adjudications
from codegen_eval.results import Results, dump
from codegen_eval.verdict import FailureClass, Finding, LayerResult, Verdict
from factories import make_layer_result, make_results, make_scored, make_solution

CHOICE, CLASSES, NOTE = "[q]uit > ", "[b]ack > ", "Enter) > "
HOSTILE = "def fizzbuzz(n):\n\tprint('\x1b]0;owned\x07\x1b[2J')  # \u202e evil\n"


class Terminal:
    """Our side of a terminal, in which a command runs."""

    def __init__(self, ours: int, process: subprocess.Popen[bytes]) -> None:
        self.process = process
        self.seen = b""
        self._ours = ours
        self._read = 0

    def wait_for(self, text: str, seconds: float = 60) -> None:
        """Read until a text has appeared after all that was waited for before."""
        wanted = text.encode()
        while (at := self.seen.find(wanted, self._read)) < 0:
            ready, _, _ = select([self._ours], [], [], seconds)
            assert ready, f"{text!r} did not appear:\n{self.seen.decode()}"
            self.seen += self._piece()
        self._read = at + len(wanted)

    def _piece(self) -> bytes:
        try:
            piece = os.read(self._ours, 1 << 16)
        except OSError:  # Linux tells the end as an error
            piece = b""
        assert piece, f"the command has ended:\n{self.seen.decode()}"
        return piece

    def answer(self, prompt: str, text: str) -> None:
        """Wait for a prompt and type a line."""
        self.wait_for(prompt)
        self.type(f"{text}\n")

    def type(self, keys: str) -> None:
        """Press keys."""
        os.write(self._ours, keys.encode())

    def end(self) -> int:
        """Return the exit code."""
        return self.process.wait(60)

    def interrupt(self) -> int:
        """Press Ctrl-C until it ends, as people do: one that comes just before Python waits is seen with the next."""
        for _ in range(5):
            self.process.send_signal(signal.SIGINT)
            with contextlib.suppress(subprocess.TimeoutExpired):
                return self.process.wait(10)
        return self.end()


@contextmanager
def hearing(path: Path, *options: str) -> Iterator[Terminal]:
    """Start the command in a terminal of its own, which Ctrl-C reaches as a signal."""
    ours, theirs = pty.openpty()
    termios.tcsetwinsize(theirs, (40, 100))
    command = [sys.executable, "-m", "codegen_eval", "adjudicate", str(path), *options]
    process = subprocess.Popen(
        command,
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        start_new_session=True,
        env={**os.environ, "TERM": "xterm"},
    )
    os.close(theirs)
    try:
        yield Terminal(ours, process)
    finally:
        process.kill()
        process.wait()
        os.close(ours)


@pytest.fixture
def results() -> Results:
    """Give four solutions: two flagged, one of them hostile, and two that no layer flags."""
    finding = Finding(
        failure_class=FailureClass.MISSED_EDGE_CASE,
        message="returned \x1b[31m",
        check="empty",
        input="[]",
        actual="\x07",
    )
    fail = LayerResult(layer="unit", verdict=Verdict.FAIL, findings=(finding,))
    flagged = tuple(
        make_scored(solution=make_solution(task=task, source=HOSTILE), layers=(fail,)) for task in ("a", "b")
    )
    fine = tuple(make_scored(solution=make_solution(task=task), layers=(make_layer_result(),)) for task in ("c", "d"))
    return make_results(solutions=(*flagged, *fine))


@pytest.fixture
def path(tmp_path: Path, results: Results) -> Path:
    """Give their file."""
    path = tmp_path / "results.json"
    path.write_bytes(dump(results))
    return path


def kept(path: Path, results: Results) -> Adjudications:
    return load_adjudications(path, results)


def test_every_answer_is_kept_before_the_next_question(path: Path, results: Results) -> None:
    """True with the suggested class, false with a note, unsure: each is in the file when the next prompt is there."""
    with hearing(path) as terminal:
        terminal.answer(CHOICE, "t")
        terminal.answer(CLASSES, "")
        terminal.answer(NOTE, "seen it")
        terminal.wait_for(CHOICE)
        (first,) = kept(path, results).entries
        assert (first.ruling, first.classes) == (Ruling.TRUE, (FailureClass.MISSED_EDGE_CASE,))
        assert first.note == "seen it"
        terminal.type("t\n")
        terminal.answer(CLASSES, "99")
        terminal.answer(CLASSES, "1, 5")
        terminal.answer(NOTE, "")
        terminal.answer(CHOICE, "f")
        terminal.answer(NOTE, "")
        terminal.answer(CHOICE, "u")
        terminal.answer(NOTE, "")
        terminal.wait_for("judged: 2 of 2 flagged, 2 of 2 sampled others")
        assert terminal.end() == 0

    entries = kept(path, results).entries
    assert sorted(e.ruling for e in entries) == [Ruling.FALSE, Ruling.TRUE, Ruling.TRUE, Ruling.UNSURE]
    assert (FailureClass.WRONG_LOGIC, FailureClass.PERFORMANCE_TRAP) in {e.classes for e in entries}


def test_hostile_code_does_nothing_to_the_terminal(path: Path) -> None:
    """Escape sequences, bells and direction marks of code and findings are shown as text."""
    with hearing(path) as terminal:
        terminal.wait_for(CHOICE)
        shown = terminal.seen.decode()
        terminal.type("q\n")
        assert terminal.end() == 0

    assert "\\x1b]0;owned\\x07" in shown
    assert "\\u202e evil" in shown
    assert all(c.isprintable() or c in "\r\n" for c in shown)


def test_ctrl_c_loses_nothing_and_the_next_hearing_goes_on(path: Path, results: Results) -> None:
    """What was said stays, the exit code is 130, and only what is open is asked."""
    with hearing(path, "--sample", "1") as terminal:
        terminal.wait_for("1 of 3")
        terminal.answer(CHOICE, "f")
        terminal.answer(NOTE, "")
        terminal.wait_for(CHOICE)
        assert terminal.interrupt() == 130
    before = kept(path, results)
    assert len(before.entries) == 1

    with hearing(path, "--sample", "1") as terminal:
        terminal.wait_for("1 of 2")
        terminal.wait_for(CHOICE)
        terminal.type("\x04")  # the end of input
        assert terminal.end() == 0

    assert kept(path, results) == before


def test_going_back_takes_the_last_answer_back(path: Path, results: Results) -> None:
    """`b` shows the solution before again, with nothing said of it, also from the question for a class."""
    with hearing(path) as terminal:
        terminal.answer(CHOICE, "f")
        terminal.answer(NOTE, "")
        terminal.wait_for("2 of 4")
        terminal.answer(CHOICE, "t")
        terminal.answer(CLASSES, "b")
        terminal.wait_for("2 of 4")
        terminal.answer(CHOICE, "b")
        terminal.wait_for("1 of 4")
        terminal.wait_for(CHOICE)
        assert kept(path, results).entries == ()
        terminal.type("s\n")
        terminal.wait_for("2 of 4")
        terminal.answer(CHOICE, "x")
        terminal.wait_for("one of t, f, u")
        terminal.answer(CHOICE, "q")
        assert terminal.end() == 0

    assert kept(path, results).entries == ()
    assert adjudication_path(path).exists()
