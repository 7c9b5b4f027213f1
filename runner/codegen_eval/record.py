"""JSON records out of files that anybody may have written: JSONL or a JSON array, plain or gzipped, in bounded memory.

A line that can't be read is a `Fault` with its number, and the next one is read. A file that is cut or damaged gives
the records before the damage, and a fault. What is compressed is known by its first bytes, not by its name.
"""

from __future__ import annotations

import json
import os
import stat
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from io import BufferedReader
from pathlib import Path
from typing import BinaryIO

from codegen_eval.byte_source import DamageError, byte_source
from codegen_eval.errors import InputError
from codegen_eval.fault import Fault, FaultLog

MAX_ARRAY_BYTES = 256 << 20
"""Largest JSON array, which is parsed as a whole; JSONL is streamed and has no such bound."""
_IDLE_FOR_RECORD = 10
"""Such lines that each record makes up for."""
_MOSTLY = 9
_SHOWN = 60
_BOM = b"\xef\xbb\xbf"
_FOREIGN = {
    b"PAR1": ("it is a Parquet file", "write it as JSONL: `to_json(path, orient='records', lines=True)`"),
    b"PK\x03\x04": ("it is a zip archive", "unpack it first"),
    b"BZh": ("it is compressed with bzip2", "unpack it first"),
    b"\xfd7zXZ": ("it is compressed with xz", "unpack it first"),
    b"\x28\xb5\x2f\xfd": ("it is compressed with zstandard", "unpack it first"),
    b"\xff\xfe": ("it is UTF-16", "save it as UTF-8"),
    b"\xfe\xff": ("it is UTF-16", "save it as UTF-8"),
    b"version https://git-lfs": ("it is a pointer of Git LFS, not the file", "fetch the file with `git lfs pull`"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadLimits:
    """What one file may cost."""

    line_bytes: int = 64 << 20
    """Longest line; a longer one is skipped without being held."""
    total_bytes: int = 16 << 30
    """What a file may expand to."""
    idle_lines: int = 1_000_000
    """Lines without a record that are passed over, blank ones too: a small gzip file may hold billions of them."""
    useless_records: int = 100_000
    """Records that were faults to the reader, nine of ten, after which a file is left."""


@dataclass(frozen=True, slots=True)
class Record:
    """One JSON value, and the line it begins on."""

    line: int
    value: object


class _NotStrictError(ValueError):
    """A JSON text says something twice."""


def read_records(path: Path, faults: FaultLog, limits: ReadLimits | None = None) -> Iterator[Record]:
    """Yield the records of a file in their order; what can't be read goes to `faults`.

    NaN and infinities are read as Python writes them. Who needs a text or a whole number refuses them by their type.

    Raises:
        InputError: there is no such file, or it can't be opened.
    """
    limits = limits or ReadLimits()
    with open_regular(path) as file:
        try:
            head = file.read(max(map(len, _FOREIGN)))
            file.seek(0)
        except OSError as exc:
            raise InputError(f"`{path}` can't be read: {exc.strerror or exc}") from exc
        for magic, (what, hint) in _FOREIGN.items():
            if head.startswith(magic):
                faults.add(Fault(path=str(path), what=what, hint=hint))
                return
        useless = useful = 0
        for record in _Reading(path, faults, limits).records(file):
            before = len(faults)
            yield record
            if len(faults) == before:
                useful += 1
                continue
            useless += 1
            if useless > limits.useless_records and useless > useful * _MOSTLY:
                what = f"{useless} records that are none of what is wanted; the rest is not read"
                faults.add(Fault(path=str(path), line=record.line, what=what))
                return


def open_regular(path: Path) -> BufferedReader:
    """Open a regular file; a pipe or a device doesn't make us wait.

    Raises:
        InputError: there is no such file, it is none, or it may not be read.
    """
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        file = open(descriptor, "rb")  # noqa: PTH123, SIM115 - a descriptor has no Path, and the caller closes it
    except (OSError, ValueError) as exc:
        reason = exc.strerror if isinstance(exc, OSError) and exc.strerror else str(exc)
        raise InputError(f"`{path}` can't be read: {reason}") from exc
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        file.close()
        raise InputError(f"`{path}` can't be read: it is not a regular file")
    return file


def parse_json(text: str) -> object:
    """Parse one JSON text in which no object names a key twice.

    Raises:
        ValueError: it is none, with what is wrong; also where it is nested too deeply or holds a number too large.
    """
    try:
        return json.loads(text, object_pairs_hook=_unique)
    except json.JSONDecodeError as exc:
        raise ValueError(f"not JSON: {exc.msg} (column {exc.colno})") from None  # the error holds the whole text
    except RecursionError:
        raise ValueError("nested too deeply") from None


def _unique(pairs: list[tuple[str, object]]) -> dict[str, object]:
    made = dict(pairs)
    if len(made) < len(pairs):
        twice = next(key for key, count in Counter(key for key, _ in pairs).items() if count > 1)
        raise _NotStrictError(f"the key {ascii(twice)[:_SHOWN]} stands twice in one object")
    return made


class _Reading:
    """One pass over one file."""

    def __init__(self, path: Path, faults: FaultLog, limits: ReadLimits) -> None:
        self._path = path
        self._faults = faults
        self._limits = limits

    def records(self, file: BinaryIO) -> Iterator[Record]:
        lines = self._lines(file)
        empty, idle = True, 0
        for number, line in lines:
            idle += 1
            if idle > self._limits.idle_lines:
                self._fault(number, f"{idle} lines without a record; the rest is not read")
                return
            if not (text := line.strip()):
                continue
            if empty and text.startswith(b"["):
                yield from self._array(number, line, lines)
                return
            empty = False
            if (record := self._record(number, text)) is not None:
                idle = max(0, idle - 1 - _IDLE_FOR_RECORD)
                yield record
        if empty and not self._faults:
            self._fault(None, "it is empty")

    def _record(self, number: int, raw: bytes) -> Record | None:
        try:
            value = parse_json(raw.decode())
        except UnicodeDecodeError as exc:
            self._fault(number, f"not UTF-8 (byte {exc.start} of the line)")
        except ValueError as exc:
            hint = "each line must be one JSON object" if number == 1 else None
            self._fault(number, str(exc), hint)
        else:
            if isinstance(value, Mapping):
                return Record(number, value)
            self._fault(number, f"a JSON object is due here, not {json_kind(value)}")
        return None

    def _array(self, first: int, line: bytes, rest: Iterator[tuple[int, bytes]]) -> Iterator[Record]:
        """Yield the items of a file that is one JSON array, each with the line it begins on."""
        raw = self._joined(first, line, rest)
        if raw is None:
            return
        try:
            text = raw.decode()
        except UnicodeDecodeError as exc:
            self._fault(first + raw.count(b"\n", 0, exc.start), "not UTF-8")
            return
        del raw
        decoder = json.JSONDecoder(object_pairs_hook=_unique)
        place, number = text.index("[") + 1, first
        while True:
            start = _skip_blank(text, place)
            number += text.count("\n", place, start)
            if text[start : start + 1] == "]":
                if text[start + 1 :].strip():
                    self._fault(number, "something stands after the end of the array")
                return
            try:
                value, end = decoder.raw_decode(text, start)
            except (ValueError, RecursionError) as exc:
                self._fault(number + _lines_into(exc, start), _reason(exc), "what follows it in the array is not read")
                return
            yield Record(number, value)
            number += text.count("\n", start, end)
            place = _skip_blank(text, end)
            number += text.count("\n", end, place)
            if text[place : place + 1] == ",":
                place += 1
            elif text[place : place + 1] != "]":
                self._fault(number, "a `,` or the end of the array is due here", "what follows is not read")
                return

    def _joined(self, number: int, line: bytes, rest: Iterator[tuple[int, bytes]]) -> bytearray | None:
        """Return all that a file holds; None where it is too much."""
        raw, idle = bytearray(line), 0
        for at, more in rest:
            raw += b"\n" + more
            idle = 0 if more.strip() else idle + 1
            if len(raw) > MAX_ARRAY_BYTES:
                self._fault(at, f"an array of more than {MAX_ARRAY_BYTES >> 20} MiB", "write it as JSONL")
                return None
            if idle > self._limits.idle_lines:
                self._fault(number, f"an array with {idle} blank lines in it")
                return None
        return raw

    def _lines(self, file: BinaryIO) -> Iterator[tuple[int, bytes]]:
        """Yield numbered lines without their ends. One that is too long is skipped, and a fault."""
        limit = self._limits.line_bytes
        number, held, size = 1, bytearray(), 0
        source = byte_source(file, self._limits.total_bytes)
        while True:
            try:
                chunk = next(source, b"")
            except DamageError as exc:
                lost = " in the middle of it" if size else ""
                self._fault(number, f"{exc}{lost}; what stands before is read", exc.hint)
                return
            start = 0
            while (end := chunk.find(b"\n", start)) >= 0:
                size += end - start
                if size > limit:
                    self._fault(number, f"a line of {size} bytes; at most {limit} are read")
                else:
                    held += chunk[start:end]
                    yield number, self._first(number, bytes(held))
                number, held, size, start = number + 1, bytearray(), 0, end + 1
            size += len(chunk) - start
            if size <= limit:
                held += chunk[start:]
            else:
                held = bytearray()
            if not chunk:
                break
        if size > limit:
            self._fault(number, f"a line of {size} bytes; at most {limit} are read")
        elif held:
            yield number, self._first(number, bytes(held))

    def _first(self, number: int, line: bytes) -> bytes:
        return line.removeprefix(_BOM) if number == 1 else line

    def _fault(self, line: int | None, what: str, hint: str | None = None) -> None:
        self._faults.add(Fault(path=str(self._path), line=line, what=what, hint=hint))


def json_kind(value: object) -> str:
    """Return what a JSON value is, for a message."""
    match value:
        case None:
            return "null"
        case bool():
            return "true or false"
        case int() | float():
            return "NaN" if value != value else "a number"  # noqa: PLR0124 - only NaN differs from itself
        case str():
            return "a text"
        case list():
            return "a list"
        case _:
            return "an object"


def _skip_blank(text: str, place: int) -> int:
    while text[place : place + 1] in {" ", "\t", "\n", "\r"}:
        place += 1
    return place


def _lines_into(exc: Exception, start: int) -> int:
    if isinstance(exc, json.JSONDecodeError):
        return exc.doc.count("\n", start, exc.pos)
    return 0


def _reason(exc: Exception) -> str:
    match exc:
        case json.JSONDecodeError():
            return f"not JSON: {exc.msg} (column {exc.colno})"
        case RecursionError():
            return "nested too deeply"
        case _:
            return str(exc)
