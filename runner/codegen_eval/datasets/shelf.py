"""The tests of a set, kept packed and read back one problem at a time: those of LiveCodeBench are many gigabytes.

They are kept in memory as long as they are few, and beyond that in a temporary file without a name.
"""

from __future__ import annotations

import tempfile
import threading
import zlib
from types import TracebackType
from typing import Self

from pydantic import TypeAdapter

from .problem import Tests

_IN_MEMORY = 64 << 20
_FASTEST = 1
_TESTS: TypeAdapter[Tests] = TypeAdapter(Tests)


class Shelf:
    """Tests by problem id. Several threads may read from it."""

    def __init__(self) -> None:
        self._file = tempfile.SpooledTemporaryFile(max_size=_IN_MEMORY)  # noqa: SIM115 - closed by `close`
        self._places: dict[str, tuple[int, int]] = {}
        self._end = 0
        self._lock = threading.Lock()

    def put(self, problem: str, tests: Tests) -> None:
        """Keep the tests of a problem."""
        packed = zlib.compress(tests.model_dump_json().encode(), _FASTEST)
        with self._lock:
            self._file.seek(self._end)
            self._file.write(packed)
            self._places[problem] = (self._end, len(packed))
            self._end += len(packed)

    def get(self, problem: str) -> Tests:
        """Return the tests of a problem.

        Raises:
            KeyError: there are none.
        """
        place, size = self._places[problem]
        with self._lock:
            self._file.seek(place)
            packed = self._file.read(size)
        return _TESTS.validate_json(zlib.decompress(packed))

    def close(self) -> None:
        """Let go of them."""
        self._file.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, exc: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
