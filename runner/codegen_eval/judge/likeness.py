"""Does a solution do what the reference does? As strict as the task's own cases are, and no stricter."""

from __future__ import annotations

from codegen_eval.judge.candidate import Call
from codegen_eval.judge.compare import loosely_same, same
from codegen_eval.judge.describe import clean
from codegen_eval.judge.reply import Reply
from codegen_eval.judge.values import CandidateError, FromCandidate, Iterator, Opaque
from codegen_eval.task import Task

_TOLERANCE = 1e-9
"""Floats closer than this, absolutely or as a part of them, or than the loosest case of the task says, are the same."""
_IMPORTED_TOLERANCE = 1e-6
_DEPTH = 100


class Likeness:
    """Compares what a solution and a reference do, each in a directory of its own."""

    def __init__(self, task: Task, *, workdir: str, reference_workdir: str, imported: bool = False) -> None:
        """`imported` problems have no cases of our own form: their tests compare by `==`, and so does this."""
        self._workdir = workdir
        self._reference_workdir = reference_workdir
        cases = task.cases
        self._tolerance = max([_IMPORTED_TOLERANCE if imported else _TOLERANCE, *(case.tolerance for case in cases)])
        self._loose = imported or any(case.loose for case in cases)
        self._number = imported or any(case.number for case in cases)
        self._raised = tuple({case.raises for case in cases if case.raises is not None})
        self.keeps_arguments = any(case.unchanged for case in cases)
        """The task asks that arguments stay as they are."""
        self.compares = imported or any(case.raises is None and case.stdout is None for case in cases)
        """The task compares answers with expected ones at all."""

    def unusable(self, reply: Reply, call: Call) -> str | None:
        """Say why what the reference did can't be compared with."""
        if reply.too_large is not None or _opaque(reply.value):
            return "the reference's answer can't be compared"
        if reply.error is not None:
            if isinstance(reply.error, self._raised) and not isinstance(reply.error, CandidateError):
                return None
            return f"the call is outside the task: the reference raises {clean(reply.error.class_name)}"
        if call.after and not self._unchanged(reply, call):
            return "the reference changes its arguments"
        return None

    def difference(self, expected: Reply, actual: Reply, call: Call) -> str | None:
        """Say in what a solution departs from the reference; None: in nothing."""
        if actual.too_large is not None:
            return f"returned {clean(actual.too_large)}"
        if expected.error is not None:
            if actual.error is None:
                return "returned where the reference raises an exception"
            return None if self._same_error(expected.error, actual.error) else "raised another exception"
        if actual.error is not None:
            return "raised an exception where the reference returns"
        if not self._same(expected.value, actual.value):
            return "returned another value than the reference"
        if call.after and not self._unchanged(actual, call):
            return "changed its arguments"
        return None

    def alike(self, one: Reply | None, other: Reply) -> bool:
        """Say whether the reference said the same twice."""
        if one is None or (one.error is None) is not (other.error is None):
            return False
        if one.error is not None and other.error is not None:
            return type(one.error) is type(other.error)
        values = (_placed(reply.value, self._reference_workdir) for reply in (one, other))
        return same(*values, tolerance=self._tolerance, relative=_TOLERANCE, number=self._number)

    def _same_error(self, expected: FromCandidate, actual: FromCandidate) -> bool:
        """Two exceptions are alike where a case that asks for the one would take the other."""
        asked_for = [kind for kind in self._raised if isinstance(expected, kind)]
        return any(isinstance(actual, kind) for kind in asked_for)

    def _same(self, expected: object, actual: object) -> bool:
        wanted = _placed(expected, self._reference_workdir)
        got = _placed(actual, self._workdir)
        if same(got, wanted, tolerance=self._tolerance, relative=_TOLERANCE, number=self._number):
            return True
        return self._loose and loosely_same(got, wanted)

    def _unchanged(self, reply: Reply, call: Call) -> bool:
        return reply.after is not None and same(list(reply.after), list(call.args))


def _opaque(value: object, depth: int = 0) -> bool:
    """Say whether a value is, or holds, one whose behaviour is the program's own."""
    if depth > _DEPTH or isinstance(value, Opaque | Iterator):
        return True
    if isinstance(value, dict):
        return any(_opaque(key, depth + 1) or _opaque(item, depth + 1) for key, item in value.items())
    if isinstance(value, list | tuple | set | frozenset):
        return any(_opaque(item, depth + 1) for item in value)
    return False


def _placed(value: object, workdir: str) -> object:
    """Replace the directory of a sandbox in texts by a word that is the same for all."""
    match value:
        case str():
            return value.replace(workdir, "<workdir>") if workdir else value
        case list():
            return [_placed(item, workdir) for item in value]
        case dict() if type(value) is dict:
            return {_placed(key, workdir): _placed(item, workdir) for key, item in value.items()}
        case tuple() if type(value) is tuple:
            return tuple(_placed(item, workdir) for item in value)
    return value
