"""Laws of hostile solutions against tests that came with a problem: none passes, and none is our fault."""

from __future__ import annotations

import pytest

from codegen_eval.suite import Suite
from codegen_eval.verdict import FailureClass, Verdict
from suite_bench import Judging, asserts, cases, check, forge

_NODE = "class Node:\n    def __init__(self, value):\n        self.value = value\n"
PLAIN = check("assert candidate(2) == 4", "assert candidate(3) == 9")
OBJECTS = check("a = Node(2)", "assert candidate(a) == 4", "assert candidate(Node(3)) == 9", before=_NODE)
METHODS = cases(
    "def test_a(self):\n    self.assertEqual(f(2), 4)\ndef test_b(self):\n    self.assertTrue(f(3) == 9)\n"
    "def test_c(self):\n    with self.assertRaises(OverflowError):\n        f(4)"
)
SECRET = check(
    "kept = Node('kept')", "a = Node(2)", "assert candidate(a) == 4", "assert kept.value != 'kept'", before=_NODE
)
"""Which only what reaches an object that was never sent could satisfy."""

EQUAL = "class E:\n    def __eq__(self, other):\n        return True\n    def __bool__(self):\n        return True\n"
HOSTILE = {
    "equal to everything": EQUAL + "def f(x):\n    return E()\n",
    "a list that says so": "class L(list):\n    __eq__ = lambda *_: True\ndef f(x):\n    return L([1])\n",
    "an integer that says so": "class I(int):\n    __eq__ = lambda *_: True\ndef f(x):\n    return I(5)\n",
    "a text that says so": "class S(str):\n    __eq__ = lambda *_: True\ndef f(x):\n    return S('a')\n",
    "a dictionary that says so": "class D(dict):\n    __eq__ = lambda *_: True\ndef f(x):\n    return D({1: 2})\n",
    "an integer that converts to another": (
        "class I(int):\n    __int__ = __index__ = __trunc__ = lambda self: 4\n    __eq__ = lambda *_: True\n"
        "def f(x):\n    return I(5)\n"
    ),
    "exit": "import sys\ndef f(x):\n    sys.exit(0)\n",
    "exit at once": "import os\ndef f(x):\n    os._exit(0)\n",
    "exit while it is loaded": "import sys\nsys.exit(0)\ndef f(x):\n    return 4\n",
    "a skipped test": "import unittest\ndef f(x):\n    raise unittest.SkipTest('no')\n",
    "a skipped test by name": "class SkipTest(Exception):\n    pass\ndef f(x):\n    raise SkipTest\n",
    "an expected failure": "import unittest.case\ndef f(x):\n    raise unittest.case._ShouldStop\n",
    "a patched test library": (
        "import unittest\nunittest.TestCase.run = lambda self, result=None: None\n"
        "unittest.TestResult.addFailure = unittest.TestResult.addError = lambda *_: None\n"
        "unittest.TestCase.assertEqual = unittest.TestCase.assertTrue = lambda *_: None\ndef f(x):\n    return 0\n"
    ),
    "a failed assertion": "def f(x):\n    raise AssertionError\n",
    "the end of the program": "def f(x):\n    raise SystemExit(0)\n",
    "a keyboard": "def f(x):\n    raise KeyboardInterrupt\n",
    "the end of an iterator": "def f(x):\n    raise StopIteration(4)\n",
    "no function": "f = 4\n",
    "nothing": "",
    "no Python": "def f(x:\n",
    "printing": "def f(x):\n    while True:\n        print('x' * 10000)\n",
    "memory": "def f(x):\n    held = []\n    while True:\n        held.append(bytearray(1 << 20))\n",
    "numbers without end": "import itertools\ndef f(x):\n    return itertools.count()\n",
    "an iterator that waits": "import time\ndef f(x):\n    while True:\n        yield time.sleep(1)\n",
    "a large answer": "def f(x):\n    return [0] * 2_000_000\n",
    "a larger one": "def f(x):\n    return 'x' * (20 << 20)\n",
    "a deep one": "def f(x):\n    a = []\n    for _ in range(5000):\n        a = [a]\n    return a\n",
    "a signalling not-a-number": "from decimal import Decimal\ndef f(x):\n    return Decimal('sNaN')\n",
    "an answer of no call": forge("frames({'id': 2, 'r': 4}, {'id': 3, 'r': 9})"),
    "answers ahead": forge("frames({'id': 1, 'r': 4}, {'id': 2, 'r': 9})"),
    "tests that passed": forge("frames({'id': 1, 'r': None}, {'id': 1, 'cb': 0, 'args': []})"),
    "a function that it was not given": forge("frames({'id': 1, 'cb': 0, 'args': [2]})"),
    "an object that it was not given": forge("frames({'id': 1, 'r': {'t': 'gr', 'v': 0}})"),
    "an object of its own making": forge("frames({'id': 1, 'r': {'t': 'g', 'c': 'int', 'n': 0, 'v': []}})"),
    "states of objects": forge("frames({'id': 1, 'r': 4, 'g': [[0, [['value', 4]]]]})"),
    "an unknown tag": forge("frames({'id': 1, 'r': {'t': 'p', 'v': ['int', 0]}})"),
    "no frame": forge("os.write(4, b'garbage' * 9)"),
}


@pytest.mark.parametrize("suite", [PLAIN, OBJECTS, SECRET, METHODS], ids=["plain", "objects", "secret", "methods"])
@pytest.mark.parametrize("source", HOSTILE.values(), ids=HOSTILE)
def test_no_hostile_solution_passes(judge: Judging, suite: Suite, source: str) -> None:
    """Whatever a solution does, tests that it does not satisfy are its failure."""
    result = judge(suite, source, wall_seconds=1.5)

    assert result.verdict is Verdict.FAIL, result.reason


CHANGES = {
    "no name": "setattr(x, 'not a name', 1)",
    "a class": "x.__dict__['__class__'] = 4",
    "an equality": "x.__dict__['__eq__'] = 4",
    "a dictionary": "x.__dict__['__dict__'] = {'value': 4}",
    "much": "x.value = ['x' * 1000] * 100_000",
    "many": "x.__dict__.update({f'a{n}': n for n in range(300_000)})",
    "itself": "x.value = [x] * 1000",
    "without end": "x.value = iter(int, 1)",
    "deeply": "x.value = a = []\n    for _ in range(3000):\n        a.append([])\n        a = a[0]",
    "nothing": "x.__dict__.clear()",
    "another class": "x.__class__ = type('Other', (), {'__eq__': lambda *_: True})",
    "its class": "type(x).__eq__ = lambda *_: True",
}


@pytest.mark.slow
@pytest.mark.parametrize("act", CHANGES.values(), ids=CHANGES)
def test_what_is_done_to_an_object_of_the_tests_satisfies_no_test_of_others(judge: Judging, act: str) -> None:
    """The attributes of an object that was passed are all that a solution can change on the other side."""
    suite = check(
        "a, b = Node(2), Node(2)",
        "candidate(a)",
        "assert type(a) is Node and a != b and b.value == 2",
        "assert b.value == 'never'",
        before=_NODE,
    )

    result = judge(suite, f"def f(x):\n    {act}\n    return 4\n", wall_seconds=3)

    assert result.verdict is Verdict.FAIL, result.reason
    assert not any(finding.check is None for finding in result.findings)


OWN = "class X:\n    def __init__(self):\n        self.value = 2\nx = [X() for _ in range(9)]\ncalls = []\n"
IMPOSTORS = {
    "the same one each time": OWN + "def f(node):\n    return x[0]\n",
    "one after the other": OWN + "def f(node):\n    calls.append(0)\n    return x[len(calls) - 1]\n",
    "in a list": OWN + "def f(node):\n    return [x[0]]\n",
    "in an argument": OWN + "def f(node):\n    node.value = x[0]\n    return node.value\n",
    "of the tests' class by name": OWN + "class Node(X):\n    pass\ndef f(node):\n    return Node()\n",
    "by a number below zero": forge("frames({'id': 1, 'r': {'t': 'h', 'c': 'Node', 'v': -1}})"),
    "by the tests' number": forge("frames({'id': 1, 'r': {'t': 'h', 'c': 'Node', 'v': 0}})"),
}


@pytest.mark.parametrize("source", IMPOSTORS.values(), ids=IMPOSTORS)
@pytest.mark.parametrize("last", ["got is a", "got == a", "got.value == 2", "got[0] is a", "a.value is a"])
def test_no_object_of_the_solution_passes_for_one_of_the_tests(judge: Judging, source: str, last: str) -> None:
    """A number names an object in the program that gave it, and in no other."""
    suite = check(
        "kept = Node(2)", "a = Node(2)", "candidate(kept)", "got = candidate(a)", f"assert {last}", before=_NODE
    )

    assert judge(suite, source).verdict is Verdict.FAIL


def test_a_frame_of_its_own_is_an_answer_like_any_other(judge: Judging) -> None:
    """Control: what the forgeries below write does arrive, and counts where an honest worker could have written it."""
    result = judge(check("assert candidate(2) == 4"), forge("frames({'id': 1, 'r': 4}); import time; time.sleep(60)"))

    assert result.verdict is Verdict.PASS


@pytest.mark.parametrize("number", [1, 7, -1, True, "0", 1 << 62])
@pytest.mark.parametrize("where", ["answer", "states"])
def test_an_object_that_was_never_sent_is_tampering(judge: Judging, number: object, where: str) -> None:
    """A number that the tests have not sent names nothing, whether in an answer or in states."""
    forged: dict[str, dict[str, object]] = {
        "answer": {"id": 1, "r": {"t": "gr", "v": number}},
        "states": {"id": 1, "r": 4, "g": [[number, []]]},
    }
    suite = check("a = Node(2)", "assert candidate(a) == 4", before=_NODE)

    result = judge(suite, forge(f"frames({forged[where]!r}); import time; time.sleep(60)"))

    assert result.verdict is Verdict.FAIL
    assert [finding.failure_class for finding in result.findings] == [FailureClass.VERDICT_TAMPERING]
    assert "frame" not in result.findings[0].message


def test_an_object_that_was_sent_may_come_back(judge: Judging) -> None:
    """Control: with the number of an object that it was given, the same frame is an answer."""
    suite = check("a = Node(2)", "assert candidate(a) is a and a.value == 5", before=_NODE)
    answer = {"id": 1, "r": {"t": "gr", "v": 0}, "g": [[0, [["value", 5]]]]}

    assert judge(suite, forge(f"frames({answer!r}); import time; time.sleep(60)")).verdict is Verdict.PASS


def test_tests_that_no_answer_lets_end_fail_the_solution(judge: Judging) -> None:
    """Where an answer makes the tests themselves run out of memory, the solution is to blame."""
    suite = check("size = candidate(1)", "assert len(bytearray(size)) == 1")

    result = judge(suite, "def f(x):\n    return 1 << 34\n")

    assert result.verdict is Verdict.FAIL


ALL = {
    "map": "assert all(map(lambda n: candidate(n) == n * n, [2, 3, 4]))",
    "a sum": "assert sum(map(candidate, [])) == sum(map(candidate, [1, 2]))",
    "a loop over calls": "for value in iter(lambda: candidate(2), None):\n    assert value == 4",
    "a list of calls": "for value in map(candidate, [2]):\n    assert value == 4",
}


@pytest.mark.parametrize("ending", ["StopIteration", "StopAsyncIteration", "type('Stop', (StopIteration,), {})"])
@pytest.mark.parametrize("line", ALL.values(), ids=ALL)
def test_no_exception_of_a_solution_ends_a_loop_of_the_tests(judge: Judging, line: str, ending: str) -> None:
    """What a solution raises to say that nothing follows is an exception like any other."""
    assert judge(check(line), f"def f(x):\n    raise {ending}\n").verdict is Verdict.FAIL


@pytest.mark.parametrize(
    "line",
    ["assert candidate(1)", "assert not candidate(1)", "assert len(candidate(1))", "assert [*candidate(1)] == []"],
)
def test_an_object_of_the_solution_is_neither_true_nor_false(judge: Judging, line: str) -> None:
    """Tests that look at what only the solution's own code could answer do not hold."""
    assert judge(check(line), EQUAL + "def f(x):\n    return E()\n").verdict is Verdict.FAIL


def test_what_a_worker_left_behind_reaches_no_test(judge: Judging) -> None:
    """A process that a solution starts is no part of its answer, and a finding."""
    source = "import os, time\ndef f(x):\n    if not os.fork():\n        time.sleep(60)\n    return x * x\n"

    result = judge(PLAIN, source)

    assert result.verdict is Verdict.FAIL


def test_after_the_end_every_test_that_was_planned_is_a_finding(judge: Judging) -> None:
    """Assertions behind the one over which the worker ended have no answer, and fail."""
    suite = asserts("assert f(1) == 1", "assert f(2) == 2", "assert f(3) == 3")

    result = judge(suite, "import os\ndef f(x):\n    if x == 2:\n        os._exit(0)\n    return x\n")

    assert [finding.check for finding in result.findings] == ["assert-2", "assert-3"]
