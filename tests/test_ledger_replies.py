"""Laws of what becomes of the replies and verdicts in a ledger when a new run takes its place."""

from __future__ import annotations

import contextlib
import hashlib
import sqlite3
from pathlib import Path

import pytest
from pydantic import JsonValue

from codegen_eval.errors import LedgerError
from codegen_eval.ledger import FORMAT, Ledger
from codegen_eval.models import Reply
from codegen_eval.verdict import LayerResult, Verdict

REQUEST: dict[str, JsonValue] = {
    "provider": "claude",
    "task": "t",
    "turn": 0,
    "messages": [{"role": "user", "content": "é\n"}],
}
REPLY = Reply(text='```python\n"\u2028"', input_tokens=3, output_tokens=1, estimated=False)
OUTCOME = LayerResult(layer="unit", verdict=Verdict.PASS)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "results.ledger"


def _paid(path: Path, *, finished: bool) -> str:
    """Leave a ledger with one reply that was paid for; return the name of its run."""
    with Ledger.open(path, parameters={"seed": 1}) as ledger:
        ledger.put_reply("k", REPLY, request=REQUEST)
        ledger.put_outcome("o", OUTCOME)
        if finished:
            ledger.finish()
        return ledger.run


def test_a_reply_is_kept_raw_and_beside_its_request(path: Path) -> None:
    """Whoever opens the ledger later reads every reply, what was asked for it, and which run paid."""
    run = _paid(path, finished=True)

    with Ledger.resume(path) as ledger:
        ((key, record),) = ledger.replies()
        assert (key, record.reply, record.request, record.run) == ("k", REPLY, REQUEST, run)
        assert ledger.run == run


@pytest.mark.parametrize("finished", [True, False])
def test_a_new_run_takes_over_what_was_paid_for(path: Path, finished: bool) -> None:  # noqa: FBT001
    """The replies stay, under the name of the run that paid; what layers said does not."""
    earlier = _paid(path, finished=finished)

    with Ledger.open(path, parameters={"seed": 2}, keep_replies=True) as ledger:
        assert ledger.get_reply("k") == REPLY
        assert ledger.get_outcome("o") is None
        assert ledger.run != earlier
        assert [record.run for _, record in ledger.replies()] == [earlier]
        assert ledger.parameters == {"seed": 2}
    assert [file.name for file in path.parent.iterdir()] == ["results.ledger"]


def test_canned_replies_are_never_taken_over(path: Path) -> None:
    """They cost nothing, and their files may have changed; what was paid for stays through a run of the corpus."""
    with Ledger.open(path, parameters={}) as ledger:
        ledger.put_reply("k", REPLY, request=REQUEST)
        ledger.put_reply("free", REPLY, request={"provider": "mock"})
        ledger.finish()

    with Ledger.open(path, parameters={}, keep_replies=True) as ledger:
        assert [key for key, _ in ledger.replies()] == ["k"]
    with Ledger.resume(path) as ledger:
        assert ledger.get_reply("k") == REPLY


@pytest.mark.parametrize("finished", [True, False])
def test_what_was_paid_for_is_never_thrown_away(path: Path, finished: bool) -> None:  # noqa: FBT001
    """A run that takes nothing over leaves a copy of what it replaces."""
    _paid(path, finished=finished)

    with Ledger.open(path, parameters={"seed": 2}) as ledger:
        assert list(ledger.replies()) == []
    with Ledger.resume(path.with_name("results.ledger.old")) as ledger:
        assert ledger.get_reply("k") == REPLY


def test_a_reply_that_speaks_of_the_mock_was_paid_for_all_the_same(path: Path) -> None:
    """What a model writes can't make its reply look like one that cost nothing."""
    with Ledger.open(path, parameters={}) as ledger:
        forged = REPLY.model_copy(update={"text": '"provider":"mock"'})
        ledger.put_reply("k", forged, request=REQUEST)
        ledger.finish()
    Ledger.open(path, parameters={}).close()

    assert path.with_name("results.ledger.old").exists()


@pytest.mark.parametrize("keep", [True, False])
def test_a_ledger_of_an_earlier_format_is_set_aside(path: Path, keep: bool) -> None:  # noqa: FBT001
    """A new run replaces it and leaves a copy; a resume names both formats."""
    _paid(path, finished=True)
    with contextlib.closing(sqlite3.connect(path)) as connection:
        connection.execute(f"PRAGMA user_version = {FORMAT - 1}")

    with pytest.raises(LedgerError, match=f"has format {FORMAT - 1}"):
        Ledger.resume(path)
    with Ledger.open(path, parameters={"seed": 2}, keep_replies=keep) as ledger:
        assert list(ledger.replies()) == []
    with contextlib.closing(sqlite3.connect(path.with_name("results.ledger.old"))) as connection:
        assert connection.execute("SELECT count(*) FROM reply").fetchone() == (1,)


def test_a_ledger_that_names_no_run_is_damaged(path: Path) -> None:
    """A resume counts what its run has paid, so it has to know which run that is."""
    Ledger.open(path, parameters={}).close()
    with contextlib.closing(sqlite3.connect(path)) as connection:
        connection.execute("DROP TRIGGER meta_delete")
        connection.execute("DELETE FROM meta WHERE key = 'run'")
        connection.execute(
            "CREATE TRIGGER meta_delete BEFORE DELETE ON meta BEGIN SELECT RAISE(ABORT, 'append-only'); END"
        )
        connection.commit()

    with pytest.raises(LedgerError, match="does not name its run"):
        Ledger.resume(path)


def test_a_request_that_is_no_object_is_noticed(path: Path) -> None:
    """A row that was written by something else is an error and never a reply."""
    Ledger.open(path, parameters={}).close()
    payload = '{"reply":{"text":"","input_tokens":0,"output_tokens":0,"estimated":true},"request":[],"run":"x"}'
    checksum = hashlib.sha256(f"k\n{payload}".encode()).hexdigest()
    with contextlib.closing(sqlite3.connect(path)) as connection:
        connection.execute("INSERT INTO reply VALUES ('k', ?, ?)", (payload, checksum))
        connection.commit()

    with Ledger.resume(path) as ledger, pytest.raises(LedgerError, match="is damaged"):
        list(ledger.replies())


def test_a_new_run_keeps_a_copy_of_verdicts_without_results(path: Path) -> None:
    """Hours of judging are not thrown away because `--resume` was forgotten; once results hold them they may go."""
    with Ledger.open(path, parameters={"seed": 1}) as ledger:
        ledger.put_outcome("k", OUTCOME)
    with Ledger.open(path, parameters={"seed": 2}) as ledger:
        ledger.put_outcome("k", OUTCOME)
        ledger.finish()
    aside = path.with_name("results.ledger.old")
    with Ledger.resume(aside) as ledger:
        assert ledger.get_outcome("k") == OUTCOME
    aside.unlink()

    Ledger.open(path, parameters={"seed": 3}).close()
    assert not aside.exists()
