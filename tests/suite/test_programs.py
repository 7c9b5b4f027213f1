"""Laws of programs that read standard input, of methods, and of inputs without answers."""

from __future__ import annotations

import json

import pytest

from codegen_eval.datasets.problem import FunctionalCase, FunctionalTests, InputTests
from codegen_eval.interfaces import WorkerLimits
from codegen_eval.suite import Suite
from codegen_eval.suite.program import around_program
from codegen_eval.task import PROGRAM
from codegen_eval.verdict import Verdict
from suite_bench import Judging, Pair, make_bench, make_problem, make_suite, runs

SUMS = runs(("1 2\n", "3"), ("10 20\n", "30"), ("5 5", "10\n"))
RIGHT = {
    "input": "a, b = map(int, input().split())\nprint(a + b)\n",
    "standard input": "import sys\nprint(sum(map(int, sys.stdin.read().split())))\n",
    "bytes": "import sys\nprint(sum(map(int, sys.stdin.buffer.readline().split())))\n",
    "descriptor 0": "print(sum(map(int, open(0).read().split())))\n",
    "descriptor 1": "import os\nos.write(1, str(sum(map(int, input().split()))).encode())\n",
    "the first standard output": "import sys\nprint(sum(map(int, input().split())), file=sys.__stdout__)\n",
    "as main": "def main():\n    print(sum(map(int, input().split())))\nif __name__ == '__main__':\n    main()\n",
    "exit": "import sys\nprint(sum(map(int, input().split())))\nsys.exit(0)\n",
    "an exit status that nobody looks at": "import sys\nprint(sum(map(int, input().split())))\nsys.exit(1)\n",
    "quit": "print(sum(map(int, input().split())))\nraise SystemExit\n",
    "a thread": "import threading\ndef main():\n    print(sum(map(int, input().split())))\n"
    "threading.Thread(target=main).start()\n",
    "at the end": "import atexit\natexit.register(lambda: print(sum(map(int, input().split()))))\n",
    "a recursion limit": "import sys\nsys.setrecursionlimit(10 ** 6)\nprint(sum(map(int, input().split())))\n",
    "a wrapped output": "import io, sys\nout = io.TextIOWrapper(sys.stdout.buffer)\n"
    "out.write(str(sum(map(int, input().split()))))\nout.flush()\n",
    "a wrapped output that nobody flushes": "import io, sys\nout = io.TextIOWrapper(sys.stdout.buffer)\n"
    "out.write(str(sum(map(int, input().split()))))\n",
    "streams in a with statement": "import sys\nwith sys.stdin as i, sys.stdout as o:\n"
    "    o.write(str(sum(map(int, i.read().split()))))\n",
    "an output that it closes": "import sys\nprint(sum(map(int, input().split())))\nsys.stdout.close()\n",
    "an output that it detaches": "import sys\nprint(sum(map(int, input().split())))\nsys.stdout.detach()\n",
    "an executor that nobody shuts down": "from concurrent.futures import ThreadPoolExecutor\n"
    "a = input()\nThreadPoolExecutor(1).submit(lambda: print(sum(map(int, a.split()))))\n",
    "a thread of a thread": "import threading, time\n"
    "def g():\n    time.sleep(0.2)\n    print(sum(map(int, input().split())))\n"
    "def f():\n    time.sleep(0.1)\n    threading.Thread(target=g).start()\nthreading.Thread(target=f).start()\n",
    "a generator's end": "def g():\n    try:\n        yield\n    finally:\n        print(s)\n"
    "s = sum(map(int, input().split()))\nx = g()\nnext(x)\n",
    "an object's end": "a = sum(map(int, input().split()))\n"
    "class A:\n    def __del__(self):\n        print(a)\nx = A()\n",
    "its own module": "import __main__, pickle\nclass A:\n    pass\npickle.dumps(A())\ndef f():\n"
    "    print(sum(map(int, input().split())))\n__main__.f()\n",
    "names that it changes": "import builtins, contextlib, sys\nprint(sum(map(int, input().split())), flush=True)\n"
    "contextlib.suppress = builtins.open = None\ndel sys.stdout, sys.__stdout__\n",
    "a mark before it": "\ufeffprint(sum(map(int, input().split())))\n",
    "another folder": "import os\nos.chdir('/')\nprint(sum(map(int, input().split())))\n",
    "its own name": "import os\nassert os.path.dirname(os.path.abspath(__file__))\n"
    "print(sum(map(int, input().split())))\n",
    "a flushed output": "import sys\nsys.stdout.write(str(sum(map(int, input().split()))))\nsys.stdout.flush()\n",
}
WRONG = {
    "another answer": "print(3)\n",
    "nothing": "",
    "an exception": "print(sum(map(int, input().split())))\nraise ValueError\n",
    "more than asked": "print(sum(map(int, input().split())))\nprint('debug')\n",
    "no end": "print(sum(map(int, input().split())))\nwhile True:\n    pass\n",
    "an end at once": "import os\nprint(sum(map(int, input().split())), flush=True)\nos._exit(0)\n",
    "output without end": "while True:\n    print('x' * 100_000)\n",
    "an answer of its own": "def run_program(text):\n    return 3\n",
}


@pytest.mark.parametrize("source", RIGHT.values(), ids=RIGHT)
def test_a_program_may_read_and_print_in_every_usual_way(judge: Judging, source: str) -> None:
    """What a program prints by its end is its answer, however it reads and prints."""
    result = judge(SUMS, source)

    assert (result.verdict, result.findings) == (Verdict.PASS, ())


@pytest.mark.parametrize("source", WRONG.values(), ids=WRONG)
def test_a_program_that_prints_otherwise_fails(judge: Judging, source: str) -> None:
    """Another output, an exception or no end fail."""
    assert judge(SUMS, source, wall_seconds=1.5).verdict is Verdict.FAIL


def test_no_run_sees_what_another_left(judge: Judging) -> None:
    """Each run has a worker of its own: no module, file or memory of the one before."""
    source = (
        "import builtins, os, sys\n"
        "seen = hasattr(builtins, 'mark') or os.path.exists('mark') or 'mark' in sys.modules\n"
        "builtins.mark = 1\nsys.modules['mark'] = sys\nopen('mark', 'w').close()\nprint(seen)\n"
    )

    assert judge(runs(("", "False"), ("", "False"), ("", "False")), source).verdict is Verdict.PASS


def functional(owner: str | None) -> Suite:
    """Return a suite of calls of `f`."""
    cases = tuple(
        FunctionalCase(arguments=(json.dumps(n), '"ab"'), expected=json.dumps([n, n * "ab"])) for n in (0, 1, 3)
    )
    return make_suite(FunctionalTests(owner=owner, cases=cases))


@pytest.mark.parametrize(
    ("owner", "source", "verdict"),
    [
        (None, "def f(n, s):\n    return [n, n * s]\n", Verdict.PASS),
        (None, "def f(n, s):\n    return n, n * s\n", Verdict.PASS),
        (None, "def f(n, s):\n    return [n, s]\n", Verdict.FAIL),
        ("Solution", "class Solution:\n    def f(self, n, s):\n        return [n, n * s]\n", Verdict.PASS),
        ("Solution", "def f(n, s):\n    return [n, n * s]\n", Verdict.PASS),
        ("Solution", "class Solution:\n    def f(self, n, s):\n        return [n, s]\n", Verdict.FAIL),
        ("Solution", "class Solution:\n    pass\n", Verdict.FAIL),
        (
            "Solution",
            "class Solution:\n    def f(self, n, s):\n        self.n = 1\n        raise ValueError\n",
            Verdict.FAIL,
        ),
        ("Solution", "def call_method(*a):\n    return 1\n", Verdict.FAIL),
    ],
)
def test_functions_and_methods_are_called(judge: Judging, owner: str | None, source: str, verdict: Verdict) -> None:
    """A method of the class that the set names, or a function of that name; tuples count as lists."""
    assert judge(functional(owner), source).verdict is verdict


_SQUARE = "def f(x):\n    return [x * x]\n"


def inputs(canonical: str | None, *, plus: tuple[str, ...] = ("[3]", "[-4]")) -> Suite:
    """Return a suite of inputs whose answers the canonical solution knows."""
    return make_suite(InputTests(base=("[1]", "[2]"), plus=plus), problem=make_problem(canonical=canonical))


def test_answers_are_those_of_the_canonical_solution(judge: Judging) -> None:
    """A solution that answers otherwise fails on just those inputs."""
    source = "def f(x):\n    return [x * x] if x > 0 else [0]\n"

    assert judge(inputs(_SQUARE), _SQUARE).verdict is Verdict.PASS
    assert [finding.check for finding in judge(inputs(_SQUARE), source).findings] == ["plus-2"]


def test_an_answer_too_large_to_compare_counts_for_nobody(judge: Judging) -> None:
    """Where the canonical solution's answer is larger than what is read, its input is left out."""
    canonical = "def f(x):\n    return 'x' * (9 << 20) if x == 3 else x\n"

    assert judge(inputs(canonical), "def f(x):\n    return x\n").verdict is Verdict.PASS
    assert judge(inputs(canonical), "def f(x):\n    return abs(x)\n").verdict is Verdict.FAIL


@pytest.mark.parametrize("form", ["{}", "[{}]", "{{'a': ({},)}}", "[iter([{}])]", "{{1: {}}}.items()"])
def test_an_answer_without_end_counts_for_nobody(judge: Judging, form: str) -> None:
    """Where the canonical solution yields for ever, anywhere in its answer, what was taken of it proves nothing."""
    program = "import itertools\ndef f(x):\n    return {} if x == 3 else iter([x])\n"
    canonical = program.format(form.format("itertools.count()"))
    other = program.format(form.format("itertools.chain(range(20000), [0])"))

    assert judge(inputs(canonical), other).verdict is Verdict.PASS
    assert judge(inputs(canonical), canonical).verdict is Verdict.PASS
    assert judge(inputs(canonical), "def f(x):\n    return iter([abs(x)])\n").verdict is Verdict.FAIL


@pytest.mark.parametrize("canonical", [None, "def f(x):\n    raise ValueError\n", "import os\nos._exit(0)\n", "f = ("])
def test_without_canonical_answers_nobody_is_blamed(judge: Judging, canonical: str | None) -> None:
    """Where the canonical solution gives no answers, that is an error with its reason."""
    result = judge(inputs(canonical), _SQUARE)

    assert (result.verdict, bool(result.reason)) == (Verdict.ERROR, True)


@pytest.mark.parametrize(
    "before",
    [
        "",
        "# no __future__ here\n",
        "from __future__ import annotations\n",
        '"""What it does."""\nfrom __future__ import (\n    annotations,\n    division,\n)\n',
        "from __future__ import annotations; import os\n",
        "'from __future__'\n",
        "'What it does.'; from __future__ import annotations\n",
        "from __future__ import annotations\nfrom __future__ import division\n",
        "from os import (\n    path as __future__,\n)\n",
    ],
)
def test_imports_of_the_set_stand_before_every_program(judge: Judging, before: str) -> None:
    """Behind what must come first, and whatever a comment or a text says."""
    case = FunctionalCase(arguments=("[3, 4]",), expected="7")
    problem = make_problem(preamble="from typing import *\nfrom functools import reduce\n")
    suite = make_suite(FunctionalTests(owner=None, cases=(case,)), problem=problem)
    source = before + "def f(x: List[int]) -> int:\n    return reduce(lambda a, b: a + b, x)\n"

    assert judge(suite, source).verdict is Verdict.PASS


def test_a_program_may_close_its_input_and_run_again(sandboxes: Pair) -> None:
    """Runs of one worker, as other layers make them, begin with an input of their own."""
    source = around_program("print(sum(int(line) for line in open(0)))\n")
    bench = make_bench(SUMS, source, sandboxes)
    candidate = bench.unloaded(entry_point=PROGRAM)
    candidate.load(source, WorkerLimits(cpu_seconds=2.0))

    assert [candidate(text) for text in ("1\n2\n", "3\n", "")] == ["3\n", "3\n", "0\n"]
