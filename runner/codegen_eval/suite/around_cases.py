"""The program around tests for `unittest`. Never imported: the tests' own worker loads its text, and runs it there.

It runs one method at a time, as the test library would. The solution is elsewhere, so what tests do to their own
process (files, streams, environment) does not reach it: a test that calls it behind such a deed tells nothing, and
raises.
"""

from __future__ import annotations

import builtins
import os
import random
import sys
import types
import unittest
import unittest.case
from collections.abc import Callable
from types import TracebackType

_CANDIDATE = ""
_HELPERS = ""
_TESTS = ""
_PLAN: list[tuple[str, str]] = []
"""These four are set below, where the text is loaded. Of a plan: class and method, class by class, each sorted."""

_Raised = tuple[type[BaseException], BaseException, TracebackType] | tuple[None, None, None]
_WRITES = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC
_DEEDS = {
    "os.chmod": "files",
    "os.link": "files",
    "os.mkdir": "files",
    "os.rename": "files",
    "os.symlink": "files",
    "os.truncate": "files",
    "os.chdir": "folder",
    "os.putenv": "environment",
    "os.unsetenv": "environment",
}
_run: list[_Run] = []


class ApartError(Exception):
    """The tests do something to their own process that was meant for the solution's."""


class SkippedError(Exception):
    """A test was skipped, or did not run."""


class OtherTestsError(Exception):
    """The classes have other tests than their text shows."""


class _Result(unittest.TestResult):
    """Keeps what became of one test."""

    def __init__(self) -> None:
        super().__init__()
        self.done = self.left = False
        self.wrong: BaseException | None = None

    def addSuccess(self, test: unittest.TestCase) -> None:  # noqa: N802, ARG002  the library names it
        self.done = True

    def addExpectedFailure(self, test: unittest.TestCase, err: _Raised) -> None:  # noqa: N802, ARG002
        self.done = True

    def addUnexpectedSuccess(self, test: unittest.TestCase) -> None:  # noqa: N802, ARG002
        self.wrong = AssertionError("it should have failed")

    def addSkip(self, test: unittest.TestCase, reason: str) -> None:  # noqa: N802, ARG002
        self.left = True

    def addFailure(self, test: unittest.TestCase, err: _Raised) -> None:  # noqa: N802, ARG002
        self.note(err)

    def addError(self, test: unittest.TestCase, err: _Raised) -> None:  # noqa: N802, ARG002
        self.note(err)

    def addSubTest(self, test: unittest.TestCase, subtest: unittest.TestCase, err: _Raised | None) -> None:  # noqa: N802, ARG002
        if err is not None:
            self.note(err)

    def note(self, err: _Raised) -> None:
        """Keep the first thing that went wrong."""
        if self.wrong is None:
            self.wrong = err[1]


class _Run:
    """The tests, loaded; and how far their classes are."""

    def __init__(self, ask: Callable[..., object]) -> None:
        self._ask = ask
        self._scope: dict[str, object] = {"__name__": __name__}
        self._deed = ""
        """What the tests did to their own process."""
        self._begun: dict[str, BaseException | None] = {}
        """Classes that were set up, with what that raised."""
        self._broken: BaseException | None = None
        self._state: list[object] = []
        try:
            self._load()
        except BaseException as exc:  # noqa: BLE001 - it is what each of the tests raises, then
            self._broken = exc

    def test(self, number: int) -> None:
        """Run one test of the plan; raise what keeps it from having passed."""
        if self._broken is not None:
            raise self._broken
        owner, name = _PLAN[number]
        case = self._case(owner)
        result = _Result()
        raised = self._begin(owner, case)
        if raised is None:
            case(name).run(result)
        if number + 1 == len(_PLAN) or _PLAN[number + 1][0] != owner:
            self._end(owner, case, result, last=number + 1 == len(_PLAN))
        if self._deed:
            raise ApartError(self._deed)
        if isinstance(raised, unittest.SkipTest) or (raised is None and result.left):
            raise SkippedError
        if raised is not None or result.wrong is not None:
            raise raised or result.wrong or SkippedError
        if not result.done:
            raise SkippedError

    # --- around them ------------------------------------------------------------------------------------------------

    def _load(self) -> None:
        sys.dont_write_bytecode = True
        # messages of failed assertions are for nobody, and a difference of large values takes minutes
        silent = types.SimpleNamespace(ndiff=lambda *_: (), unified_diff=lambda *_, **__: ())
        vars(unittest.case)["difflib"] = silent
        random.seed(0)
        exec(compile(_HELPERS, "<helpers>", "exec"), self._scope)  # noqa: S102 - here it belongs
        self._state = self._look()
        sys.addaudithook(self._watch)
        for name in (_CANDIDATE, "candidate"):
            self._scope[name] = self._call
        exec(compile(_TESTS, "<tests>", "exec"), self._scope)  # noqa: S102
        for name in (_CANDIDATE, "candidate"):
            self._scope[name] = self._call
        loader = unittest.TestLoader()
        for owner in dict.fromkeys(owner for owner, _ in _PLAN):
            if [*loader.getTestCaseNames(self._case(owner))] != [name for each, name in _PLAN if each == owner]:
                raise OtherTestsError
        self._call_if_there("setUpModule")

    def _case(self, owner: str) -> type[unittest.TestCase]:
        found = self._scope.get(owner)
        if isinstance(found, type) and issubclass(found, unittest.TestCase):
            return found
        raise OtherTestsError

    def _begin(self, owner: str, case: type[unittest.TestCase]) -> BaseException | None:
        """Set a class up once; return what that raised."""
        if owner not in self._begun:
            self._begun[owner] = None
            try:
                if not getattr(case, "__unittest_skip__", False):
                    case.setUpClass()
            except BaseException as exc:  # noqa: BLE001 - it is what each test of the class raises, then
                self._begun[owner] = exc
        return self._begun[owner]

    def _end(self, owner: str, case: type[unittest.TestCase], result: _Result, *, last: bool) -> None:
        """Tear a class down behind its last test, and the whole behind the last of all; what fails there is that's."""
        steps: list[Callable[[], object]] = [case.tearDownClass, case.doClassCleanups]
        if self._begun[owner] is not None or getattr(case, "__unittest_skip__", False):
            del steps[0]
        if last:
            steps += [lambda: self._call_if_there("tearDownModule"), unittest.doModuleCleanups]
        for step in steps:
            try:
                step()
            except BaseException:  # noqa: BLE001
                result.note(sys.exc_info())
        for raised in getattr(case, "tearDown_exceptions", []):
            result.note(raised)

    def _call_if_there(self, name: str) -> None:
        found = self._scope.get(name)
        if callable(found):
            found()

    # --- what they do to their own process --------------------------------------------------------------------------

    def _call(self, *args: object, **kwargs: object) -> object:
        """Call the solution; refuse where it would not meet what the tests have prepared for it."""
        if self._look() != self._state:
            self._deed = self._deed or "streams"
        if self._deed:
            raise ApartError(self._deed)
        return self._ask(*args, **kwargs)

    @staticmethod
    def _look() -> list[object]:
        return [sys.stdin, sys.stdout, sys.stderr, [*sys.argv], builtins.input, builtins.open, builtins.print]

    def _watch(self, event: str, args: tuple[object, ...]) -> None:
        if event in _DEEDS:
            self._deed = self._deed or _DEEDS[event]
        elif (event == "open" and len(args) > 1 and _is_written(args)) or (
            event == "sqlite3.connect" and args[0] not in {":memory:", b":memory:", ""}
        ):
            self._deed = self._deed or "files"


def _is_written(args: tuple[object, ...]) -> bool:
    """Say whether a file is opened to be written, or made."""
    flags = args[-1]
    return isinstance(flags, int) and bool(flags & _WRITES) and args[0] != os.devnull


def run_tests(candidate: Callable[..., object], number: int) -> None:
    """Run one test."""
    if not _run:
        _run.append(_Run(candidate))
    _run[0].test(number)
