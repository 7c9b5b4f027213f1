"""Laws of the ledger."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import random
import signal
import sqlite3
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import JsonValue

from codegen_eval.errors import InputError, LedgerError
from codegen_eval.ledger import FORMAT, Ledger, key_of, ledger_path
from codegen_eval.models import Reply, StopReason
from codegen_eval.verdict import FailureClass, Finding, LayerResult, Verdict

_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)


def _reply(text: str = "hello") -> Reply:
    return Reply(text=text, input_tokens=3, output_tokens=1, estimated=True)


def _result(layer: str = "unit") -> LayerResult:
    finding = Finding(failure_class=FailureClass.WRONG_LOGIC, message="wrong", check="c1", input="f(1)", cwe=95)
    return LayerResult(layer=layer, verdict=Verdict.FAIL, findings=(finding,), facts={"cases": 3})


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "results.ledger"


def _edit(path: Path, *statements: str) -> None:
    """Change a ledger as something that is not the program would."""
    with contextlib.closing(sqlite3.connect(path)) as connection:
        for statement in statements:
            connection.execute(statement)
        connection.commit()


def _child(path: Path, body: str) -> subprocess.Popen[str]:
    """Start a process that has opened a new ledger and says so before it goes on with `body`."""
    source = f"""
import resource, sys
from pathlib import Path
from codegen_eval.errors import LedgerError
from codegen_eval.ledger import Ledger
from codegen_eval.models import Reply
from codegen_eval.verdict import LayerResult, Verdict
ledger = Ledger.open(Path(sys.argv[1]), parameters={{"seed": 7}})
print("open", flush=True)
{body}
"""
    return subprocess.Popen(
        [sys.executable, "-c", source, str(path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )


def test_what_was_put_comes_back(path: Path) -> None:
    """Parameters, replies and outcomes come back equal after the file was closed."""
    reply = Reply(text="a\u2028\0b", input_tokens=1, output_tokens=2, estimated=False, stop_reason=StopReason.REFUSAL)
    with Ledger.open(path, parameters={"seed": 7, "tasks": ["fizzbuzz"]}) as ledger:
        ledger.put_reply("k1", reply)
        ledger.put_outcome("k2", _result())

    with Ledger.resume(path) as ledger:
        assert ledger.parameters == {"seed": 7, "tasks": ["fizzbuzz"]}
        assert ledger.get_reply("k1") == reply
        assert ledger.get_outcome("k2") == _result()
        assert ledger.get_reply("k2") is None
        assert ledger.get_outcome("k1") is None


def test_a_closed_ledger_is_one_file(path: Path) -> None:
    """Nothing but the ledger itself lies beside the results once it is closed."""
    with Ledger.open(path, parameters={}) as ledger:
        ledger.put_reply("k", _reply())

    assert [file.name for file in path.parent.iterdir()] == ["results.ledger"]


def test_the_first_record_stands(path: Path) -> None:
    """A second record for a key changes nothing."""
    with Ledger.open(path, parameters={}) as ledger:
        ledger.put_reply("k", _reply("first"))
        ledger.put_reply("k", _reply("second"))

        assert ledger.get_reply("k") == _reply("first")


@pytest.mark.parametrize("statement", ["UPDATE reply SET payload = ''", "DELETE FROM reply"])
def test_rows_are_never_changed(path: Path, statement: str) -> None:
    """The database itself refuses to change or to delete a record."""
    with Ledger.open(path, parameters={}) as ledger:
        ledger.put_reply("k", _reply())

    with pytest.raises(sqlite3.IntegrityError, match="append-only"):
        _edit(path, statement)


def test_many_threads_share_a_ledger(path: Path) -> None:
    """Records of several threads are all there."""

    def work(thread: int) -> None:
        for number in range(20):
            ledger.put_outcome(f"{thread}/{number}", _result(str(number)))

    with Ledger.open(path, parameters={}) as ledger:
        threads = [threading.Thread(target=work, args=(thread,)) for thread in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

        assert all(ledger.get_outcome(f"{t}/{n}") == _result(str(n)) for t in range(4) for n in range(20))


@pytest.mark.parametrize("seed", range(6))
def test_kill_loses_only_what_was_in_flight(path: Path, seed: int) -> None:
    """Everything that was recorded before `kill -9` is there afterwards, whenever it strikes."""
    child = _child(
        path,
        """
number = 0
while True:
    ledger.put_reply(f"r{number}", Reply(text=f"{number}" * 999, input_tokens=1, output_tokens=1, estimated=True))
    ledger.put_outcome(f"o{number}", LayerResult(layer=str(number), verdict=Verdict.PASS))
    print(number, flush=True)
    number += 1
""",
    )
    assert child.stdout is not None
    said = [child.stdout.readline().strip() for _ in range(random.Random(seed).randrange(40))]  # noqa: S311
    child.send_signal(signal.SIGKILL)
    said += child.communicate()[0].split()
    if "open" not in said:
        return  # it struck before there was a ledger to lose anything from

    last = max((int(word) for word in said if word.isdigit()), default=-1)
    with Ledger.resume(path) as ledger:
        assert ledger.parameters == {"seed": 7}
        for number in range(last + 1):
            reply = ledger.get_reply(f"r{number}")
            assert reply is not None
            assert reply.text == f"{number}" * 999
            assert ledger.get_outcome(f"o{number}") == LayerResult(layer=str(number), verdict=Verdict.PASS)
        ledger.put_reply("after", _reply())


def test_two_runs_never_share_a_ledger(path: Path) -> None:
    """While one process has a ledger open a second is refused, and `kill -9` frees it at once."""
    child = _child(path, "sys.stdin.read()")
    assert child.stdout is not None
    child.stdout.readline()

    with pytest.raises(LedgerError, match="in use by another run"):
        Ledger.resume(path)
    with pytest.raises(LedgerError, match="in use by another run"):
        Ledger.open(path, parameters={})

    child.kill()
    child.communicate()
    with Ledger.resume(path) as ledger:
        assert ledger.parameters == {"seed": 7}


def test_a_child_of_the_run_does_not_hold_its_lock(path: Path) -> None:
    """A process that the run forked, and that outlives it, does not keep the next run out."""
    child = _child(
        path,
        """
import os
if os.fork() == 0:
    sys.stdin.read()
    os._exit(0)
print("forked", flush=True)
os.kill(os.getpid(), 9)
""",
    )
    assert child.wait() == -signal.SIGKILL

    with Ledger.resume(path) as ledger:
        assert ledger.parameters == {"seed": 7}
    child.communicate()


def test_one_process_never_opens_it_twice(path: Path) -> None:
    """The lock holds inside a process as well."""
    with Ledger.open(path, parameters={}), pytest.raises(LedgerError, match="in use"):
        Ledger.resume(path)


def test_a_new_run_replaces_a_finished_one(path: Path) -> None:
    """The ledger of a finished run whose replies cost nothing makes way for the next."""
    with Ledger.open(path, parameters={"seed": 1}) as ledger:
        ledger.put_reply("k", _reply(), request={"provider": "mock"})
        ledger.finish()
    with Ledger.open(path, parameters={"seed": 2}) as ledger:
        assert ledger.get_reply("k") is None
        assert ledger.parameters == {"seed": 2}

    assert [file.name for file in path.parent.iterdir()] == ["results.ledger"]


def test_a_new_run_keeps_a_copy_of_an_unfinished_one(path: Path) -> None:
    """Replies that were paid for, and that no results hold yet, are not thrown away."""
    with Ledger.open(path, parameters={"seed": 1}) as ledger:
        ledger.put_reply("k", _reply())
    with Ledger.open(path, parameters={"seed": 2}) as ledger:
        assert ledger.get_reply("k") is None

    with Ledger.resume(path.with_name("results.ledger.old")) as ledger:
        assert ledger.parameters == {"seed": 1}
        assert ledger.get_reply("k") == _reply()


def test_nothing_to_resume_is_the_users_error(path: Path) -> None:
    """A ledger that is missing, or that holds nothing yet, is reported as such."""
    with pytest.raises(InputError, match="no ledger"):
        Ledger.resume(path)
    path.touch()
    with pytest.raises(InputError, match="is empty"):
        Ledger.resume(path)


@pytest.mark.parametrize("content", [b"{}", b"SQLite format 3\0" + b"\xff" * 5000, os.urandom(9000)])
def test_another_file_is_never_overwritten(path: Path, content: bytes) -> None:
    """A file that is not a ledger is refused and stays as it is."""
    path.write_bytes(content)

    with pytest.raises(LedgerError):
        Ledger.open(path, parameters={})
    with pytest.raises(LedgerError):
        Ledger.resume(path)
    assert path.read_bytes() == content


def test_another_database_is_never_overwritten(path: Path) -> None:
    """A SQLite file of another program is refused and stays as it is."""
    _edit(path, "CREATE TABLE mine (x)")
    before = path.read_bytes()

    with pytest.raises(LedgerError, match="is not a ledger"):
        Ledger.open(path, parameters={})
    assert path.read_bytes() == before


def test_another_version_is_named(path: Path) -> None:
    """A ledger of another format is refused with both versions."""
    Ledger.open(path, parameters={}).close()
    _edit(path, f"PRAGMA user_version = {FORMAT + 1}")

    with pytest.raises(LedgerError, match=rf"format {FORMAT + 1}.*reads format {FORMAT}"):
        Ledger.resume(path)


@pytest.mark.parametrize(
    "payload", ["", "{}", "null", "[" * 100_000, '{"text": 1}', '{"result": {}}', '{"result": 3, "extra": 3}']
)
def test_a_row_is_validated_when_read(path: Path, payload: str) -> None:
    """A row that was written by something else, checksum and all, is an error and never a wrong result."""
    Ledger.open(path, parameters={}).close()
    checksum = hashlib.sha256(f"k\n{payload}".encode()).hexdigest()
    for table in ("reply", "outcome"):
        _edit(path, f"INSERT INTO {table} VALUES ('k', '{payload}', '{checksum}')")  # noqa: S608

    with Ledger.resume(path) as ledger:
        for read in (ledger.get_reply, ledger.get_outcome):
            with pytest.raises(LedgerError, match="is damaged"):
                read("k")


@pytest.mark.parametrize("payload", ["'{}'", "NULL + 1", "x'ff'", "3"])
def test_a_damaged_row_is_noticed(path: Path, payload: str) -> None:
    """A row without the right checksum is an error."""
    Ledger.open(path, parameters={}).close()
    _edit(path, f"INSERT OR IGNORE INTO reply VALUES ('k', coalesce({payload}, CAST(x'fffe' AS TEXT)), 'x')")  # noqa: S608

    with Ledger.resume(path) as ledger, pytest.raises(LedgerError, match="is damaged"):
        ledger.get_reply("k")


@pytest.mark.parametrize("seed", range(8))
def test_a_damaged_file_is_an_error_or_right(path: Path, seed: int) -> None:
    """Whatever bytes are overwritten, what is read is what was put, or a LedgerError."""
    with Ledger.open(path, parameters={"seed": 7}) as ledger:
        for number in range(30):
            ledger.put_reply(str(number), _reply(str(number) * 500))
    chance = random.Random(seed)  # noqa: S311
    content = bytearray(path.read_bytes())
    for _ in range(12):
        at = chance.randrange(len(content))
        content[at : at + 16] = chance.randbytes(16)
    path.write_bytes(content[: chance.choice([len(content), len(content) // 2])])

    try:
        with Ledger.resume(path) as ledger:
            assert ledger.parameters == {"seed": 7}
            for number in range(30):
                assert ledger.get_reply(str(number)) in {None, _reply(str(number) * 500)}
    except (LedgerError, InputError):
        pass


@pytest.mark.parametrize("folder", ["missing/below", "file"])
def test_a_folder_that_cannot_be_written_is_named(tmp_path: Path, folder: str) -> None:
    """Where no file can be made the error says where and what to do."""
    (tmp_path / "file").touch()

    with pytest.raises(LedgerError, match="can't be opened or made") as caught:
        Ledger.open(tmp_path / folder / "results.ledger", parameters={})
    assert "--out" in str(caught.value.hint)


def test_a_full_disk_is_named_and_loses_nothing(path: Path) -> None:
    """Where the file can't grow the error says so, and what was recorded before can be resumed."""
    child = _child(
        path,
        """
resource.setrlimit(resource.RLIMIT_FSIZE, (300_000, 300_000))
number = 0
try:
    while True:
        ledger.put_reply(str(number), Reply(text="x" * 5000, input_tokens=1, output_tokens=1, estimated=True))
        number += 1
except LedgerError as exc:
    print(number, exc.message, sep="|", flush=True)
""",
    )
    out, _ = child.communicate()
    number, message = out.splitlines()[-1].split("|")

    assert int(number) > 10
    assert "until the disk has room" in message or "is the disk full" in message
    with Ledger.resume(path) as ledger:
        assert all(ledger.get_reply(str(n)) is not None for n in range(int(number)))


def test_a_row_is_bounded(path: Path) -> None:
    """A row that is too large is refused, and the ledger goes on working."""
    with Ledger.open(path, parameters={}) as ledger:
        with pytest.raises(LedgerError, match="too large"):
            ledger.put_reply("k", _reply("x" * (40 << 20)))
        ledger.put_reply("k", _reply())

        assert ledger.get_reply("k") == _reply()


def test_the_ledger_lies_beside_the_results() -> None:
    assert ledger_path(Path("a/results.json")) == Path("a/results.ledger")
    assert ledger_path(Path("a/run.v2")) == Path("a/run.v2.ledger")


@given(st.dictionaries(st.text(), _JSON), st.dictionaries(st.text(), _JSON))
def test_keys_are_equal_exactly_where_the_determinants_are(a: dict[str, JsonValue], b: dict[str, JsonValue]) -> None:
    """The key is a function of the JSON value: of nothing less, and not of the order of its keys."""
    same = json.dumps(a, sort_keys=True) == json.dumps(b, sort_keys=True)

    assert key_of(a) == key_of(dict(reversed(a.items())))
    assert (key_of(a) == key_of(b)) is same


def test_a_ledger_with_other_tables_is_refused_before_it_is_asked(path: Path) -> None:
    """A view in a table's place could compute for ever; it is not looked at."""
    Ledger.open(path, parameters={"seed": 7}).close()
    _edit(
        path,
        "DROP TABLE outcome",
        "CREATE VIEW outcome AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n)"
        " SELECT i AS key, i AS payload, i AS checksum FROM n",
    )

    with pytest.raises(LedgerError, match="tables"):
        Ledger.resume(path)
    with pytest.raises(LedgerError, match="tables"):
        Ledger.open(path, parameters={})
