"""Tests that are calls: each with what its answer has to be."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from codegen_eval.datasets.evalplus import decode_arguments
from codegen_eval.datasets.problem import FunctionalTests, InputTests, StdinTests
from codegen_eval.judge.bench import Bench
from codegen_eval.judge.candidate import Call
from codegen_eval.judge.compare import loosely_same
from codegen_eval.judge.describe import clip, describe

from . import Suite
from .answers import LEFT_OUT, expected_answers
from .oracle import accepts, as_lists, same_output


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """One call that stands for one test, and whether its answer is right."""

    check: str
    call: Call
    holds: Callable[[object], bool]
    expected: str


def planned_calls(bench: Bench, suite: Suite) -> Iterator[Asked]:
    """Yield the calls that stand for the tests of a suite, in their order; what can't be asked is left out."""
    match suite.tests:
        case InputTests() as tests:
            texts = [(f"base-{n}", text) for n, text in enumerate(tests.base, 1)]
            texts += [(f"plus-{n}", text) for n, text in enumerate(tests.plus, 1)]
            answers = expected_answers(bench, suite, [text for _, text in texts])
            for (name, text), answer in zip(texts, answers, strict=True):
                if answer is not LEFT_OUT:
                    yield _input(tests, name, text, answer)
        case FunctionalTests(cases=cases):
            for number, case in enumerate(cases, 1):
                wanted = json.loads(case.expected)
                arguments = tuple(json.loads(text) for text in case.arguments)
                call = Call(args=arguments)
                yield Asked(check=f"case-{number}", call=call, holds=_equals(wanted), expected=describe(wanted))
        case StdinTests(cases=runs):
            for number, run in enumerate(runs, 1):
                call = Call(args=(run.stdin,))
                yield Asked(check=f"run-{number}", call=call, holds=_prints(run.stdout), expected=describe(run.stdout))


def shown_arguments(call: Call) -> str:
    """Return the arguments of a call, for people."""
    return clip(", ".join(describe(arg) for arg in call.args))


def _equals(wanted: object) -> Callable[[object], bool]:
    return lambda value: loosely_same(as_lists(value), wanted)


def _prints(wanted: str) -> Callable[[object], bool]:
    return lambda value: same_output(value, wanted)


def _input(tests: InputTests, name: str, text: str, answer: object) -> Asked:
    arguments = decode_arguments(text, tests.decoding)
    return Asked(
        check=name,
        call=Call(args=arguments),
        holds=lambda value: accepts(tests, decode_arguments(text, tests.decoding), answer, value),
        expected=describe(answer),
    )
