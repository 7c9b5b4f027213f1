"""Runs of real models that are killed or interrupted while replies are on their way, and gone on with."""

from __future__ import annotations

import os
import random
import signal
import subprocess
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path
from threading import Event, Lock

import pytest

from codegen_eval.cli.main import run_argv
from codegen_eval.ledger import Ledger, ledger_path
from codegen_eval.results import load_run_record, run_record_path
from codegen_eval.solution import Strategy
from own_group import own_group
from recorded_model import Question, RecordedModel, question_of
from wires import OPENAI, Asked, Fault, Said, Silence, WireServer, in_turn

KILLS = 25
CONCURRENCY = 4
SESSION = "openai-project"
"""The header in which the SDK sends `OPENAI_PROJECT_ID`."""
STRATEGIES = (Strategy.BARE, Strategy.TEST_FIRST, Strategy.SELF_REVIEW)
"""No two of them begin with the same words, so that every question has one reply."""
SANDBOX = ("--sandbox", "subprocess", "--allow-unsafe-sandbox", "--concurrency", str(CONCURRENCY))
CODE = "```python\ndef fizzbuzz(n):\n    return []\n```"
WHAT = ("--layers", "lint", "--strategies", ",".join(strategy.value for strategy in STRATEGIES))


class Deadly:
    """Answer as recorded, and once, at a certain call of a session, do something before or after it is answered."""

    def __init__(self, inner: RecordedModel) -> None:
        self._inner = inner
        self._lock = Lock()
        self._left: int | None = None
        self._do: Callable[[], None] = lambda: None
        self.sessions: list[list[Question]] = []
        """What was asked in each session, in its order."""

    def arm(self, call: int, do: Callable[[], None]) -> None:
        """Begin a session at whose how-many-th call this is done, from 1."""
        with self._lock:
            self.sessions.append([])
            self._left, self._do = call, do

    def __call__(self, asked: Asked) -> Said | Fault:
        """Answer, and strike where the time has come."""
        with self._lock:
            session = int(asked.headers[SESSION])
            self.sessions[session].append(question_of(asked))
            current = session == len(self.sessions) - 1  # what a killed process had sent may be read late
            self._left = self._left - current if self._left is not None else None
            strike = current and self._left == 0
        if strike:
            self._do()
        return self._inner(asked)


def child(
    argv: list[str], server: WireServer, scratch: Path, session: int = 0
) -> AbstractContextManager[subprocess.Popen[bytes]]:
    """Start the program with the server for a provider; its requests tell its session."""
    own = {"TMPDIR": str(scratch), "OPENAI_PROJECT_ID": str(session)}
    return own_group(argv, env=os.environ | server.environment() | own, cwd=scratch)


@pytest.fixture
def scratch(tmp_path: Path) -> Path:
    """Give a folder that any user's sandbox can use."""
    folder = tmp_path / "scratch"
    folder.mkdir(mode=0o755)
    tmp_path.chmod(0o755)
    return folder


@pytest.mark.slow
@pytest.mark.timeout(1500)
def test_kills_at_any_moment_change_no_byte_and_repeat_only_what_was_in_flight(tmp_path: Path, scratch: Path) -> None:
    """25 times `kill -9` at a random call, each followed by `--resume`: the bytes of an undisturbed run."""
    begin = ["run", "--mode", "openai", "--model", "m", *SANDBOX, *WHAT]
    inner = RecordedModel(strategies=STRATEGIES)
    script = Deadly(inner)
    chance = random.Random(25)  # noqa: S311
    out, whole = tmp_path / "cut.json", tmp_path / "whole.json"
    with WireServer(OPENAI, script) as server:
        argv = [*begin, "--out", str(out)]
        for attempt in range(KILLS):
            with child(argv, server, scratch, attempt) as process:
                script.arm(chance.randrange(1, 4), lambda: os.killpg(process.pid, signal.SIGKILL))
                process.communicate()
                if process.returncode != -signal.SIGKILL:
                    break
            assert not out.exists()
            argv = ["run", "--resume", str(out), *SANDBOX]
        kills = len(script.sessions)
        script.arm(0, lambda: None)
        with child(argv, server, scratch, kills) as process:
            process.communicate()
            assert process.returncode == 0
        cut = list(script.sessions)
        script.arm(0, lambda: None)
        with child([*begin, "--out", str(whole)], server, scratch, kills + 1) as process:
            process.communicate()
            assert process.returncode == 0

    assert kills == KILLS
    assert out.read_bytes() == whole.read_bytes()
    assert set().union(*map(set, cut)) == set(script.sessions[-1])
    for number, session in enumerate(cut):
        assert len(set(session)) == len(session)
        later = set().union(*map(set, cut[number + 1 :]))
        assert len(later & set(session)) <= CONCURRENCY
    record = load_run_record(run_record_path(out))
    assert record.spent_in_all == record.from_scratch
    assert record.from_scratch is not None
    assert record.from_scratch.calls == inner.questions == 40


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupt_does_not_wait_for_replies(
    number: signal.Signals, tmp_path: Path, scratch: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """While a provider is silent Ctrl-C ends the run at once: exit 130, how to go on, and what was answered is kept."""
    silent = Event()
    lock = Lock()
    answered: list[Asked] = []

    def script(request: Asked) -> Said | Fault:
        with lock:
            if len(answered) < 2:
                answered.append(request)
                return Said(text=CODE)
        silent.set()
        return Silence()

    out = tmp_path / "r.json"
    argv = ["run", "--mode", "openai", "--model", "m", "--layers", "lint", "--tasks", "fizzbuzz", "--out", str(out)]
    with WireServer(OPENAI, script) as server, child([*argv, *SANDBOX], server, scratch) as process:
        assert process.stderr is not None
        received = 0
        while received < 2 and (line := process.stderr.readline()):
            received += b"reply_received" in line
        assert silent.wait(120)
        process.send_signal(number)
        Event().wait(0.05)
        process.send_signal(number)  # as `timeout` does, to its child and to the group
        _, told = process.communicate(timeout=20)
    with Ledger.resume(ledger_path(out)) as ledger:
        kept = len(list(ledger.replies()))

    assert process.returncode == 130
    assert f"evalrun run --resume {out}".encode() in told
    assert b"Traceback" not in told
    assert kept == 2
    with WireServer(OPENAI, in_turn(Said(text=CODE))) as server:
        for name, value in server.environment().items():
            monkeypatch.setenv(name, value)
        assert run_argv(["run", "--resume", str(out), *SANDBOX, "--base-url", f"{server.url}/v1"]) == 0
        assert len(server.calls) == 3
