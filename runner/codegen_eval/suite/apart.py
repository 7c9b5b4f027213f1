"""Classes of `unittest` in a sandbox without the solution: which can't be run so, and what the others say of it."""

from __future__ import annotations

from codegen_eval.datasets.problem import Problem, UnittestTests
from codegen_eval.datasets.suite import uses_of
from codegen_eval.judge.values import FromCandidate

_DEEDS = {
    "files": "its tests make files where the solution, which runs apart, can't see them",
    "folder": "its tests change the folder of a process that is not the solution's",
    "environment": "its tests change the environment of a process that is not the solution's",
    "streams": "its tests replace streams or functions of a process that is not the solution's",
}


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
