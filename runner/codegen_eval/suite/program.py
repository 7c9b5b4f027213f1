"""Programs that stand around tests and solutions, so that either has one function to call."""

from __future__ import annotations

from pathlib import Path

from codegen_eval.datasets.problem import AssertTests, CheckTests, FunctionalTests, StdinTests, UnittestTests
from codegen_eval.lexis import words
from codegen_eval.task import PROGRAM

from . import Suite

ENTRY = "run_tests"
"""What the program around tests defines: called with the candidate and the number of a test."""

_CALL_CHECK = """
if hasattr(check(candidate), "close"):
    raise RuntimeError("check has not run: it is a coroutine or a generator")
"""
"""Also where the tests call it themselves, with whatever."""
_AROUND_TESTS = """\
def {entry}(candidate, number):
    scope = _scope
    if not scope:
        import random

        random.seed(0)
        scope["__name__"] = __name__
        exec(compile(_HELPERS, "<helpers>", "exec"), scope)
        for name in [_CANDIDATE, "candidate"]:
            scope[name] = candidate
        exec(compile(_SETUP, "<setup>", "exec"), scope)
        for name in [_CANDIDATE, "candidate"]:
            scope[name] = candidate
    exec(compile(_TESTS[number], "<test>", "exec"), scope)


_scope = {{}}
_CANDIDATE = {candidate!r}
_HELPERS = {helpers!r}
_SETUP = {setup!r}
_TESTS = {tests!r}
"""
_AROUND_PROGRAM = """\
def {entry}(text):
    import atexit, gc, os, sys, threading, types

    at_end, read, collect = [threading._shutdown, atexit._run_exitfuncs], open, gc.collect
    printed, program = os.path.abspath("stdout"), os.path.abspath("solution.py")
    for name, number in [("stdin", 0), ("stdout", 1)]:
        opened = os.open(name, os.O_RDWR | os.O_CREAT | os.O_TRUNC)
        if opened != number:  # which it is where an earlier run has closed it
            os.dup2(opened, number)
            os.close(opened)
    with open("stdin", "wb") as file:
        file.write(text.encode("utf-8", "surrogatepass"))
    sys.stdin = open(0, encoding="utf-8", errors="replace", closefd=False)
    sys.stdout = sys.__stdout__ = open(1, "w", encoding="utf-8", errors="backslashreplace", closefd=False)
    sys.argv = [program]
    around, main = sys.modules.get("__main__"), types.ModuleType("__main__")
    main.__dict__.update({{"__file__": program, "__builtins__": __builtins__}})
    sys.modules["__main__"] = main

    def flush():
        for name in ["stdout", "__stdout__"]:
            try:
                getattr(sys, name).flush()
            except Exception:  # the program may have closed it, or put something in its place
                pass

    try:
        exec(compile(_PROGRAM, "<solution>", "exec"), main.__dict__)
    except SystemExit:
        pass
    for end in at_end:
        end()
    flush()
    sys.modules["__main__"] = around
    main = None
    collect()  # ends what nobody holds, as the end of a program does: generators, objects, and what wraps a stream
    flush()
    with read(printed, "rb") as file:
        return file.read().decode("utf-8", "replace")


_PROGRAM = {source!r}
"""
_AROUND_METHOD = """

def {entry}(*arguments):
    owner = globals().get({owner!r})
    if isinstance(owner, type) and hasattr(owner, {name!r}):
        return getattr(owner(), {name!r})(*arguments)
    return globals()[{name!r}](*arguments)
"""
METHOD = "call_method"
ProgramTests = CheckTests | AssertTests | UnittestTests
"""Tests that are a program, which calls the solution."""


def test_names(tests: ProgramTests) -> list[str]:
    """Return what the tests that a program holds are called."""
    match tests:
        case CheckTests():
            return ["check"]
        case AssertTests(asserts=asserts):
            return [f"assert-{number}" for number in range(1, len(asserts) + 1)]
        case UnittestTests(methods=methods):
            return [f"{owner}.{name}" for owner, name in methods]


def tests_program(suite: Suite, tests: ProgramTests) -> str:
    """Return the program that holds the tests. What it defines beside them is the set's, and never a solution's."""
    problem = suite.problem
    helpers = (problem.canonical or "") if problem.uses else problem.preamble
    if isinstance(tests, UnittestTests):
        names = {"_CANDIDATE": suite.entry_point, "_HELPERS": helpers, "_TESTS": tests.code, "_PLAN": [*tests.methods]}
        around = Path(__file__).with_name("around_cases.py").read_text(encoding="utf-8")
        return around + "".join(f"{name} = {value!r}\n" for name, value in names.items())
    if isinstance(tests, CheckTests):
        setup, each = "", [f"{tests.code}\n{_CALL_CHECK}"]
    else:
        setup, each = tests.setup, list(tests.asserts)
    return _AROUND_TESTS.format(entry=ENTRY, candidate=suite.entry_point, helpers=helpers, setup=setup, tests=each)


def solution_program(suite: Suite, source: str) -> tuple[str, str]:
    """Return what the solution's worker loads, and what is called there."""
    if isinstance(suite.tests, StdinTests | FunctionalTests):
        source = _with_preamble(source.removeprefix("\ufeff"), suite.problem.preamble)
    if suite.problem.entry_point is None:
        return around_program(source), PROGRAM
    if isinstance(suite.tests, FunctionalTests) and suite.tests.owner is not None:
        around = _AROUND_METHOD.format(entry=METHOD, owner=suite.tests.owner, name=suite.entry_point)
        return source + around, METHOD
    return source, suite.entry_point


def _with_preamble(source: str, preamble: str) -> str:
    """Return a program with imports before it, behind those of `__future__`, which must come first."""
    place, line, depth, before = 0, list[str](), 0, ""
    for word in words(source):
        line = [word.text] if word.first or (before == ";" and depth <= 0) else [*line, word.text][:2]
        depth += (word.text in "([{") - (word.text in ")]}")
        before = word.text
        if word.kind == "newline":
            place = word.start + 1 if place < 0 and depth <= 0 else place
        elif line == ["from", "__future__"]:
            place = -1
    if place < 0:
        return f"{source}\n{preamble}"
    return source[:place] + preamble + source[place:]


def around_program(source: str) -> str:
    """Return a module that has one function to call, which runs a program on a standard input."""
    return _AROUND_PROGRAM.format(entry=PROGRAM, source=source.removeprefix("\ufeff"))
