"""The ledger: what a run has paid for and found out, on disk as it happens.

One SQLite file beside the results (`results.json` has `results.ledger`). `kill -9` at any moment loses at most what
was in flight; `Ledger.resume` reads back the run's parameters, and every reply and outcome by the key of what
determined it. A reply stands beside the request that it answers, so that it can be read again without a model.

Durability: write-ahead log. One `fsync` for each model reply (`synchronous=FULL`: a reply costs money, so it outlives
a power cut too); none for a layer's outcome (`NORMAL`: it outlives the process, and can be had again after a power
cut). Both modes leave a consistent file at any moment.

One run at a time: SQLite's exclusive locking mode takes a lock that lives as long as the process, is not inherited by
a child, and is released by the kernel however the process ends. A ledger that is open must not be used, or closed, in
a forked child: start helpers with `spawn` or `forkserver`.

Append-only: a second record for a key is ignored, and triggers refuse changes.
"""

from __future__ import annotations

import hashlib
import secrets
import sqlite3
import threading
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import TracebackType
from typing import Self

from pydantic import JsonValue, ValidationError

from codegen_eval.errors import InputError
from codegen_eval.frozen import Frozen
from codegen_eval.ledger_file import (
    FINISHED,
    FORMAT,
    JSON_OBJECT,
    PARAMETERS,
    RUN,
    SESSION,
    JsonObject,
    begin,
    canonical,
    connect,
    damaged,
    parse,
    read_parameters,
    read_row,
    translated,
    write_row,
)
from codegen_eval.models import Reply
from codegen_eval.verdict import LayerResult

__all__ = ["FORMAT", "Ledger", "RecordedReply", "key_of", "ledger_path"]


class RecordedReply(Frozen):
    """A reply as the ledger keeps it: raw, and beside all that determined it."""

    request: JsonObject
    """As `generation.describe_request` gives it; its key is the reply's."""
    run: str
    """The run that paid for it: several where a run took over what an earlier one had paid."""
    reply: Reply


def key_of(determinants: Mapping[str, JsonValue]) -> str:
    """Return the SHA-256, in hex, of everything that determines a record.

    Raises:
        TypeError, ValueError: a value has no canonical form in JSON.
    """
    return hashlib.sha256(canonical(determinants).encode("ascii")).hexdigest()


def ledger_path(results: Path) -> Path:
    """Return where the ledger of a results file is."""
    return results.with_name(results.name.removesuffix(".json") + ".ledger")


class Ledger:
    """An open ledger. Every method may be called from any thread."""

    def __init__(self, path: Path, connection: sqlite3.Connection, parameters: JsonObject, run: str) -> None:
        self._path = path
        self._connection = connection
        self._lock = threading.Lock()
        self._parameters = parameters
        self._run = run

    @classmethod
    def open(cls, path: Path, *, parameters: Mapping[str, JsonValue], keep_replies: bool = False) -> Self:
        """Start the ledger of a new run, with all that a resume needs to know of it.

        A ledger that is there already is replaced; with `keep_replies` the replies that it holds, and that were paid
        for, are taken over, so that nothing is paid for twice. Without, a copy stays behind as `<path>.old` where
        replies were paid for, or no results hold what was found out yet.

        Raises:
            LedgerError: it can't be written, is in use, or what is there is not a ledger.
        """
        connection = connect(path, create=True)
        run = secrets.token_hex(8)
        try:
            with translated(path):
                begin(path, connection, keep_replies=keep_replies)
                text = canonical(parameters)
                write_row(connection, "meta", PARAMETERS, text)
                write_row(connection, "meta", RUN, run)
                connection.execute("COMMIT")
        except BaseException:
            connection.close()
            raise
        return cls(path, connection, JSON_OBJECT.validate_json(text), run)

    @classmethod
    def resume(cls, path: Path) -> Self:
        """Open the ledger of a run that was interrupted, or of one that finished.

        Raises:
            InputError: there is no ledger, or its run was stopped before it recorded anything.
            LedgerError: it is damaged, of another version, in use, or can't be written.
        """
        if not path.is_file():
            raise InputError(
                f"there is no ledger `{path}`",
                hint="it lies beside the results where the run was made; a new run is started without `--resume`",
            )
        connection = connect(path, create=False)
        try:
            with translated(path):
                parameters = read_parameters(path, connection)
                run = read_row(path, connection, "meta", RUN)
                connection.execute("COMMIT")
        except BaseException:
            connection.close()
            raise
        if run is None:
            connection.close()
            raise damaged(path, "it does not name its run")
        return cls(path, connection, parameters, run)

    @property
    def parameters(self) -> JsonObject:
        """The parameters that the run was started with."""
        return dict(self._parameters)

    @property
    def run(self) -> str:
        """The name of the run, which a resume keeps and a new run changes."""
        return self._run

    def get_reply(self, key: str) -> Reply | None:
        """Return a recorded reply, None where there is none.

        Raises:
            LedgerError: the row is damaged.
        """
        found = self._read_reply(key)
        return None if found is None else found.reply

    def put_reply(self, key: str, reply: Reply, *, request: Mapping[str, JsonValue] | None = None) -> None:
        """Record a reply, beside all that determined it. It is on the disk when this returns.

        Raises:
            LedgerError: it can't be written.
        """
        record: JsonObject = {"reply": reply.model_dump(mode="json"), "request": dict(request or {}), "run": self._run}
        self._put("reply", key, canonical(record), durable=True)

    def replies(self) -> Iterator[tuple[str, RecordedReply]]:
        """Give every recorded reply with its key, in the order of the keys.

        Raises:
            LedgerError: a row is damaged.
        """
        with self._lock, translated(self._path):
            keys = [str(key) for (key,) in self._connection.execute("SELECT key FROM reply ORDER BY key")]
        for key in keys:
            found = self._read_reply(key)
            if found is not None:
                yield key, found

    def get_outcome(self, key: str) -> LayerResult | None:
        """Return a layer's recorded outcome, None where there is none.

        Raises:
            LedgerError: the row is damaged.
        """
        text = self._get("outcome", key)
        if text is None:
            return None
        try:
            return LayerResult.model_validate(parse(self._path, text).get("result"))
        except ValidationError as exc:
            raise damaged(self._path, f"outcome {key[:12]} does not validate") from exc

    def put_outcome(self, key: str, result: LayerResult) -> None:
        """Record a layer's outcome.

        Raises:
            LedgerError: it can't be written.
        """
        self._put("outcome", key, canonical({"result": result.model_dump(mode="json", by_alias=True)}), durable=False)

    def begin_session(self, session: Mapping[str, JsonValue]) -> None:
        """Record what a session of the run is bound to, after those before it.

        Raises:
            LedgerError: it can't be written.
        """
        with self._lock, translated(self._path):
            (count,) = self._connection.execute(
                "SELECT count(*) FROM meta WHERE key GLOB ?", (f"{SESSION}*",)
            ).fetchone()
        self._put("meta", f"{SESSION}{count:09}", canonical(session), durable=True)

    def last_session(self) -> JsonObject | None:
        """Return what the last session was bound to; None where none was recorded.

        Raises:
            LedgerError: the row is damaged.
        """
        with self._lock, translated(self._path):
            query = "SELECT max(key) FROM meta WHERE key GLOB ?"
            (key,) = self._connection.execute(query, (f"{SESSION}*",)).fetchone()
        text = None if key is None else self._get("meta", str(key))
        return None if text is None else parse(self._path, text)

    def finish(self) -> None:
        """Record that the run has written its results.

        Raises:
            LedgerError: it can't be written.
        """
        self._put("meta", FINISHED, "true", durable=True)

    def close(self) -> None:
        """Close the file and let other runs have it. May be called twice."""
        with self._lock, translated(self._path):
            self._connection.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, exc: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()

    def _read_reply(self, key: str) -> RecordedReply | None:
        text = self._get("reply", key)
        if text is None:
            return None
        try:
            return RecordedReply.model_validate_json(text)
        except ValidationError as exc:
            raise damaged(self._path, f"reply {key[:12]} does not validate") from exc

    def _get(self, table: str, key: str) -> str | None:
        with self._lock, translated(self._path):
            return read_row(self._path, self._connection, table, key)

    def _put(self, table: str, key: str, payload: str, *, durable: bool) -> None:
        with self._lock, translated(self._path):
            self._connection.execute(f"PRAGMA synchronous = {'FULL' if durable else 'NORMAL'}")
            write_row(self._connection, table, key, payload)
