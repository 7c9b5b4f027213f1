"""The ledger: what a run has paid for and found out, on disk as it happens.

One SQLite file beside the results (`results.json` has `results.ledger`). `kill -9` at any moment loses at most what
was in flight; `Ledger.resume` reads back the run's parameters, and every reply and outcome by the key of what
determined it.

Durability: write-ahead log. One `fsync` for each model reply (`synchronous=FULL`: a reply costs money, so it outlives
a power cut too); none for a layer's outcome (`NORMAL`: it outlives the process, and can be had again after a power
cut). Both modes leave a consistent file at any moment.

One run at a time: SQLite's exclusive locking mode takes a lock that lives as long as the process, is not inherited by
a child, and is released by the kernel however the process ends. A ledger that is open must not be used, or closed, in
a forked child: start helpers with `spawn` or `forkserver`.

Append-only: a second record for a key is ignored, and triggers refuse changes. Every row has a checksum, so a row that
was damaged is an error and never a wrong result.
"""

from __future__ import annotations

import hashlib
import json
import sqlite3
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import Self

from pydantic import JsonValue, TypeAdapter, ValidationError

from codegen_eval.errors import InputError, LedgerError
from codegen_eval.models import Reply
from codegen_eval.verdict import LayerResult

FORMAT = 1
"""Raised whenever a ledger of the version before can't be read any more."""
APPLICATION_ID = 0x65766C72
"""What tells our files from other SQLite files: `evlr`."""
MAX_ROW_BYTES = 32 << 20
"""No row may be larger, written or read."""

JsonObject = dict[str, JsonValue]

_JSON_OBJECT: TypeAdapter[JsonObject] = TypeAdapter(JsonObject)
_PARAMETERS = "parameters"
_FINISHED = "finished"
_TABLES = ("meta", "reply", "outcome")

_SCHEMA = tuple(
    statement
    for table in _TABLES
    for statement in (
        f"CREATE TABLE {table} (key TEXT PRIMARY KEY, payload TEXT NOT NULL, checksum TEXT NOT NULL)",
        f"CREATE TRIGGER {table}_update BEFORE UPDATE ON {table} BEGIN SELECT RAISE(ABORT, 'append-only'); END",
        f"CREATE TRIGGER {table}_delete BEFORE DELETE ON {table} BEGIN SELECT RAISE(ABORT, 'append-only'); END",
    )
)

_BY_ERROR: Mapping[str, tuple[str, str | None]] = {
    "SQLITE_BUSY": ("is in use by another run", "wait for it to end, or choose another file with `--out`"),
    "SQLITE_LOCKED": ("is in use by another run", "wait for it to end, or choose another file with `--out`"),
    "SQLITE_NOTADB": ("is not a ledger", "choose another file with `--out`, or move this one away"),
    "SQLITE_CORRUPT": ("is damaged", "move it away and start the run again"),
    "SQLITE_FULL": ("can't grow: the disk is full", "make room, then go on with `--resume`"),
    "SQLITE_READONLY": ("can't be written", "choose a folder that you may write to with `--out`"),
    "SQLITE_CANTOPEN": (
        "can't be opened or made",
        "choose a folder that exists and that you may write to with `--out`",
    ),
    "SQLITE_PERM": ("can't be opened or made", "choose a folder that exists and that you may write to with `--out`"),
    "SQLITE_IOERR": ("can't be read or written", "check the disk and its free space, then go on with `--resume`"),
    "SQLITE_TOOBIG": ("has, or would get, a row that is too large", "move it away and start the run again"),
}


def key_of(determinants: Mapping[str, JsonValue]) -> str:
    """Return the SHA-256, in hex, of everything that determines a record.

    Raises:
        TypeError, ValueError: a value has no canonical form in JSON.
    """
    return hashlib.sha256(_canonical(determinants).encode("ascii")).hexdigest()


def ledger_path(results: Path) -> Path:
    """Return where the ledger of a results file is."""
    return results.with_name(results.name.removesuffix(".json") + ".ledger")


class Ledger:
    """An open ledger. Every method may be called from any thread."""

    def __init__(self, path: Path, connection: sqlite3.Connection, parameters: JsonObject) -> None:
        self._path = path
        self._connection = connection
        self._lock = threading.Lock()
        self._parameters = parameters

    @classmethod
    def open(cls, path: Path, *, parameters: Mapping[str, JsonValue]) -> Self:
        """Start the ledger of a new run, with all that a resume needs to know of it.

        A ledger that is there already is replaced; where it is of a run that did not finish and has paid for replies,
        a copy stays behind as `<path>.old`.

        Raises:
            LedgerError: it can't be written, is in use, or what is there is not a ledger.
        """
        connection = _connect(path, create=True)
        try:
            with _translated(path):
                if _is_empty(connection):
                    _write_schema(connection)
                else:
                    _set_aside(path, connection)
                text = _canonical(parameters)
                connection.execute(
                    "INSERT INTO meta VALUES (?, ?, ?)", (_PARAMETERS, text, _checksum(_PARAMETERS, text))
                )
                connection.execute("COMMIT")
        except BaseException:
            connection.close()
            raise
        return cls(path, connection, _JSON_OBJECT.validate_json(text))

    @classmethod
    def resume(cls, path: Path) -> Self:
        """Open the ledger of a run that was interrupted, or of one that finished.

        Raises:
            InputError: there is no ledger, or its run was stopped before it recorded anything.
            LedgerError: it is damaged, of another version, in use, or can't be written.
        """
        if not path.is_file():
            raise InputError(f"there is no ledger `{path}` to resume from", hint="start the run without `--resume`")
        connection = _connect(path, create=False)
        try:
            with _translated(path):
                parameters = _read_parameters(path, connection)
                connection.execute("COMMIT")
        except BaseException:
            connection.close()
            raise
        return cls(path, connection, parameters)

    @property
    def parameters(self) -> JsonObject:
        """The parameters that the run was started with."""
        return dict(self._parameters)

    def get_reply(self, key: str) -> Reply | None:
        """Return a recorded reply, None where there is none.

        Raises:
            LedgerError: the row is damaged.
        """
        text = self._get("reply", key)
        if text is None:
            return None
        try:
            return Reply.model_validate_json(text)
        except ValidationError as exc:
            raise _damaged(self._path, f"reply {key[:12]} does not validate") from exc

    def put_reply(self, key: str, reply: Reply) -> None:
        """Record a reply. It is on the disk when this returns.

        Raises:
            LedgerError: it can't be written.
        """
        self._put("reply", key, reply.model_dump_json(), durable=True)

    def get_outcome(self, key: str) -> LayerResult | None:
        """Return a layer's recorded outcome, None where there is none.

        Raises:
            LedgerError: the row is damaged.
        """
        text = self._get("outcome", key)
        if text is None:
            return None
        try:
            return LayerResult.model_validate(_parse(self._path, text).get("result"))
        except ValidationError as exc:
            raise _damaged(self._path, f"outcome {key[:12]} does not validate") from exc

    def put_outcome(self, key: str, result: LayerResult) -> None:
        """Record a layer's outcome.

        Raises:
            LedgerError: it can't be written.
        """
        self._put("outcome", key, _canonical({"result": result.model_dump(mode="json", by_alias=True)}), durable=False)

    def finish(self) -> None:
        """Record that the run has written its results.

        Raises:
            LedgerError: it can't be written.
        """
        self._put("meta", _FINISHED, "true", durable=True)

    def close(self) -> None:
        """Close the file and let other runs have it. May be called twice."""
        with self._lock, _translated(self._path):
            self._connection.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, exc: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()

    def _get(self, table: str, key: str) -> str | None:
        with self._lock, _translated(self._path):
            return _read(self._path, self._connection, table, key)

    def _put(self, table: str, key: str, payload: str, *, durable: bool) -> None:
        with self._lock, _translated(self._path):
            self._connection.execute(f"PRAGMA synchronous = {'FULL' if durable else 'NORMAL'}")
            self._connection.execute(
                f"INSERT INTO {table} VALUES (?, ?, ?) ON CONFLICT DO NOTHING",  # noqa: S608  one of `_TABLES`
                (key, payload, _checksum(key, payload)),
            )


def _connect(path: Path, *, create: bool) -> sqlite3.Connection:
    """Open the file, take its lock and begin a transaction.

    Raises:
        LedgerError: that can't be done, or the file is not a ledger.
    """
    uri = f"{path.absolute().as_uri()}?mode={'rwc' if create else 'rw'}"
    with _translated(path):
        connection = sqlite3.connect(uri, uri=True, timeout=0, isolation_level=None, check_same_thread=False)
        try:
            connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, MAX_ROW_BYTES)
            connection.execute("PRAGMA locking_mode = EXCLUSIVE")
            connection.execute("PRAGMA trusted_schema = OFF")
            if not _is_empty(connection):
                _check_format(path, connection)  # before anything is written to it
            connection.execute("PRAGMA journal_mode = WAL")
            connection.execute("PRAGMA synchronous = FULL")
            connection.execute("BEGIN IMMEDIATE")  # takes the lock, which outlasts the transaction
        except BaseException:
            connection.close()
            raise
        return connection


def _is_empty(connection: sqlite3.Connection) -> bool:
    (count,) = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
    return bool(count == 0)


def _check_format(path: Path, connection: sqlite3.Connection) -> None:
    """Raise LedgerError where the file is not a ledger that this version reads."""
    (application,) = connection.execute("PRAGMA application_id").fetchone()
    if application != APPLICATION_ID:
        what, hint = _BY_ERROR["SQLITE_NOTADB"]
        raise LedgerError(f"`{path}` {what}", hint=hint)
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    if version != FORMAT:
        raise LedgerError(
            f"ledger `{path}` has format {version}; this version of the program reads format {FORMAT}",
            hint="finish the run with the version that began it, or move the file away and start again",
        )
    _check_schema(path, connection)


def _check_schema(path: Path, connection: sqlite3.Connection) -> None:
    """Raise LedgerError where the file holds anything but our tables and triggers, word for word."""
    found = {str(sql) for (sql,) in connection.execute("SELECT sql FROM sqlite_master WHERE sql IS NOT NULL")}
    if found != set(_SCHEMA):
        raise _damaged(path, "its tables are not those of a ledger")


def _read_parameters(path: Path, connection: sqlite3.Connection) -> JsonObject:
    """Return the parameters of a ledger whose structure is whole."""
    if _is_empty(connection):
        raise InputError(
            f"ledger `{path}` is empty: its run was stopped before it recorded anything",
            hint="start the run without `--resume`",
        )
    (found,) = connection.execute("PRAGMA quick_check(1)").fetchone()
    if found != "ok":
        raise _damaged(path, "its structure is broken")
    text = _read(path, connection, "meta", _PARAMETERS)
    if text is None:
        raise _damaged(path, "it has no parameters")
    return _parse(path, text)


def _write_schema(connection: sqlite3.Connection) -> None:
    connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
    connection.execute(f"PRAGMA user_version = {FORMAT}")
    for statement in _SCHEMA:
        connection.execute(statement)


def _set_aside(path: Path, connection: sqlite3.Connection) -> None:
    """Empty a ledger, and keep a copy where its run is unfinished and has paid for replies."""
    (finished,) = connection.execute("SELECT count(*) FROM meta WHERE key = ?", (_FINISHED,)).fetchone()
    (replies,) = connection.execute("SELECT count(*) FROM reply").fetchone()
    if replies and not finished:
        connection.execute("COMMIT")
        half = path.with_name(path.name + ".old.part")
        half.unlink(missing_ok=True)
        connection.execute("VACUUM INTO ?", (str(half.absolute()),))
        half.replace(path.with_name(path.name + ".old"))
        connection.execute("BEGIN IMMEDIATE")
    for table in _TABLES:
        connection.execute(f"DROP TABLE {table}")
    _write_schema(connection)


def _read(path: Path, connection: sqlite3.Connection, table: str, key: str) -> str | None:
    """Return the payload of a row whose checksum is right; None where there is no row."""
    query = f"SELECT CAST(payload AS BLOB), checksum FROM {table} WHERE key = ?"  # noqa: S608  one of `_TABLES`
    row: tuple[bytes, object] | None = connection.execute(query, (key,)).fetchone()
    if row is None:
        return None
    payload = row[0].decode("utf-8")
    if row[1] != _checksum(key, payload):
        raise _damaged(path, f"row {key[:12]} of `{table}` has a wrong checksum")
    return payload


def _parse(path: Path, text: str) -> JsonObject:
    try:
        return _JSON_OBJECT.validate_json(text)
    except ValidationError as exc:
        raise _damaged(path, "a row is not a JSON object") from exc


def _canonical(value: Mapping[str, JsonValue]) -> str:
    """Return the one form in JSON: sorted keys, no blanks, ASCII."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=True, allow_nan=False)


def _checksum(key: str, payload: str) -> str:
    return hashlib.sha256(f"{key}\n{payload}".encode()).hexdigest()


def _damaged(path: Path, why: str) -> LedgerError:
    what, hint = _BY_ERROR["SQLITE_CORRUPT"]
    return LedgerError(f"ledger `{path}` {what}: {why}", hint=hint)


@contextmanager
def _translated(path: Path) -> Iterator[None]:
    """Turn what SQLite and the file system say into LedgerError."""
    try:
        yield
    except sqlite3.Error as exc:
        name: str = getattr(exc, "sqlite_errorname", "")  # absent where Python refused before SQLite was asked
        what, hint = _BY_ERROR.get("_".join(name.split("_")[:2]), (f"can't be used ({exc})", None))
        raise LedgerError(f"ledger `{path}` {what}", hint=hint) from exc
    except UnicodeDecodeError as exc:
        raise _damaged(path, "a row is not text") from exc
    except OSError as exc:
        raise LedgerError(f"ledger `{path}` can't be written: {exc.strerror}") from exc
