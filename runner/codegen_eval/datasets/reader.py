"""Reads a public problem set from its plain file, by the table of the formats that are known."""

from __future__ import annotations

import difflib
import hashlib
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TypeAlias

from codegen_eval.errors import DatasetError
from codegen_eval.fault import Fault, FaultLog
from codegen_eval.record import ReadLimits, Record, open_regular, read_records

from .bigcodebench import read_bigcodebench, read_bigcodebench_instruct
from .dataset import Dataset, DatasetSpec
from .evalplus import read_humanevalplus, read_mbppplus
from .fields import BadRecordError, Fields
from .humaneval import read_humaneval
from .humanevalfix import read_humanevalfix
from .known import known_bad
from .livecodebench import read_livecodebench
from .mbpp import read_mbpp
from .problem import Problem, Tests
from .quixbugs import read_quixbugs
from .shelf import Shelf

ReadRecord: TypeAlias = Callable[[Fields, int], tuple[Problem, Tests]]

FORMATS: Mapping[str, ReadRecord] = {
    "humaneval": read_humaneval,
    "mbpp": read_mbpp,
    "humanevalplus": read_humanevalplus,
    "mbppplus": read_mbppplus,
    "bigcodebench": read_bigcodebench,
    "bigcodebench-instruct": read_bigcodebench_instruct,
    "livecodebench": read_livecodebench,
    "quixbugs": read_quixbugs,
    "humanevalfix": read_humanevalfix,
}
"""How a record of each set is read."""
_TELLING: Mapping[str, frozenset[str]] = {
    "humanevalfix": frozenset({"buggy_solution", "canonical_solution", "test"}),
    "quixbugs": frozenset({"buggy", "correct", "test"}),
    "bigcodebench": frozenset({"complete_prompt", "test"}),
    "livecodebench": frozenset({"question_id", "question_content"}),
    "humanevalplus or mbppplus": frozenset({"base_input", "plus_input"}),
    "humaneval": frozenset({"prompt", "canonical_solution", "test"}),
    "mbpp": frozenset({"code", "test_list"}),
}
"""Keys that tell the sets apart, looked at in this order."""
MAX_PROBLEMS = 100_000
"""Problems of one set: they are held in memory."""
_MAX_SHOWN = 3
_MAX_ID = 60


def parse_spec(text: str) -> DatasetSpec:
    """Return what `NAME=PATH` says.

    Raises:
        DatasetError: it is not of that form, or there is no format of that name.
    """
    name, equals, path = text.partition("=")
    if not equals or not path:
        raise DatasetError(f"`{text}` is not of the form NAME=PATH", hint="as `humaneval=HumanEval.jsonl.gz`")
    if name not in FORMATS:
        close = difflib.get_close_matches(name.lower()[:40], FORMATS, 1)
        hint = f"did you mean `{close[0]}`?" if close else f"known are {', '.join(FORMATS)}"
        raise DatasetError(f"unknown problem set `{name}`", hint=hint)
    return DatasetSpec(name, Path(path).expanduser())


def read_dataset(
    spec: DatasetSpec | str, *, limits: ReadLimits | None = None, most_problems: int = MAX_PROBLEMS
) -> Dataset:
    """Read a problem set; lines that give no problem are its faults, and so is what follows the most that are read.

    Raises:
        DatasetError: the spec is wrong, or the file has no problem of that set.
        InputError: the file is missing or can't be read.
    """
    if isinstance(spec, str):
        spec = parse_spec(spec)
    digest = _digest(spec.path)
    faults, shelf = FaultLog(), Shelf()
    problems: dict[str, Problem] = {}
    guess: str | None = None
    try:
        for record in read_records(spec.path, faults, limits):
            guess = guess or _guess(record)
            if len(problems) >= most_problems:
                what = f"there are more than {most_problems} problems; the rest is not read"
                faults.add(Fault(path=str(spec.path), line=record.line, what=what))
                break
            _add(record, spec, problems, shelf, faults)
    except BaseException:
        shelf.close()
        raise
    if not problems:
        shelf.close()
        raise _nothing(spec, faults, guess)
    return Dataset(spec, problems, shelf, faults, digest=digest)


def _add(record: Record, spec: DatasetSpec, problems: dict[str, Problem], shelf: Shelf, faults: FaultLog) -> None:
    def fault(what: str, hint: str | None) -> None:
        faults.add(Fault(path=str(spec.path), line=record.line, what=what, hint=hint))

    if not isinstance(record.value, Mapping):
        fault("a JSON object is due here", None)
        return
    try:
        problem, tests = FORMATS[spec.name](Fields(record.value), record.line)
    except BadRecordError as exc:
        fault(f"{_name(record.value)}{exc}", exc.hint)
        return
    if problem.id in problems:
        fault(f"`{problem.id}` is there already (line {problems[problem.id].line})", "the first one counts")
        return
    reason = known_bad(problem.dataset, problem.id, *_titles(record.value))
    problems[problem.id] = problem.model_copy(update={"known_bad": reason}) if reason else problem
    shelf.put(problem.id, tests)


def _titles(record: Mapping[str, object]) -> list[str]:
    """Return the title of a contest problem as its errata write it."""
    title = record.get("question_title")
    return [title.lower().replace(" ", "-")] if isinstance(title, str) else []


def _name(record: Mapping[str, object]) -> str:
    """Return what a message calls a record: its id, where it has one that can be shown."""
    for key in ("task_id", "question_id", "id"):
        value = record.get(key)
        if isinstance(value, int) or (isinstance(value, str) and value.isprintable() and len(value) <= _MAX_ID):
            return f"`{value}`: "
    return ""


def _guess(record: Record) -> str | None:
    if not isinstance(record.value, Mapping):
        return None
    return next((name for name, keys in _TELLING.items() if keys <= record.value.keys()), None)


def _nothing(spec: DatasetSpec, faults: FaultLog, guess: str | None) -> DatasetError:
    shown = "".join(f"\n  {fault}" for fault in faults.kept[:_MAX_SHOWN])
    more = f"\n  and {len(faults) - _MAX_SHOWN} more" if len(faults) > _MAX_SHOWN else ""
    other = guess is not None and spec.name.removesuffix("-instruct") not in guess.split(" or ")
    hint = f"the file looks like {guess}" if other else None
    return DatasetError(f"`{spec.path}` has no problem of `{spec.name}`:{shown}{more}", hint=hint)


def _digest(path: Path) -> str:
    with open_regular(path) as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
