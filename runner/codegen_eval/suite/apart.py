"""Tests in a sandbox without the solution: which can't be run so, and what the others say of it."""

from __future__ import annotations

from codegen_eval.datasets.problem import AssertTests, CheckTests, Problem, UnittestTests
from codegen_eval.datasets.suite import uses_of
from codegen_eval.judge.values import FromCandidate
from codegen_eval.lexis import words

_DEEDS = {
    "files": "its tests make files where the solution, which runs apart, can't see them",
    "folder": "its tests change the folder of a process that is not the solution's",
    "environment": "its tests change the environment of a process that is not the solution's",
    "streams": "its tests replace streams or functions of a process that is not the solution's",
}
_PICKLES = frozenset({"pickle", "marshal", "shelve", "dill", "cloudpickle", "joblib"})
"""What turns bytes into whatever they say, by running them."""


def why_not_apart(problem: Problem, tests: UnittestTests) -> str | None:
    """Say what in their text keeps tests from being run apart from the solution; None where they may be tried."""
    if not tests.methods:
        return "no tests stand in its classes of `unittest`"
    if any(True for _ in uses_of(tests.code, "patch")):
        return "its tests replace names within the solution's own process"
    canonical = problem.canonical or ""
    draws = any(True for _ in uses_of(canonical, "random")) and not any(True for _ in uses_of(canonical, "seed"))
    if draws and "(" in uses_of(tests.code, "seed"):
        return "its tests seed the random numbers of the solution's own process"
    return None


def runs_answers(tests: AssertTests | CheckTests | UnittestTests) -> bool:
    """Say whether tests run programs that a solution may have written: then it would decide what they find."""
    code = "\n".join((tests.setup, *tests.asserts)) if isinstance(tests, AssertTests) else tests.code
    before, imported = "", False
    for word in words(code):
        if before == "from" and word.text in _PICKLES:
            return True
        if word.first:
            imported = word.text in {"from", "import"}
        if word.kind == "name" and not imported and before != ".":
            if word.text in _PICKLES:
                return True
            if word.text in {"eval", "exec"} and code[word.start + len(word.text) :].lstrip()[:1] == "(":
                return True
        before = word.text
    return False


def why_not_passed(error: FromCandidate) -> str | None:
    """Say what the program around the tests has raised for; None where it was a test."""
    match error.class_name:
        case "ApartError":
            return _DEEDS.get(error.text, _DEEDS["files"])
        case "SkippedError":
            return "the test was skipped, which is no pass"
        case "OtherTestsError":
            return "the classes have other tests than their text shows"
        case _:
            return None
