"""Laws of hostile tests: they reach neither this machine nor a verdict on anybody's solution."""

from __future__ import annotations

from pathlib import Path

import pytest

from codegen_eval.layers.unit import Unit
from codegen_eval.sandbox import wire
from codegen_eval.suite import Suite
from codegen_eval.suite.run import count_tests
from codegen_eval.verdict import Verdict
from suite_bench import Judging, Pair, asserts, cases, check, make_bench

RIGHT = "def f(x):\n    return x\n"
HOSTILE = {
    "exit": check("import sys", "sys.exit(0)"),
    "exit at once": check("import os", "candidate(1)", "os._exit(0)"),
    "much output": check("import sys", "while True:", "    sys.stdout.write('x' * 100_000)", "    candidate(1)"),
    "memory": check("held = []", "while True:", "    held.append(bytearray(1 << 20))"),
    "answers without end": check("while True:", "    candidate(1)"),
    "a large argument": check("candidate('x' * (30 << 20))"),
    "a deep argument": check("a = []", "for _ in range(5000):", "    a = [a]", "candidate(a)", "assert False"),
    "no argument": check("candidate(object())", "assert False"),
    "an assertion": check("assert False"),
    "garbage": check("import os", "os.write(4, b'garbage' * 100)", "os.write(3, b'garbage')", "candidate(1)"),
    "frames": check(
        "import json, os, struct",
        "body = json.dumps({'id': 1, 'cb': 7, 'args': []}).encode()",
        "for fd in range(3, 20):",
        "    try:",
        f"        os.write(fd, struct.pack({wire.FRAME.format!r}, len(body)) + body)",
        "    except OSError:",
        "        pass",
    ),
    "not Python": check("this is not Python"),
    "a broken setup": asserts("assert f(1) == 1", setup="raise ValueError"),
}


@pytest.mark.parametrize(
    "suite",
    [
        pytest.param(suite, id=name, marks=pytest.mark.slow if name in {"much output", "answers without end"} else ())
        for name, suite in HOSTILE.items()
    ],
)
def test_hostile_tests_pass_nobody(judge: Judging, suite: Suite) -> None:
    """Tests that don't come to an end pass no solution, the canonical one neither: their problem is excluded by it."""
    result = judge(suite, RIGHT)

    assert result.verdict in {Verdict.FAIL, Verdict.ERROR}


def test_tests_see_no_file_of_ours_and_leave_none(judge: Judging, tmp_path: Path) -> None:
    """Tests can neither read what is in the user's folders nor write there."""
    secret, left = tmp_path / "secret", tmp_path / "left"
    secret.write_text("secret", encoding="utf-8")
    tmp_path.chmod(0o700)
    suite = asserts(
        f"assert open({str(secret)!r}).read() == 'secret'",
        f"assert open({str(left)!r}, 'w').write('x') == 1",
        "assert __import__('os').system('true') == 0",
        "assert f(1) == 1",
    )

    result = judge(suite, RIGHT)

    assert {finding.check for finding in result.findings} >= {"assert-1", "assert-2"}
    assert not left.exists()


def test_tests_of_one_solution_leave_nothing_to_those_of_the_next(judge: Judging) -> None:
    """What tests keep in memory or in their folder is gone when the next solution is judged there."""
    suite = asserts(
        "import builtins, os; assert not hasattr(builtins, 'mark') and not os.path.exists('mark')",
        "import builtins; builtins.mark = 1; open('mark', 'w').close(); assert f(1) == 1",
    )

    assert [judge(suite, RIGHT).verdict for _ in range(2)] == [Verdict.PASS, Verdict.PASS]


def test_tests_and_solution_are_in_different_places(judge: Judging) -> None:
    """The solution can't see the tests: not in its memory, not among the files or processes that it sees."""
    source = (
        "import os, sys\ndef f(x):\n    names = []\n    for top in ('/tmp', os.getcwd()):\n"
        "        for folder, _, files in os.walk(top):\n            names += files\n"
        "    import gc\n    texts = [o for o in gc.get_objects() if isinstance(o, dict) and 'NEEDLE' in o]\n"
        "    return len(texts), [n for n in names if 'NEEDLE' in n]\n"
    )
    suite = asserts("NEEDLE = 1; open('NEEDLE', 'w').close(); assert f(1) == (0, []), f(1)")

    assert judge(suite, source).verdict is Verdict.PASS


ACCIDENTS = {
    "a signal": check("import os", "candidate(1)", "os.kill(os.getpid(), 9)"),
    "a signal before anything is asked": check("import os", "os.kill(os.getpid(), 9)"),
    "a signal while they are loaded": asserts("assert f(1) == 1", setup="import os; os.kill(os.getpid(), 9)"),
    "what no worker sends": check(
        "import json, os, struct",
        "body = json.dumps({'id': 1, 'cb': 7, 'args': []}).encode()",
        "for fd in range(3, 20):",
        "    try:",
        f"        os.write(fd, struct.pack({wire.FRAME.format!r}, len(body)) + body)",
        "    except OSError:",
        "        pass",
        "while True:",
        "    pass",
    ),
}


@pytest.mark.parametrize("suite", ACCIDENTS.values(), ids=ACCIDENTS)
def test_an_accident_of_the_tests_is_no_failure_of_the_solution(judge: Judging, suite: Suite) -> None:
    """Where the tests' own worker ends by a signal, or says what no worker says, nobody is judged."""
    assert judge(suite, RIGHT).verdict is Verdict.ERROR


def test_an_accident_of_the_tests_is_worth_another_try(sandboxes: Pair) -> None:
    """It is told from what the tests do to themselves by running out of time or memory."""
    killed = make_bench(ACCIDENTS["a signal"], RIGHT, sandboxes)
    hungry = make_bench(HOSTILE["memory"], RIGHT, sandboxes)

    assert (Unit(killed).run().verdict, killed.tests_lost) == (Verdict.ERROR, True)
    assert (Unit(hungry).run().verdict, hungry.tests_lost) == (Verdict.FAIL, False)


UNTIL = check("n = 0", "while candidate(n) < 3:\n    n += 1", "assert n == 3", canonical=RIGHT)
UNTIL_IN_METHODS = cases(
    "def test_a(self):\n    n = 0\n    while f(n) < 3:\n        n += 1\ndef test_b(self):\n    assert f(1) == 1",
    canonical=RIGHT,
)
NEVER = "def f(x):\n    return 0\n"


@pytest.mark.slow
@pytest.mark.parametrize("suite", [UNTIL, UNTIL_IN_METHODS], ids=["check", "methods"])
def test_tests_that_ask_without_end_because_of_the_answers_fail_the_solution(judge: Judging, suite: Suite) -> None:
    """Where the canonical solution is asked a few times and another one without end, its answers are to blame."""
    result = judge(suite, NEVER, wall_seconds=2.0)

    assert judge(suite, RIGHT, wall_seconds=2.0).verdict is Verdict.PASS
    assert (result.verdict, result.reason) == (Verdict.FAIL, None)
    assert "did not come to an end on its answers" in result.findings[0].message
    assert len(result.findings) == count_tests(suite)


@pytest.mark.slow
def test_tests_that_ask_anybody_so_often_are_nobodys_failure(judge: Judging) -> None:
    """Where the canonical solution is asked as often, a solution whose time does not suffice for it is not to blame."""
    suite = check("for n in range(200_000):\n    candidate(n)", canonical=RIGHT)

    result = judge(suite, RIGHT, wall_seconds=2.0)

    assert (result.verdict, result.findings) == (Verdict.ERROR, ())
    assert "more often than its time allows" in (result.reason or "")


@pytest.mark.slow
def test_tests_that_ask_without_end_are_nobodys_failure(judge: Judging) -> None:
    """Calls that spend the solution's time by their number, and not by what each takes, are the tests' doing."""
    suite = check("while True:", "    candidate(1)")

    assert judge(suite, RIGHT, wall_seconds=2.0).verdict is Verdict.ERROR


def test_tests_that_end_while_they_are_loaded_are_nobodys_failure(judge: Judging) -> None:
    """A suite that says nothing of what it calls, or has no tests, is an error and no failure."""
    nameless = check("assert candidate(1) == 1")
    nameless = nameless.model_copy(
        update={"problem": nameless.problem.model_copy(update={"entry_point": "not a name"})}
    )

    assert judge(nameless, RIGHT).verdict is Verdict.ERROR


@pytest.mark.parametrize(
    ("suite", "runs"),
    [
        (check("import pickle", "assert pickle.loads(candidate(1)) == 1"), True),
        (check("from pickle import loads as read", "assert read(candidate(1)) == 1"), True),
        (check("import marshal as m", "assert __import__('sys') and marshal.loads(candidate(1)) == 1"), True),
        (check("assert eval(candidate(1)) == 1"), True),
        (check("exec (candidate(1))"), True),
        (asserts("assert eval(f(1)) == 1"), True),
        (asserts("assert f(1) == 1", setup="from dill import loads"), True),
        (check("import pickle", "assert candidate(1) == 1"), False),
        (check("assert candidate('eval') == 'pickle'  # exec(pickle)"), False),
        (check("assert candidate(1).eval() == 1"), False),
        (check("evaluate = 1", "assert candidate(evaluate) == 1"), False),
    ],
)
def test_tests_that_run_an_answer_can_not_be_used(suite: Suite, *, runs: bool) -> None:
    """A solution whose answer is run would decide what the tests find: their problem is excluded, with the reason."""
    assert (suite.unusable == "its tests run what a solution answers as a program") == runs
