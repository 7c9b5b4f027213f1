"""Finished runs in an S3-compatible store: `push` and `pull`.

A run is its files and a manifest, which names each with its size and SHA-256 and is written last, after every file
was read back and found the same. So an upload that broke off has no manifest and is no run. The files' keys hold
their hash: pushing again repairs a broken upload, and two pushes at a time never mix. The manifest is written only
where there is none (a conditional write; the store decides), unless asked to replace it.
"""

from __future__ import annotations

import hashlib
import sqlite3
from collections import Counter
from contextlib import closing
from enum import StrEnum
from pathlib import Path
from typing import Self

from pydantic import Field, ValidationError, model_validator

from codegen_eval.adjudication import adjudication_path, load_adjudications
from codegen_eval.errors import InputError, LedgerError, StorageError
from codegen_eval.frozen import FormatOne, Frozen
from codegen_eval.json_file import MAX_BYTES, check_writable, dump_json, write_atomic
from codegen_eval.ledger import Ledger, ledger_path
from codegen_eval.results import load_results, load_run_record, run_record_path
from codegen_eval.s3 import ExistingObjectError, MissingObjectError, S3Folder

MANIFEST = "manifest.json"
_MAX_MANIFEST = 1 << 16


class StoredName(StrEnum):
    """The files of a run, as they are called in a store."""

    RESULTS = "results.json"
    RUN_RECORD = "results.run.json"
    LEDGER = "results.ledger"
    ADJUDICATIONS = "results.adjudication.json"

    def beside(self, results: Path) -> Path:
        """Return where the file is, for the results file of that name."""
        match self:
            case StoredName.RESULTS:
                return results
            case StoredName.RUN_RECORD:
                return run_record_path(results)
            case StoredName.LEDGER:
                return ledger_path(results)
            case StoredName.ADJUDICATIONS:
                return adjudication_path(results)


class StoredFile(Frozen):
    """One file of a run."""

    name: StoredName
    size: int = Field(ge=0, le=MAX_BYTES)
    sha256: str = Field(pattern=r"^[0-9a-f]{64}$")

    @property
    def key(self) -> str:
        """Where it is, relative to the run."""
        return f"{self.sha256}/{self.name.value}"


class Manifest(Frozen):
    """What makes files a run."""

    format: FormatOne = 1
    files: tuple[StoredFile, ...]

    @property
    def results(self) -> StoredFile:
        """Its results file."""
        return next(file for file in self.files if file.name is StoredName.RESULTS)

    @model_validator(mode="after")
    def _is_a_run(self) -> Self:
        names = Counter(file.name for file in self.files)
        if names[StoredName.RESULTS] != 1 or max(names.values()) > 1:
            raise ValueError("a run has one results file, and no file twice")
        return self


def push(results: Path, url: str, *, with_ledger: bool, overwrite: bool) -> Manifest:
    """Store a finished run; return what was stored.

    Where the same results are there already, what is new beside them is stored as well, and nothing else goes.

    Raises:
        InputError: no such bucket; another run is there already; what is to be stored is not a run's.
        LedgerError: the ledger is in use or damaged.
        StorageError: the store can't be reached, refuses, or did not keep what it was given.
    """
    files = _read(results, with_ledger=with_ledger)
    ours = tuple(_describe(name, data) for name, data in files.items())
    with S3Folder.open(url) as folder:
        manifest = Manifest(files=ours)
        if not overwrite and (stored := _same_run(folder, manifest)) is not None:
            manifest = Manifest(files=ours + tuple(file for file in stored.files if file.name not in files))
            overwrite = True
        for file in ours:
            folder.put(file.key, files[file.name], overwrite=True)
            _get(folder, file)
        try:
            folder.put(MANIFEST, dump_json(manifest), overwrite=overwrite)
        except ExistingObjectError:  # another's, or ours, where only the answer was lost
            _same_run(folder, manifest)
        if _manifest(folder) != manifest:
            raise StorageError(f"`{folder.url}` holds another run than was written", hint="did two push there?")
    return manifest


def pull(url: str, results: Path, *, overwrite: bool) -> Manifest:
    """Fetch a stored run, all of it or, where anything is wrong with it, nothing.

    Raises:
        InputError: no such bucket or run; files are there already, or can't be written.
        StorageError: the store can't be reached or refuses, or what it holds is not what was stored.
    """
    with S3Folder.open(url) as folder:
        manifest = _manifest(folder)
        for file in manifest.files:
            _check_place(file.name.beside(results), overwrite=overwrite)
        contents = [(file.name.beside(results), _get(folder, file)) for file in manifest.files]
    for place, data in sorted(contents, key=lambda content: content[0] == results):  # what makes it a run, last
        write_atomic(place, data)
    return manifest


def _read(results: Path, *, with_ledger: bool) -> dict[StoredName, bytes]:
    """Return the files of a run; each is looked at, so that nothing else is stored in its place."""
    found = load_results(results)
    record, said = run_record_path(results), adjudication_path(results)
    files = {StoredName.RESULTS: results.read_bytes()}
    if record.exists():
        load_run_record(record)
        files[StoredName.RUN_RECORD] = record.read_bytes()
    if said.exists():
        load_adjudications(results, found)
        files[StoredName.ADJUDICATIONS] = said.read_bytes()
    if with_ledger:
        files[StoredName.LEDGER] = _snapshot(ledger_path(results))
    for name, data in files.items():
        if len(data) > MAX_BYTES:
            raise InputError(f"`{name.beside(results)}` is larger than {MAX_BYTES >> 20} MiB")
    return files


def _snapshot(path: Path) -> bytes:
    """Return a ledger as one file, with what is still in its log."""
    with Ledger.resume(path):
        pass  # it is one, is whole, and no run uses it
    try:
        with closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=rw", uri=True, timeout=0)) as connection:
            return connection.serialize()
    except sqlite3.Error as exc:
        raise LedgerError(f"ledger `{path}` can't be read: {exc}", hint="does a run use it?") from exc


def _describe(name: StoredName, data: bytes) -> StoredFile:
    return StoredFile(name=name, size=len(data), sha256=hashlib.sha256(data).hexdigest())


def _get(folder: S3Folder, file: StoredFile) -> bytes:
    """Return a file that is what the manifest says."""
    try:
        data = folder.get(file.key, most=file.size)
    except MissingObjectError as exc:
        raise StorageError(f"the run `{folder.url}` lacks its `{file.name.value}`", hint="push it again") from exc
    if _describe(file.name, data) != file:
        raise StorageError(
            f"`{file.name.value}` of the run `{folder.url}` is damaged: its SHA-256 is not what was stored",
            hint="push it again from where it was made",
        )
    return data


def _manifest(folder: S3Folder) -> Manifest:
    stored = _stored(folder)
    if stored is None:
        hint = "an upload that broke off is none: push it again"
        raise InputError(f"there is no run at `{folder.url}`", hint=hint)
    return stored


def _stored(folder: S3Folder) -> Manifest | None:
    """Return what makes files a run there; None where nothing does."""
    try:
        return Manifest.model_validate_json(folder.get(MANIFEST, most=_MAX_MANIFEST), strict=True)
    except MissingObjectError:
        return None
    except ValidationError as exc:
        raise StorageError(f"the manifest of `{folder.url}` is damaged, or of another version") from exc


def _same_run(folder: S3Folder, manifest: Manifest) -> Manifest | None:
    """Return what is stored of the same results; None where nothing is stored.

    Looking first spares sending much; the conditional write decides.

    Raises:
        InputError: other results are there.
    """
    stored = _stored(folder)
    if stored is not None and stored.results != manifest.results:
        hint = "choose another place, or replace it with `--overwrite`"
        raise InputError(f"there is another run at `{folder.url}`", hint=hint)
    return stored


def _check_place(path: Path, *, overwrite: bool) -> None:
    check_writable(path)
    if path.with_name(path.name + "-wal").exists():
        raise InputError(f"`{path}` is in use by a run, or by one that was killed", hint="choose another place")
    if path.exists() and not overwrite:
        raise InputError(f"`{path}` is there already", hint="choose another place, or replace it with `--overwrite`")
