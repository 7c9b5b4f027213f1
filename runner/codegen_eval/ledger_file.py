"""The file of a ledger: its tables, its lock, and what SQLite and the disk may say of it.

Every row has a checksum, so a row that was damaged is an error and never a wrong result.
"""

from __future__ import annotations

import hashlib
import json
import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import structlog
from pydantic import JsonValue, TypeAdapter, ValidationError

from codegen_eval.errors import InputError, LedgerError
from codegen_eval.events import Event

FORMAT = 2
"""Raised whenever a ledger of the version before can't be read any more. 2: a reply stands beside its request."""
APPLICATION_ID = 0x65766C72
"""What tells our files from other SQLite files: `evlr`."""
MAX_ROW_BYTES = 32 << 20
"""No row may be larger, written or read."""
PARAMETERS = "parameters"
FINISHED = "finished"
RUN = "run"
SESSION = "session-"
"""Before the number of a session."""

JsonObject = dict[str, JsonValue]
JSON_OBJECT: TypeAdapter[JsonObject] = TypeAdapter(JsonObject)

_CANNED = '"provider":"mock"'
"""Tells replies that cost nothing, word for word as `canonical` writes it: inside a text its quotes are escaped."""
_TABLES = ("meta", "reply", "outcome")
_SCHEMA = {
    table: (
        f"CREATE TABLE {table} (key TEXT PRIMARY KEY, payload TEXT NOT NULL, checksum TEXT NOT NULL)",
        f"CREATE TRIGGER {table}_update BEFORE UPDATE ON {table} BEGIN SELECT RAISE(ABORT, 'append-only'); END",
        f"CREATE TRIGGER {table}_delete BEFORE DELETE ON {table} BEGIN SELECT RAISE(ABORT, 'append-only'); END",
    )
    for table in _TABLES
}

_BY_ERROR: Mapping[str, tuple[str, str | None]] = {
    "SQLITE_BUSY": ("is in use by another run", "wait for it to end, or choose another file with `--out`"),
    "SQLITE_LOCKED": ("is in use by another run", "wait for it to end, or choose another file with `--out`"),
    "SQLITE_NOTADB": ("is not a ledger", "choose another file with `--out`, or move this one away"),
    "SQLITE_CORRUPT": ("is damaged", "move it away and start the run again"),
    "SQLITE_FULL": ("can't grow until the disk has room", None),
    "SQLITE_READONLY": ("can't be written", "choose a folder that you may write to with `--out`"),
    "SQLITE_CANTOPEN": (
        "can't be opened or made",
        "choose a folder that exists and that you may write to with `--out`",
    ),
    "SQLITE_PERM": ("can't be opened or made", "choose a folder that exists and that you may write to with `--out`"),
    "SQLITE_IOERR": ("can't be read or written (is the disk full, or broken?)", None),
    "SQLITE_TOOBIG": ("has, or would get, a row that is too large", "move it away and start the run again"),
}


def connect(path: Path, *, create: bool) -> sqlite3.Connection:
    """Open the file, take its lock and begin a transaction.

    With `create` the file may be missing, or of an earlier format: it is about to be replaced.

    Raises:
        LedgerError: that can't be done, or the file is not a ledger.
    """
    uri = f"{path.absolute().as_uri()}?mode={'rwc' if create else 'rw'}"
    with translated(path):
        connection = sqlite3.connect(uri, uri=True, timeout=0, isolation_level=None, check_same_thread=False)
        try:
            connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, MAX_ROW_BYTES)
            connection.execute("PRAGMA locking_mode = EXCLUSIVE")
            connection.execute("PRAGMA trusted_schema = OFF")
            if not is_empty(connection):
                _check_format(path, connection, earlier=create)  # before anything is written to it
            connection.execute("PRAGMA journal_mode = WAL")
            connection.execute("PRAGMA synchronous = FULL")
            connection.execute("BEGIN IMMEDIATE")  # takes the lock, which outlasts the transaction
        except BaseException:
            connection.close()
            raise
        return connection


def is_empty(connection: sqlite3.Connection) -> bool:
    """Say whether the file holds nothing at all."""
    (count,) = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
    return bool(count == 0)


def read_parameters(path: Path, connection: sqlite3.Connection) -> JsonObject:
    """Return the parameters of a ledger whose structure is whole.

    Raises:
        InputError: it holds nothing yet.
        LedgerError: it is damaged.
    """
    if is_empty(connection):
        raise InputError(
            f"ledger `{path}` is empty: its run was stopped before it recorded anything",
            hint="start the run without `--resume`",
        )
    (found,) = connection.execute("PRAGMA quick_check(1)").fetchone()
    if found != "ok":
        raise damaged(path, "its structure is broken")
    text = read_row(path, connection, "meta", PARAMETERS)
    if text is None:
        raise damaged(path, "it has no parameters")
    return parse(path, text)


def begin(path: Path, connection: sqlite3.Connection, *, keep_replies: bool) -> None:
    """Make the tables of a new run, in place of those of an earlier one.

    `keep_replies` leaves replies that were paid for where they are. Else a copy of the file stays behind as
    `<path>.old` where it has replies or verdicts that no results hold yet, or replies that were paid for; and so where
    it is of an earlier format.
    """
    if is_empty(connection):
        _write_schema(connection, _TABLES)
        return
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    if version != FORMAT:
        _copy_aside(path, connection)
        for kind, name in connection.execute("SELECT type, name FROM sqlite_master WHERE type = 'table'").fetchall():
            quoted = name.replace('"', '""')
            connection.execute(f'DROP {kind} "{quoted}"')
        _write_schema(connection, _TABLES)
        return
    if not keep_replies and _is_worth_keeping(connection):
        _copy_aside(path, connection)
    if keep_replies:
        _forget_canned(connection)
    replaced = [table for table in _TABLES if table != "reply" or not keep_replies]
    for table in replaced:
        connection.execute(f"DROP TABLE {table}")
    _write_schema(connection, replaced)


def read_row(path: Path, connection: sqlite3.Connection, table: str, key: str) -> str | None:
    """Return the payload of a row whose checksum is right; None where there is no row.

    Raises:
        LedgerError: the checksum is wrong.
    """
    query = f"SELECT CAST(payload AS BLOB), checksum FROM {table} WHERE key = ?"  # noqa: S608  one of `_TABLES`
    row: tuple[bytes, object] | None = connection.execute(query, (key,)).fetchone()
    if row is None:
        return None
    payload = row[0].decode("utf-8")
    if row[1] != checksum(key, payload):
        raise damaged(path, f"row {key[:12]} of `{table}` has a wrong checksum")
    return payload


def write_row(connection: sqlite3.Connection, table: str, key: str, payload: str) -> None:
    """Add a row; where there is one with this key, nothing changes."""
    connection.execute(
        f"INSERT INTO {table} VALUES (?, ?, ?) ON CONFLICT DO NOTHING",  # noqa: S608  one of `_TABLES`
        (key, payload, checksum(key, payload)),
    )


def parse(path: Path, text: str) -> JsonObject:
    """Return the JSON object of a row.

    Raises:
        LedgerError: it is none.
    """
    try:
        return JSON_OBJECT.validate_json(text)
    except ValidationError as exc:
        raise damaged(path, "a row is not a JSON object") from exc


def canonical(value: Mapping[str, JsonValue]) -> str:
    """Return the one form in JSON: sorted keys, no blanks, ASCII.

    Raises:
        TypeError, ValueError: a value has no such form.
    """
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=True, allow_nan=False)


def checksum(key: str, payload: str) -> str:
    """Return what stands beside a row and tells whether it is whole."""
    return hashlib.sha256(f"{key}\n{payload}".encode()).hexdigest()


def damaged(path: Path, why: str) -> LedgerError:
    """Return the error for a file that is not as we wrote it."""
    what, hint = _BY_ERROR["SQLITE_CORRUPT"]
    return LedgerError(f"ledger `{path}` {what}: {why}", hint=hint)


@contextmanager
def translated(path: Path) -> Iterator[None]:
    """Turn what SQLite and the file system say into LedgerError."""
    try:
        yield
    except sqlite3.Error as exc:
        name: str = getattr(exc, "sqlite_errorname", "")  # absent where Python refused before SQLite was asked
        what, hint = _BY_ERROR.get("_".join(name.split("_")[:2]), (f"can't be used ({exc})", None))
        raise LedgerError(f"ledger `{path}` {what}", hint=hint) from exc
    except UnicodeDecodeError as exc:
        raise damaged(path, "a row is not text") from exc
    except OSError as exc:
        raise LedgerError(f"ledger `{path}` can't be written: {exc.strerror}") from exc


def _check_format(path: Path, connection: sqlite3.Connection, *, earlier: bool) -> None:
    """Raise LedgerError where the file is not a ledger that this version reads, or replaces."""
    (application,) = connection.execute("PRAGMA application_id").fetchone()
    if application != APPLICATION_ID:
        what, hint = _BY_ERROR["SQLITE_NOTADB"]
        raise LedgerError(f"`{path}` {what}", hint=hint)
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    if earlier and version < FORMAT:
        return
    if version != FORMAT:
        raise LedgerError(
            f"ledger `{path}` has format {version}; this version of the program reads format {FORMAT}",
            hint="finish the run with the version that began it, or move the file away and start again",
        )
    found = {str(sql) for (sql,) in connection.execute("SELECT sql FROM sqlite_master WHERE sql IS NOT NULL")}
    if found != {statement for statements in _SCHEMA.values() for statement in statements}:
        raise damaged(path, "its tables are not those of a ledger")


def _write_schema(connection: sqlite3.Connection, tables: tuple[str, ...] | list[str]) -> None:
    connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
    connection.execute(f"PRAGMA user_version = {FORMAT}")
    for table in tables:
        for statement in _SCHEMA[table]:
            connection.execute(statement)


def _forget_canned(connection: sqlite3.Connection) -> None:
    """Delete the replies that cost nothing: the files that they come from may have changed."""
    connection.execute("DROP TRIGGER reply_delete")
    connection.execute("DELETE FROM reply WHERE instr(payload, ?) > 0", (_CANNED,))
    connection.execute(_SCHEMA["reply"][2])


def _is_worth_keeping(connection: sqlite3.Connection) -> bool:
    (finished,) = connection.execute("SELECT count(*) FROM meta WHERE key = ?", (FINISHED,)).fetchone()
    replies, paid = connection.execute(
        "SELECT count(*), count(CASE WHEN instr(payload, ?) = 0 THEN 1 END) FROM reply", (_CANNED,)
    ).fetchone()
    (judged,) = connection.execute("SELECT count(*) FROM outcome").fetchone()
    return bool(paid or ((replies or judged) and not finished))


def _copy_aside(path: Path, connection: sqlite3.Connection) -> None:
    connection.execute("COMMIT")
    half = path.with_name(path.name + ".old.part")
    half.unlink(missing_ok=True)
    connection.execute("VACUUM INTO ?", (str(half.absolute()),))
    aside = path.with_name(path.name + ".old")
    half.replace(aside)
    structlog.get_logger().warning(
        Event.LEDGER_SET_ASIDE,
        kept=str(aside),
        reason="it holds what no results have; moved back in its place, `--resume` goes on with it",
    )
    connection.execute("BEGIN IMMEDIATE")
