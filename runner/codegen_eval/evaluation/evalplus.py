"""EvalPlus's `eval_results.json`, which its own commands read instead of running anything again.

`eval` has a list for each problem, in the order of its samples: the program, `base_status` and `plus_status` (`pass`,
`fail` or `timeout`), and the inputs on which it failed, as far as our lines keep them. EvalPlus counts a sample as
passed where both are `pass`.
"""

from __future__ import annotations

import json
import tempfile
from array import array
from datetime import datetime
from types import TracebackType
from typing import BinaryIO, Self

from codegen_eval.datasets import Dataset, Tests
from codegen_eval.datasets.problem import InputTests
from codegen_eval.samples import AssemblyRule, Sample, assemble
from codegen_eval.verdict import Finding, Verdict

from .lines import MAX_FINDINGS
from .record import LayerLine, SampleLine
from .words import is_added, passes_base, took_too_long, unit_of

_PASS, _FAIL, _TIMEOUT = "pass", "fail", "timeout"
_IN_MEMORY = 16 << 20


class EvalPlusResults:
    """Entries in the order of the samples, written problem by problem. Use it in a `with` block."""

    def __init__(self, dataset: Dataset, rule: AssemblyRule | None) -> None:
        self._dataset = dataset
        self._rule = rule
        self._file = tempfile.SpooledTemporaryFile(max_size=_IN_MEMORY)  # noqa: SIM115 - closed at the end of the block
        self._places: dict[str, array[int]] = {}
        """Where the entries of a problem begin and end, in pairs."""

    def add(self, sample: Sample, line: SampleLine) -> None:
        """Add the entry of a sample."""
        problem = self._dataset.problems[sample.task_id]
        base, plus = statuses(unit_of(line))
        tests, findings = self._dataset.tests(problem.id), unit_of(line).findings
        entry = {
            "task_id": problem.id,
            "solution": assemble(problem, sample, self._rule).source,
            "base_status": base,
            "plus_status": plus,
            "base_fail_tests": _inputs(tests, findings, added=False),
            "plus_fail_tests": _inputs(tests, findings, added=True),
        }
        start = self._file.tell()
        self._file.write(json.dumps(entry).encode("ascii"))
        self._places.setdefault(problem.id, array("q")).extend((start, self._file.tell()))

    def write(self, out: BinaryIO, *, date: datetime) -> None:
        """Write the file."""
        head = {"date": date.strftime("%Y-%m-%d %H:%M"), "hash": self._dataset.digest}
        out.write(json.dumps(head).encode("ascii")[:-1] + b', "eval": {')
        for number, (name, places) in enumerate(self._places.items()):
            out.write((b", " if number else b"") + json.dumps(name).encode("ascii") + b": [")
            for place in range(0, len(places), 2):
                self._file.seek(places[place])
                out.write((b", " if place else b"") + self._file.read(places[place + 1] - places[place]))
            out.write(b"]")
        out.write(b"}}\n")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, exc: BaseException | None, tb: TracebackType | None) -> None:
        self._file.close()


def statuses(unit: LayerLine) -> tuple[str, str]:
    """Return EvalPlus's words for the tests of the original set and for the added ones."""
    if unit.verdict is Verdict.PASS:
        return _PASS, _PASS
    base = [finding for finding in unit.findings if not is_added(finding)]
    plus = [finding for finding in unit.findings if is_added(finding)]
    if passes_base(unit):
        return _PASS, _word(plus)
    told = 0 < len(unit.findings) < MAX_FINDINGS and all(finding.check is not None for finding in base)
    alive = told and all(finding.check != "load" and finding.ended is None for finding in base)
    return _word(base), _PASS if alive and not plus else _word(plus)


def _word(findings: list[Finding]) -> str:
    return _TIMEOUT if any(map(took_too_long, findings)) else _FAIL


def _inputs(tests: Tests, findings: tuple[Finding, ...], *, added: bool) -> list[object]:
    """Return the inputs that findings are about."""
    if not isinstance(tests, InputTests):
        return []
    texts, head = (tests.plus, "plus-") if added else (tests.base, "base-")
    names = [finding.check or "" for finding in findings]
    places = [int(name.removeprefix(head)) for name in names if name.startswith(head)]
    return [json.loads(texts[place - 1]) for place in places]
