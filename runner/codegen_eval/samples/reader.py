"""Reads samples one by one: from JSONL or a JSON array, from lists by problem, or from a folder for each problem.

Nothing but a number for each problem is held, so a hundred thousand samples take no more memory than one. What gives no
sample is a fault, and the rest is read.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path

from codegen_eval.datasets.problem import Problem
from codegen_eval.errors import InputError
from codegen_eval.fault import Fault, FaultLog
from codegen_eval.frozen import path_text
from codegen_eval.record import ReadLimits, Record, open_regular, read_records

from .directory import IdDirectory
from .sample import Coverage, Sample, SampleKind
from .shape import BadSampleError, kind_of, read_shape

MAX_FILE_BYTES = 16 << 20
"""Largest file of a folder."""
_NUMBER = re.compile(r"\d{1,9}")


class SampleStream:
    """The samples of one file or folder, in their order. Faults and coverage are whole when all have been read."""

    def __init__(
        self,
        path: Path,
        problems: Mapping[str, Problem],
        *,
        wanted: SampleKind | None = None,
        limits: ReadLimits | None = None,
    ) -> None:
        self._path = path
        self._directory = IdDirectory(problems)
        self._list_order = _list_order(problems)
        self._wanted = wanted
        self._limits = limits
        self._counts: Counter[str] = Counter()
        self._lists = 0
        self.faults = FaultLog()
        self._samples = self._read()

    def __iter__(self) -> Iterator[Sample]:
        return self._samples

    @property
    def coverage(self) -> Coverage:
        """Which problems have how many of the samples read so far."""
        ids = self._directory.ids
        return Coverage(
            problems=len(ids),
            sampled=len(self._counts),
            samples=self._counts.total(),
            fewest=min(self._counts.values(), default=0),
            most=max(self._counts.values(), default=0),
            missing=tuple(name for name in ids if name not in self._counts),
        )

    def _read(self) -> Iterator[Sample]:
        if self._path.is_dir():
            yield from self._read_folders()
            return
        for record in read_records(self._path, self.faults, self._limits):
            yield from self._read_record(record)

    def _read_record(self, record: Record) -> Iterator[Sample]:
        """Yield the samples of one record; a list is that of the problem in its place of the set."""
        if isinstance(record.value, list):
            yield from self._read_list(record.value, record.line)
            return
        if not isinstance(record.value, Mapping):
            self._fault(record.line, "an object with `task_id`, or a list of programs, is due here")
            return
        try:
            shape = read_shape(record.value, self._wanted)
        except BadSampleError as exc:
            self._fault(record.line, str(exc), exc.hint)
            return
        problem = self._directory.find(shape.name)
        if problem is None:
            self._fault(record.line, f"unknown problem {_show(shape.name)}", self._directory.hint(shape.name))
            return
        for place, text in enumerate(shape.texts):
            if isinstance(text, BadSampleError):
                self._fault(record.line, str(text), text.hint)
                continue
            kind, content = text
            if shape.nested:
                yield self._sample(problem, content, kind, record.line, place)
            else:
                yield self._sample(problem, content, kind, record.line, None, record=record.value)

    def _read_list(self, programs: list[object], line: int) -> Iterator[Sample]:
        place = self._lists
        self._lists += 1
        if place >= len(self._list_order):
            self._fault(line, f"a list for problem {place + 1} of {len(self._list_order)}", "is this the right set?")
            return
        for sub, program in enumerate(programs):
            if isinstance(program, str):
                kind = kind_of(program, SampleKind.SOLUTION)
                yield self._sample(self._list_order[place], program, kind, line, sub)
            else:
                self._fault(line, f"program {sub} of a list should be a text")

    def _read_folders(self) -> Iterator[Sample]:
        """Yield the programs of folders that are named after problems, by the number that is their name."""
        found = False
        for folder in sorted(self._path.iterdir(), key=_order):
            if folder.is_symlink() or not folder.is_dir() or folder.name.startswith("."):
                continue
            files = sorted(folder.glob("*.py"), key=_order)
            found |= bool(files)
            problem = self._directory.find_folder(folder.name)
            if problem is None:
                if files:
                    self._fault(None, f"unknown problem {_show(folder.name)}", self._directory.hint(folder.name))
                continue
            for file in files:
                if (text := self._read_file(file)) is not None:
                    kind = kind_of(text, SampleKind.SOLUTION)
                    yield self._sample(problem, text, kind, None, None, path=file)
        if not found:
            self._fault(None, "no folder in it has a `.py` file", "as `HumanEval_0/0.py`")

    def _read_file(self, path: Path) -> str | None:
        if path.is_symlink():
            self._fault(None, "it is a link, which might lead to any file", path=path)
            return None
        try:
            with open_regular(path) as file:
                raw = file.read(MAX_FILE_BYTES + 1)
        except InputError as exc:
            self._fault(None, exc.message, path=path)
            return None
        if len(raw) > MAX_FILE_BYTES:
            self._fault(None, f"it is larger than {MAX_FILE_BYTES >> 20} MiB", path=path)
            return None
        try:
            return raw.decode("utf-8-sig")
        except UnicodeDecodeError as exc:
            self._fault(None, f"it is not UTF-8 (byte {exc.start})", path=path)
            return None

    def _sample(
        self,
        problem: str,
        text: str,
        kind: SampleKind,
        line: int | None,
        sub: int | None,
        *,
        path: Path | None = None,
        record: Mapping[str, object] | None = None,
    ) -> Sample:
        index = self._counts[problem]
        self._counts[problem] += 1
        origin = path_text(path or self._path)
        return Sample(
            task_id=problem, index=index, text=text, kind=kind, path=origin, line=line, sub=sub, record=record
        )

    def _fault(self, line: int | None, what: str, hint: str | None = None, *, path: Path | None = None) -> None:
        self.faults.add(Fault(path=str(path or self._path), line=line, what=what, hint=hint))


def read_samples(
    path: Path, problems: Mapping[str, Problem], *, wanted: SampleKind | None = None, limits: ReadLimits | None = None
) -> SampleStream:
    """Return the samples for a set's problems, given in the order of the set, to be read one by one.

    `wanted` prefers a kind where records hold several, as raw replies for comparing rules of extraction.

    Raises:
        InputError: there is nothing at this path, or it may not be read; raised when reading begins.
    """
    return SampleStream(path, problems, wanted=wanted, limits=limits)


def _list_order(problems: Mapping[str, Problem]) -> tuple[str, ...]:
    """Return the ids in the order in which tools write lists: that of the set, for LiveCodeBench that of the ids."""
    ids = tuple(problems)
    return tuple(sorted(ids)) if any(p.dataset == "livecodebench" for p in problems.values()) else ids


def _order(path: Path) -> tuple[int, str]:
    """Order files and folders by the number in their name, and by name beside that."""
    numbers = _NUMBER.findall(path.name)
    return (int(numbers[-1]) if numbers else -1, path.name)


def _show(name: object) -> str:
    return f"`{name}`" if isinstance(name, str) and name.isprintable() and len(name) <= 60 else ascii(name)[:60]  # noqa: PLR2004
