"""What tests see of an exception that a solution raises, and of an answer that does not reach them."""

from __future__ import annotations

import pytest

from codegen_eval.suite import Suite
from codegen_eval.verdict import Verdict
from suite_bench import Judging, asserts, check, forge, runs

_CAUGHT = "try:\n    candidate(-1)\nexcept Exception:\n    pass\nelse:\n    raise AssertionError('nothing was raised')"
_ANYHOW = "try:\n    candidate(-1)\nexcept {0}:\n    pass\nelse:\n    raise AssertionError('nothing was raised')"
_SAYS = "try:\n    candidate(-1)\nexcept {0} as exc:\n    assert {1}, exc\nelse:\n    raise AssertionError('nothing')"
_RAISE = "def f(x):\n    if x < 0:\n        {0}\n    return x\n"
_OWN = "class S:\n    pass\n"

PAIRS: list[tuple[str, Suite, str, str]] = [
    *(
        (f"what is in {name}", check(_SAYS.format(error, test)), _RAISE.format(f"import json\n        {right}"), wrong)
        for name, error, test, right, wrong in (
            (
                "an end",
                "SystemExit",
                "exc.code == 2",
                "raise SystemExit(2)",
                _RAISE.format("raise SystemExit('2')"),
            ),
            ("an end without", "SystemExit", "exc.code is None", "exit()", _RAISE.format("raise SystemExit(0)")),
            ("a key", "KeyError", "str(exc) == repr('k')", "raise KeyError('k')", _RAISE.format("raise KeyError('l')")),
            (
                "its arguments",
                "ValueError",
                "exc.args == ('a', 1)",
                "raise ValueError('a', 1)",
                _RAISE.format("raise ValueError('a', '1')"),
            ),
            (
                "a text that is none",
                "UnicodeDecodeError",
                "exc.start == 1",
                "b'a\\xff'.decode()",
                _RAISE.format("b'\\xff'.decode()"),
            ),
            (
                "an exception of a library",
                "__import__('json').JSONDecodeError",
                "'Expecting value' in str(exc)",
                "json.loads('')",
                _RAISE.format("raise ValueError('Expecting value')"),
            ),
        )
    ),
    (
        "the text of an exception of its own",
        check(_SAYS.format("ValueError", "str(exc) == 'bad 5'")),
        (
            "class E(ValueError):\n    def __init__(self, n):\n        super().__init__(n)\n"
            "    def __str__(self):\n        return f'bad {self.args[0]}'\ndef f(x):\n    raise E(5)\n"
        ),
        "def f(x):\n    raise ValueError(5)\n",
    ),
    (
        "the file that is not there",
        check(_SAYS.format("FileNotFoundError", "exc.filename == '/nope' and '/nope' in str(exc)")),
        "def f(x):\n    open('/nope')\n",
        "def f(x):\n    open('/none')\n",
    ),
    (
        "a key of several parts",
        check(_SAYS.format("KeyError", "exc.args == ((1, 2),)")),
        "def f(x):\n    {}[1, 2]\n",
        "def f(x):\n    raise KeyError('(1, 2)')\n",
    ),
    (
        "where a text is no JSON",
        check(_SAYS.format("__import__('json').JSONDecodeError", "exc.pos == 1 and exc.lineno == 1")),
        "import json\ndef f(x):\n    json.loads('[')\n",
        "import json\ndef f(x):\n    json.loads('')\n",
    ),
    (
        "an answer that can not be made again",
        check(_CAUGHT),
        _RAISE.format("raise ValueError"),
        "import collections\nP = collections.namedtuple('P', 'a')\nP.__name__ = 'def'\ndef f(x):\n    return P(1)\n",
    ),
    (
        "an object of the tests as what is wrong",
        check(
            "a = S()", _SAYS.format("ValueError", "exc.args[0] is a").replace("-1", "a"), before="class S:\n    pass\n"
        ),
        "def f(x):\n    raise ValueError(x)\n",
        "def f(x):\n    raise ValueError(str(x))\n",
    ),
    (
        "an exception with much in it",
        check(_CAUGHT),
        _RAISE.format("raise ValueError(['x' * 1000] * 10_000)"),
        _RAISE.format("return ValueError"),
    ),
    (
        "an exception with what can not be sent",
        check(_CAUGHT),
        _RAISE.format("raise ValueError((1 / 0 for _ in [1]))"),
        _RAISE.format("return 1"),
    ),
    (
        "an exception derived from one of a library",
        check(_SAYS.format("__import__('json').JSONDecodeError", "str(exc) == 'mine'")),
        (
            "import json\nclass E(json.JSONDecodeError):\n    def __init__(self):\n        pass\n"
            "    def __str__(self):\n        return 'mine'\ndef f(x):\n    raise E\n"
        ),
        "def f(x):\n    raise ValueError('mine')\n",
    ),
    (
        "a warning that is raised",
        check(_SAYS.format("UserWarning", "str(exc) == 'w'")),
        "def f(x):\n    raise UserWarning('w')\n",
        "def f(x):\n    raise RuntimeError('w')\n",
    ),
    *(
        (f"{name} is no `Exception`", check(_CAUGHT), _RAISE.format("raise ValueError"), _RAISE.format(f"raise {name}"))
        for name in ("SystemExit", "KeyboardInterrupt", "GeneratorExit", "type('Own', (BaseException,), {})")
    ),
    (
        "the end of a program",
        check(_ANYHOW.format("SystemExit")),
        _RAISE.format("raise SystemExit(2)"),
        _RAISE.format("raise KeyboardInterrupt"),
    ),
    (
        "an answer that can't be sent",
        check(_ANYHOW.format("BaseException")),
        _RAISE.format("raise ValueError"),
        _RAISE.format("return 'x' * (9 << 20)"),
    ),
]


@pytest.mark.slow
@pytest.mark.parametrize(("suite", "right", "wrong"), [pair[1:] for pair in PAIRS], ids=[pair[0] for pair in PAIRS])
def test_tests_tell_the_right_exception_from_the_one_that_is_only_alike(
    judge: Judging, suite: Suite, right: str, wrong: str
) -> None:
    """What the tests of one program would see, they see across two."""
    assert judge(suite, right).findings == ()
    assert judge(suite, wrong).verdict is Verdict.FAIL


def test_an_answer_that_can_not_be_sent_is_told(judge: Judging) -> None:
    """The finding says what was lost, and the tests behind it are not reached."""
    result = judge(asserts("assert f(-1)", "assert f(2) == 2"), _RAISE.format("return 'x' * (9 << 20)"))

    assert [(finding.check, finding.message) for finding in result.findings] == [
        ("assert-1", "returned a value larger than 8 MiB, which does not reach the tests"),
        ("assert-2", "not reached: the worker had ended"),
    ]


@pytest.mark.parametrize("end", ["exit()", "quit()", "quit(0)", "raise SystemExit", "__import__('sys').exit(0)"])
def test_a_program_may_end_itself(judge: Judging, end: str) -> None:
    """What it printed before is its answer."""
    suite = runs(("1 2", "3"))

    assert judge(suite, f"print(sum(map(int, input().split())))\n{end}\nprint('more')\n").findings == ()


def test_what_tests_raise_with_an_object_of_their_own_fails_the_solution(judge: Judging) -> None:
    """The message of an assertion may be anything: it goes nowhere."""
    suite = check("assert candidate(1) == 2, S()", before="class S:\n    pass\n")

    assert judge(suite, "def f(x):\n    return 2\n").findings == ()
    assert [finding.message for finding in judge(suite, "def f(x):\n    return 1\n").findings] == [
        "an assertion does not hold"
    ]


@pytest.mark.parametrize("module", ["os", "solution", "this", "json.decoder.nothing"])
def test_no_module_is_imported_that_is_not_known(judge: Judging, module: str) -> None:
    """An exception that says it is of another module is its builtin class, and no more."""
    answer = {"id": 1, "e": {"t": "E", "m": ["ValueError"], "s": "", "l": [module, "JSONDecodeError"]}}
    suite = check("import sys", "before = {*sys.modules}", _CAUGHT, "assert {*sys.modules} == before")

    assert judge(suite, forge(f"frames({answer!r}); import time; time.sleep(60)")).findings == ()
