"""Laws of classes of `unittest` that run apart from the solution: as the library runs them, or not at all."""

from __future__ import annotations

import pytest

from codegen_eval.suite.run import count_tests
from codegen_eval.verdict import FailureClass, Verdict
from suite_bench import Judging, asserts, cases, make_problem, make_suite

RIGHT = "def f(x):\n    if x < 0:\n        raise ValueError('below zero')\n    return x * x\n"
OFF_BY_ONE = "def f(x):\n    if x < 0:\n        raise ValueError('below zero')\n    return x * x + (x > 2)\n"
HOLDS = {
    "setUp and tearDown": """
def setUp(self):
    self.x = 2
def tearDown(self):
    assert f(self.x) == 4
def test_it(self):
    self.assertEqual(f(self.x), 4)
""",
    "what is set up for the class, once": """
calls = []
@classmethod
def setUpClass(cls):
    cls.calls.append(f(1))
@classmethod
def tearDownClass(cls):
    assert cls.calls == [1]
def test_one(self):
    self.assertEqual(self.calls, [1])
def test_two(self):
    self.assertEqual(self.calls, [1])
""",
    "tests share their class, in the order of their names": """
seen = []
def test_b(self):
    self.assertEqual(self.seen, [4])
def test_a(self):
    self.seen.append(f(2))
""",
    "subtests": """
def test_all(self):
    for x in range(3):
        with self.subTest(x=x):
            self.assertEqual(f(x), x * x)
""",
    "an exception of the solution": """
def test_below(self):
    with self.assertRaises(ValueError) as caught:
        f(-1)
    self.assertEqual(str(caught.exception), "below zero")
    self.assertRaisesRegex(ValueError, "below", f, -2)
""",
    "nearly equal": """
def test_near(self):
    self.assertAlmostEqual(f(0.1), 0.01)
    self.assertNotAlmostEqual(f(0.1), 0.02)
""",
    "containers": """
def test_lists(self):
    self.assertListEqual([f(1), f(2)], [1, 4])
    self.assertDictEqual({1: f(1)}, {1: 1})
    self.assertCountEqual([f(2), f(1)], [1, 4])
    self.assertIsInstance(f(1), int)
    self.assertGreater(f(3), 8)
""",
    "cleanups": """
def test_it(self):
    self.addCleanup(lambda: self.assertEqual(f(3), 9))
    self.assertEqual(f(2), 4)
""",
    "an expected failure": """
@unittest.expectedFailure
def test_not(self):
    self.assertEqual(f(2), 5)
""",
}
FAILS = {
    "one of many": "def test_a(self):\n    self.assertEqual(f(2), 4)\ndef test_b(self):\n    self.assertEqual(f(3), 9)",
    "one subtest": HOLDS["subtests"].replace("range(3)", "range(4)"),
    "a cleanup": HOLDS["cleanups"],
    "the end of the class": "@classmethod\ndef tearDownClass(cls):\n    assert f(3) == 9\ndef test_it(self):\n    f(1)",
    "the start of the class": "@classmethod\ndef setUpClass(cls):\n    assert f(3) == 9\ndef test_it(self):\n    f(1)",
    "an exception that does not come": "def test_it(self):\n    with self.assertRaises(ValueError):\n        f(3)",
    "another exception than the one": "def test_it(self):\n    with self.assertRaises(KeyError):\n        f(-3)",
    "not near": "def test_it(self):\n    self.assertAlmostEqual(f(3), 9)",
}
NO_PASS = {
    "skipped": "@unittest.skip('no')\ndef test_it(self):\n    f(1)",
    "skipped by itself": "def test_it(self):\n    self.skipTest('no')",
    "a subtest that is skipped": "def test_it(self):\n    with self.subTest():\n        self.skipTest('no')",
    "skipped while it is set up": "def setUp(self):\n    self.skipTest('no')\ndef test_it(self):\n    f(1)",
    "a class that is skipped": (
        "import unittest\n@unittest.skip('no')\n"
        "class TestCases(unittest.TestCase):\n    def test_it(self):\n        f(1)\n"
    ),
    "a class that skips itself": (
        "@classmethod\ndef setUpClass(cls):\n    raise unittest.SkipTest('no')\ndef test_it(self):\n    f(1)"
    ),
    "a success that was not expected": "@unittest.expectedFailure\ndef test_it(self):\n    self.assertEqual(f(2), 4)",
    "tests that are not seen": "def test_it(self):\n    f(1)\nlocals()['test_' + 'other'] = test_it",
    "tests that are seen and are none": "def test_it(self):\n    f(1)\ndel test_it",
    "no class": "class TestCases:\n    def test_it(self):\n        f(1)\n",
    "the end of the program": "def test_it(self):\n    raise SystemExit(0)",
    "no Python": "def test_it(self):\n    f(1) this is not Python",
}
DEEDS = {
    "a file": ("open('x', 'w').close()", "files"),
    "a folder": ("import os, tempfile; tempfile.mkdtemp()", "files"),
    "a place": ("import os; os.chdir('/')", "folder"),
    "a variable": ("import os; os.environ['X'] = '1'", "environment"),
    "a stream": ("import io, sys; sys.stdin = io.StringIO('1')", "streams"),
    "arguments": ("import sys; sys.argv = ['a', 'b']", "streams"),
    "a builtin": ("import builtins; builtins.input = lambda *_: '1'", "streams"),
}


@pytest.mark.parametrize("body", HOLDS.values(), ids=HOLDS)
def test_what_holds_beside_the_solution_holds_apart(judge: Judging, body: str) -> None:
    """Fixtures, subtests, cleanups and every kind of assertion see the solution's values and exceptions."""
    result = judge(cases(body), RIGHT)

    assert (result.verdict, result.findings) == (Verdict.PASS, ())


@pytest.mark.parametrize("body", FAILS.values(), ids=FAILS)
def test_what_does_not_hold_is_a_failure(judge: Judging, body: str) -> None:
    """Wherever in a test or its fixtures something does not hold, the solution fails; one that is right passes."""
    result = judge(cases(body), OFF_BY_ONE)

    assert result.verdict is Verdict.FAIL, result.reason
    assert {finding.failure_class for finding in result.findings} == {FailureClass.WRONG_LOGIC}


@pytest.mark.parametrize("body", [FAILS[name] for name in FAILS if "exception" not in name])
def test_the_same_tests_hold_for_a_right_solution(judge: Judging, body: str) -> None:
    """Control: it is the wrong answer that fails there."""
    assert judge(cases(body), RIGHT).verdict is Verdict.PASS


def test_each_method_is_a_test_of_its_own(judge: Judging) -> None:
    """Findings name the methods that fail, with the call and the answer; those behind go on."""
    suite = cases("\n".join(f"def test_{x}(self):\n    self.assertEqual(f({x}), {x * x})" for x in range(5)))

    result = judge(suite, OFF_BY_ONE)

    assert (count_tests(suite), result.facts["tests"]) == (5, 5)
    assert [(finding.check, finding.input, finding.actual) for finding in result.findings] == [
        ("TestCases.test_3", "3", "10"),
        ("TestCases.test_4", "4", "17"),
    ]


@pytest.mark.parametrize("body", NO_PASS.values(), ids=NO_PASS)
def test_a_test_that_did_not_run_is_no_pass(judge: Judging, body: str) -> None:
    """Skipped tests, tests that nobody planned and tests that are not there pass no solution."""
    assert judge(cases(body), RIGHT).verdict is not Verdict.PASS


@pytest.mark.parametrize("where", ["setUp", "test_a"])
@pytest.mark.parametrize(("deed", "word"), DEEDS.values(), ids=DEEDS)
def test_a_call_behind_what_was_done_to_one_process_tells_nothing(
    judge: Judging, deed: str, word: str, where: str
) -> None:
    """Tests that prepare their own process for a solution that is elsewhere pass none, also where they look away."""
    asks = "def test_b(self):\n    try:\n        f(1)\n    except Exception:\n        pass"
    body = f"def {where}(self):\n    {deed}\n{asks}"

    (finding,) = [each for each in judge(cases(body), RIGHT).findings if each.check == "TestCases.test_b"]

    assert word in finding.message


@pytest.mark.parametrize(
    "use",
    ["@patch('a.b')", "@mock.patch('a.b')", "@patch.object(a, 'b')", "with patch.dict(a):\n        pass\n    if 1:"],
)
def test_tests_that_replace_names_are_refused_unrun(use: str) -> None:
    """A replaced name is none in the solution's process: such tests are left out with the reason, and not tried."""
    imported = "import unittest\nfrom unittest import mock\nfrom unittest.mock import (Mock, patch)\n"
    text = f"{imported}class TestCases(unittest.TestCase):\n    def test_a(self):\n        f(1)\n"
    plain, patching = cases(text), cases(text.replace("    def", f"    {use}\n    def"))

    assert plain.unusable is None
    assert "replace names" in (patching.unusable or "")
    assert "replace names" in (cases(text.replace("patch)", "patch as p)")).unusable or "")


def test_tests_that_seed_the_solution_s_random_numbers_are_refused() -> None:
    """Where the canonical solution draws without a seed of its own, that of the tests would be for another process."""
    body = "def test_a(self):\n    import random\n    random.seed(1)\n    self.assertEqual(f(1), 3)"
    draws = "import random\ndef f(x):\n    return random.randint(0, x)\n"

    assert "seed" in (cases(body, canonical=draws).unusable or "")
    assert cases(body.replace("random.seed(1)", "pass"), canonical=draws).unusable is None
    assert cases(body, canonical="def f(x):\n    return 3\n").unusable is None
    assert cases(body, canonical=draws.replace("    return", "    random.seed(x)\n    return")).unusable is None


def test_no_tests_are_an_error(judge: Judging) -> None:
    """A class without a test that can be seen says nothing of anybody."""
    assert judge(cases("x = 1"), RIGHT).verdict is Verdict.ERROR
    assert "no tests" in (cases("x = 1").unusable or "")


def test_after_the_end_every_method_is_a_finding(judge: Judging) -> None:
    """Methods behind the one over which the worker ended have no answer, and fail."""
    suite = cases("\n".join(f"def test_{x}(self):\n    self.assertEqual(f({x}), {x})" for x in range(4)))

    result = judge(suite, "import os\ndef f(x):\n    if x == 1:\n        os._exit(0)\n    return x\n")

    assert [finding.check for finding in result.findings] == [f"TestCases.test_{x}" for x in (1, 2, 3)]


def test_helpers_of_the_canonical_program_are_there(judge: Judging) -> None:
    """Names that its program defines or imports are in the scope of the classes; the solution's are not."""
    canonical = "import math\nLIMIT = 3\ndef f(x):\n    return min(x, LIMIT)\n"
    tests = cases("def test_it(self):\n    self.assertEqual(f(9), LIMIT + math.floor(0.5))").tests
    suite = make_suite(tests, problem=make_problem(canonical=canonical, uses=("LIMIT", "math")))

    assert judge(suite, canonical).verdict is Verdict.PASS
    assert judge(suite, "LIMIT = math = 9\ndef f(x):\n    return LIMIT\n").verdict is Verdict.FAIL


def test_differences_of_large_answers_take_no_time(judge: Judging) -> None:
    """Nobody reads what the library would say of two long lists, and it is not computed."""
    suite = cases("def test_it(self):\n    self.assertEqual(f(1), [str(n) for n in range(3000)])")

    result = judge(suite, "def f(x):\n    return [str(n * 7 % 3001) for n in range(3000)]\n")

    assert [finding.message for finding in result.findings] == ["an assertion does not hold"]


def test_other_forms_are_not_looked_at(judge: Judging) -> None:
    """Assertions may make files of their own: only classes of `unittest` are held to what they do to their process."""
    suite = asserts("open('x', 'w').close()", "assert f(2) == 4")

    assert judge(suite, RIGHT).verdict is Verdict.PASS
