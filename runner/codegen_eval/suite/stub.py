"""Programs that do nothing: tests that let them pass prove nothing of anybody."""

from __future__ import annotations

from codegen_eval.judge.bench import Bench
from codegen_eval.judge.values import SuiteError, UnaskedError
from codegen_eval.lexis import defined_classes

from . import Suite
from .program import ProgramTests
from .run import run_suite

PROVES_NOTHING = "its tests prove nothing: they let programs pass that do nothing"
_ANSWERS = ("'nothing that was asked for'", "None")
"""True and false; no right answer is both."""
_FUNCTION = """\
def {name}(*args, **kwargs):
    return {answer}
"""
_CLASS = """\
class {name}:
    def __init__(self, *args, **kwargs):
        pass

    def __getattr__(self, name):
        return lambda *args, **kwargs: {answer}
"""


def proves_nothing(bench: Bench, suite: Suite) -> bool:
    """Say whether the tests of the bench's suite let every program pass that does nothing.

    Asked where the canonical solution passes. Only of tests that are programs: others compare each answer themselves.
    """
    if not isinstance(suite.tests, ProgramTests):
        return False
    form = _CLASS if suite.entry_point in defined_classes(suite.problem.canonical or "") else _FUNCTION
    kept = bench.wall_timeout, bench.starved, bench.tests_lost
    try:
        return all(_passes(bench, form.format(name=suite.entry_point, answer=answer)) for answer in _ANSWERS)
    finally:
        bench.wall_timeout, bench.starved, bench.tests_lost = kept


def _passes(bench: Bench, source: str) -> bool:
    try:
        findings, alive = run_suite(bench, source, first_only=True)
    except UnaskedError:
        return True
    except SuiteError:
        return False
    return alive and not findings
