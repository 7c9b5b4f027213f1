"""The base of every value that enters or leaves the program as bytes."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict


class Frozen(BaseModel):
    """An immutable value that refuses unknown keys."""

    model_config = ConfigDict(frozen=True, extra="forbid", populate_by_name=True)


def path_text(path: object) -> str:
    """Return a path as text that any file may hold: bytes of a name that are no UTF-8 are written out."""
    return str(path).encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")


def _whole(value: object) -> object:
    if type(value) is not int:
        raise ValueError("a number is due here")
    return value


FormatOne = Annotated[Literal[1], BeforeValidator(_whole)]
"""The number of a file's format: 1, and neither `true` nor `1.0`, which are equal to it."""
PathText = Annotated[str, BeforeValidator(path_text)]
"""A path in a record."""
