"""The lines of an evaluation: written as they come, in the order of the samples at the end."""

from __future__ import annotations

import contextlib
import os
from array import array
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType
from typing import BinaryIO, Self

from codegen_eval.errors import EnvironmentFaultError
from codegen_eval.pipeline import Judged

from .record import LayerLine, SampleLine

MAX_FINDINGS = 20
"""Of one layer, in a line."""


def line_of(judged: Judged, layers: Sequence[str], *, passed: bool) -> SampleLine:
    """Return the line of a judged sample, with what these layers said in their order, not in that of their work."""
    solution = judged.solution
    origin = solution.id.rpartition("@")[0]
    rule, _, extraction = (solution.rule or "").partition(":")
    return SampleLine(
        task_id=solution.task,
        index=solution.sample,
        origin=origin,
        rule=rule,
        extraction=extraction or None,
        passed=passed,
        layers=tuple(
            LayerLine(
                layer=result.layer,
                verdict=result.verdict,
                reason=result.reason,
                findings=result.findings[:MAX_FINDINGS],
            )
            for result in (judged.results[layer] for layer in layers)
        ),
    )


class LineFile:
    """Lines with a place each, in a file beside the final one until they are put in order."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._part = path.with_name(path.name + ".part")
        self._starts, self._lengths = array("q"), array("q")
        """By place; a length of 0 where there is no line. Two numbers for each of many lines."""
        self._part.unlink(missing_ok=True)  # it may be a link to what is somebody's
        self._file: BinaryIO = self._part.open("x+b")

    def write(self, place: int, line: SampleLine) -> None:
        """Add a line; it is in the file when this returns.

        Raises:
            EnvironmentFaultError: the disk is full.
        """
        data = line.model_dump_json(by_alias=True, exclude_none=True).encode() + b"\n"
        try:
            start = self._file.seek(0, os.SEEK_END)
            self._file.write(data)
            self._file.flush()
        except OSError as exc:
            raise EnvironmentFaultError(f"`{self._part}` can't be written: {exc.strerror}", hint="make room") from exc
        missing = place + 1 - len(self._starts)
        if missing > 0:
            self._starts.extend([0] * missing)
            self._lengths.extend([0] * missing)
        self._starts[place], self._lengths[place] = start, len(data)

    def finish(self) -> None:
        """Put the lines in order, in place of what the final file held before.

        Raises:
            EnvironmentFaultError: the disk is full.
        """
        done = self._path.with_name(self._path.name + ".done")
        try:
            done.unlink(missing_ok=True)
            with done.open("xb") as out:
                for start, length in zip(self._starts, self._lengths, strict=True):
                    if length:
                        self._file.seek(start)
                        out.write(self._file.read(length))
                out.flush()
                os.fsync(out.fileno())
            done.replace(self._path)
            self._part.unlink(missing_ok=True)
        except OSError as exc:
            done.unlink(missing_ok=True)
            raise EnvironmentFaultError(f"`{self._path}` can't be written: {exc.strerror}", hint="make room") from exc

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, exc: BaseException | None, tb: TracebackType | None) -> None:
        with contextlib.suppress(OSError):  # what could not be written was told when it was
            self._file.close()
