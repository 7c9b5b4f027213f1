"""The bytes of a file, unpacked where it is gzipped, piece by piece and with a bound on what it may expand to."""

from __future__ import annotations

import contextlib
import zlib
from collections.abc import Iterator
from typing import TYPE_CHECKING, BinaryIO

if TYPE_CHECKING:
    from zlib import _Decompress as _Member

PIECE = 1 << 20
"""Bytes in one piece."""
_PACKED = 16 << 10
"""Bytes unpacked at a time. Small, for each member of a file copies what comes after it."""
_GZIP = b"\x1f\x8b"
_GZIP_WINDOW = 31
"""zlib's way to say: gzip's header and check sum."""


class DamageError(Exception):
    """The bytes end before they should. It never leaves the readers: they make it a fault of the file."""

    def __init__(self, what: str, hint: str | None = None) -> None:
        super().__init__(what)
        self.hint = hint


def byte_source(file: BinaryIO, total_bytes: int) -> Iterator[bytes]:
    """Yield non-empty pieces of a file.

    Raises:
        DamageError: it is cut, damaged, broken, or larger than `total_bytes`; after all that could be read.
    """
    try:
        yield from _bounded(file, total_bytes)
    except OSError as exc:
        raise DamageError(f"it can't be read: {exc.strerror or exc}") from exc


def _bounded(file: BinaryIO, total_bytes: int) -> Iterator[bytes]:
    head = file.read(len(_GZIP))
    file.seek(0)
    total = 0
    for piece in _unpacked(file) if head == _GZIP else iter(lambda: file.read(PIECE), b""):
        total += len(piece)
        if total > total_bytes:
            raise DamageError(f"it has more than {total_bytes} bytes; the rest is not read")
        yield piece


def _unpacked(file: BinaryIO) -> Iterator[bytes]:
    """Yield what a gzip file of one or more members holds."""
    packed = file.read(_PACKED)
    while packed:
        member = zlib.decompressobj(_GZIP_WINDOW)
        while not member.eof:
            packed = packed or file.read(_PACKED)
            if not packed:
                if rest := member.flush():
                    yield rest
                raise DamageError("the gzip file is cut off", "fetch or write it again")
            before = member.copy()
            try:
                piece = member.decompress(packed, PIECE)
            except zlib.error as exc:
                yield from _salvaged(before, packed)
                raise DamageError(f"the gzip file is damaged: {exc}", "fetch or write it again") from exc
            packed = member.unconsumed_tail
            if piece:
                yield piece
        packed = member.unused_data.lstrip(b"\0")  # some writers pad
        while not packed and (more := file.read(_PACKED)):
            packed = more.lstrip(b"\0")


def _salvaged(member: _Member, packed: bytes) -> Iterator[bytes]:
    """Yield what comes before the first damaged byte."""
    with contextlib.suppress(zlib.error):
        for place in range(len(packed)):
            left = packed[place : place + 1]
            while left:
                if piece := member.decompress(left, PIECE):
                    yield piece
                left = member.unconsumed_tail
