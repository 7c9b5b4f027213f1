"""What the canonical solution answers to inputs that come without answers; asked in the tests' own sandbox."""

from __future__ import annotations

import json
from collections import deque
from collections.abc import ItemsView, KeysView, Sequence, ValuesView

from codegen_eval.datasets.evalplus import decode_arguments
from codegen_eval.datasets.problem import InputTests
from codegen_eval.interfaces import EndReason, WorkerEnd, WorkerLimits
from codegen_eval.judge.bench import Bench
from codegen_eval.judge.candidate import Call, Candidate
from codegen_eval.judge.codec import Reader, parse
from codegen_eval.judge.describe import clean
from codegen_eval.judge.values import (
    Iterator,
    NotLoadedError,
    SuiteError,
    TamperingError,
    WorkerEndedError,
    WorkerNotUpError,
)
from codegen_eval.judge.writer import Writer

from . import Suite

_WALL_SECONDS = 60.0
_LIMITS = WorkerLimits(cpu_seconds=60.0)


class LeftOut:
    """Stands for an answer that can't be compared as a whole, being too large or endless: its input doesn't count."""


LEFT_OUT = LeftOut()


def lost_by_accident(end: WorkerEnd | None) -> bool:
    """Say whether the worker of a set's own program ended over what neither it nor an answer does."""
    return end is not None and (not end.up or end.reason in {EndReason.KILLED, EndReason.SANDBOX_LOST})


def expected_answers(bench: Bench, suite: Suite, inputs: Sequence[str]) -> list[object]:
    """Return the answers to the inputs in order; those that are known already, or asked for now.

    Raises:
        SuiteError: there is no canonical solution, or it does not answer all of them.
    """
    if bench.answers is None and suite.expected is not None:
        bench.answers = _read(suite.expected, len(inputs))
    if bench.answers is None:
        bench.answers = _ask(bench, suite, inputs)
    return bench.answers


def told(answers: Sequence[object]) -> str | None:
    """Return the text that stands for answers; None where they don't come back from it as they are."""
    write = Writer("", relays=True).value
    try:
        left_out = [place for place, answer in enumerate(answers) if answer is LEFT_OUT]
        values = [None if answer is LEFT_OUT else write(answer) for answer in answers]
        return json.dumps({"answers": values, "left_out": left_out})
    except TypeError:
        return None


def _read(text: str, count: int) -> list[object] | None:
    """Return the answers that a text stands for; None where it is not what `told` returns."""
    try:
        kept = parse(text.encode("ascii"))
        raw, left_out = kept.get("answers"), kept.get("left_out")
        if not isinstance(raw, list) or len(raw) != count or not isinstance(left_out, list):
            return None
        return [LEFT_OUT if n in left_out else Reader().value(answer) for n, answer in enumerate(raw)]
    except (TamperingError, UnicodeEncodeError):
        return None


def _ask(bench: Bench, suite: Suite, inputs: Sequence[str]) -> list[object]:
    tests = suite.tests
    if not isinstance(tests, InputTests) or suite.problem.canonical is None:
        raise SuiteError("the set has no canonical solution to compare with")
    candidate = Candidate(bench.beside, suite.entry_point, wall_seconds=_WALL_SECONDS, relays=True)
    try:
        candidate.load(suite.problem.canonical, _LIMITS)
        replies = candidate.batch([Call(args=decode_arguments(text, tests.decoding)) for text in inputs])
    except (NotLoadedError, WorkerEndedError, WorkerNotUpError, TamperingError) as exc:
        bench.tests_lost |= lost_by_accident(candidate.ended)
        raise SuiteError("the canonical solution does not answer within its limits") from exc
    finally:
        bench.beside.end()
    for number, reply in enumerate(replies, 1):
        if reply.error is not None:
            raise SuiteError(f"the canonical solution raises {clean(reply.error.class_name)} on input {number}")
    return [LEFT_OUT if reply.too_large is not None or _has_no_end(reply.value) else reply.value for reply in replies]


def _has_no_end(answer: object) -> bool:
    """Say whether an answer, or something in it, goes on behind what was taken of it."""
    left = [answer]
    while left:
        match left.pop():
            case Iterator(items=items, truncated=truncated):
                if truncated:
                    return True
                left += items
            case list() | tuple() | set() | frozenset() | deque() | KeysView() | ItemsView() | ValuesView() as items:
                left += items
            case dict() as items:
                left += [*items.keys(), *items.values()]
            case _:
                pass
    return False
