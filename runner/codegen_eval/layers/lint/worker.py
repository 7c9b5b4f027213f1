"""The scanner as a child process: one JSON line in, one JSON line out, for each solution in turn.

The first line out says *ready*. Each answer is flushed as it is found, so what kills the process costs only its own
solution. Each solution has a CPU limit of its own; the kernel ends the process where it is spent.
"""

from __future__ import annotations

import contextlib
import signal
import sys

from codegen_eval.frozen import Frozen
from codegen_eval.verdict import Finding

from .scanner import scan

CPU_SECONDS = 20.0
"""For one solution, unless told otherwise. Thousand times what an honest one needs."""


class Question(Frozen):
    """One solution to scan."""

    source: str
    """The source in UTF-8 with lone surrogates passed through, as Latin-1: JSON libraries disagree about surrogates."""
    untrusted: frozenset[str]


class Answer(Frozen):
    """What the scanner found in the solution of this place in the batch; -1 says *ready*."""

    place: int
    findings: tuple[Finding, ...] = ()


def pack_source(source: str) -> str:
    """Return a source in the form in which it travels."""
    return source.encode("utf-8", "surrogatepass").decode("latin-1")


def _unpack_source(packed: str) -> str:
    return packed.encode("latin-1").decode("utf-8", "surrogatepass")


def main(cpu_seconds: float) -> None:
    """Answer every question on standard input, each within the CPU time given."""
    _say(Answer(place=-1))
    for place, line in enumerate(sys.stdin.buffer):
        question = Question.model_validate_json(line)
        _limit_cpu(cpu_seconds)
        _say(Answer(place=place, findings=scan(_unpack_source(question.source), question.untrusted)))


def _say(answer: Answer) -> None:
    sys.stdout.buffer.write(answer.model_dump_json(by_alias=True).encode() + b"\n")
    sys.stdout.buffer.flush()


def _limit_cpu(seconds: float) -> None:
    with contextlib.suppress(AttributeError, OSError):  # no such timer: the wall limit decides
        signal.setitimer(signal.ITIMER_PROF, seconds)
