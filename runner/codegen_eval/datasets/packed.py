"""A text that LiveCodeBench packs three times over: pickled, compressed, and written as base64.

A pickle is a program, and no interpreter of it runs here. Its instructions are only listed, and they have to be those
that make one text and nothing else; so nothing can be imported, called or built.
"""

from __future__ import annotations

import base64
import binascii
import io
import pickletools
import zlib

from .fields import BadRecordError

MAX_UNPACKED = 256 << 20
"""Bytes that the cases of one problem may expand to."""
_TEXT = frozenset({"UNICODE", "BINUNICODE", "SHORT_BINUNICODE", "BINUNICODE8"})
_HARMLESS = frozenset({"PROTO", "FRAME", "PUT", "BINPUT", "LONG_BINPUT", "MEMOIZE", "STOP"})
"""They say which protocol and how long, or remember the text under a number, which we don't."""


def unpack_text(packed: str, where: str) -> str:
    """Return the text.

    Raises:
        BadRecordError: it is not packed like this, expands to too much, or the pickle is anything but a text.
    """
    try:
        unpacker = zlib.decompressobj()
        pickled = unpacker.decompress(base64.b64decode(packed, validate=True), MAX_UNPACKED + 1)
    except (binascii.Error, ValueError) as exc:
        raise BadRecordError(f"{where} is neither JSON nor base64: {exc}") from None
    except zlib.error as exc:
        raise BadRecordError(f"{where} is not compressed as it should be: {exc}") from None
    if len(pickled) > MAX_UNPACKED:
        raise BadRecordError(f"{where} expands to more than {MAX_UNPACKED >> 20} MiB")
    if not unpacker.eof:
        raise BadRecordError(f"{where} is cut off")
    return read_pickled_text(pickled, where)


def read_pickled_text(pickled: bytes, where: str) -> str:
    """Return the text that a pickle holds, without running the pickle.

    Raises:
        BadRecordError: it is no pickle, or not one of a single text.
    """
    text: str | None = None
    stream = io.BytesIO(pickled)
    try:
        for instruction, argument, _ in pickletools.genops(stream):
            if instruction.name in _TEXT and text is None and isinstance(argument, str):
                text = argument
            elif instruction.name not in _HARMLESS:
                raise BadRecordError(
                    f"{where} is a pickle of something other than one text (`{instruction.name}`)",
                    "it was not run; a set that holds anything but texts is not to be trusted",
                )
    except (ValueError, UnicodeError, OverflowError, MemoryError) as exc:
        raise BadRecordError(f"{where} is not a whole pickle: {str(exc)[:60]}") from None
    if text is None or stream.read(1):
        raise BadRecordError(f"{where} is not the pickle of one text")
    return text
