# ruff: noqa: E501 - programs on one line each
"""The layers that call the candidate, in this process, over a real sandbox."""

from __future__ import annotations

import os
import shutil
import zlib
from pathlib import Path

import pytest

from codegen_eval.battery import sandboxed_layer
from codegen_eval.interfaces import Sandbox
from codegen_eval.judge.bench import Bench, Settings
from codegen_eval.judge.server import calibrate
from codegen_eval.judge.soundness import Soundness
from codegen_eval.judge.witness import WitnessCheck
from codegen_eval.resources import resource_root
from codegen_eval.solution import Solution, Strategy
from codegen_eval.task_loader import find_task
from codegen_eval.validation import corpus_source
from codegen_eval.verdict import FailureClass, LayerResult, Verdict


def bench_for(sandbox: Sandbox, task_id: str, source: str | None = None, name: str = "x") -> Bench:
    """Return a bench for one source; the reference by default."""
    task, _ = find_task(task_id)
    code = task.reference if source is None else source
    solution = Solution(id=name, task=task_id, strategy=None, model="", source=code)
    settings = Settings(wall_seconds=2.0, cpu_seconds=0.5, max_mutants=15)
    return Bench(sandbox=sandbox, task=task, solution=solution, settings=settings)


def run(layer: str, bench: Bench) -> LayerResult:
    return sandboxed_layer(layer, bench).run()


@pytest.mark.parametrize("task_id", ["fizzbuzz", "has_duplicates", "moving_average", "safe_calc", "list_files"])
def test_a_reference_passes(sandbox: Sandbox, task_id: str) -> None:
    """The reference passes unit and props, and mutation does not fail it."""
    bench = bench_for(sandbox, task_id)

    assert calibrate(bench).verdict is Verdict.PASS
    assert run("unit", bench).verdict is Verdict.PASS
    assert run("props", bench).verdict is Verdict.PASS
    assert run("mutation", bench).verdict in {Verdict.PASS, Verdict.SKIP}


HOSTILE = {
    "always-equal": "class E:\n    def __eq__(s, o): return True\n    def __hash__(s): return 0\n    def __len__(s): return 5\ndef fizzbuzz(n): return E()",
    "list-of-always-equal": "class E(str):\n    def __eq__(s, o): return True\n    def __hash__(s): return 0\ndef fizzbuzz(n): return [E()] * n",
    "exit": "import os\ndef fizzbuzz(n): os._exit(0)",
    "exit-while-loading": "import sys\nsys.exit(0)",
    "prints": "def fizzbuzz(n):\n    print('[\"1\"]', flush=True)",
    "patches-json": "import json, builtins, time\njson.dumps = lambda *a, **k: '[]'\njson.JSONEncoder.encode = lambda s, o: '{}'\nbuiltins.len = lambda x: 0\ntime.time = lambda: 0\ndef fizzbuzz(n): return []",
    "loops": "def fizzbuzz(n):\n    while True: pass",
    "sleeps": "import time\ndef fizzbuzz(n): time.sleep(60)",
    "eats-memory": "def fizzbuzz(n):\n    hoard = []\n    while True: hoard.append(bytearray(1 << 22))",
    "recurses": "def fizzbuzz(n): return fizzbuzz(n + 1)",
    "returns-100-mb": "def fizzbuzz(n): return 'x' * 10**8",
    "forks": "import os, time\ndef fizzbuzz(n):\n    if not os.fork(): time.sleep(60)\n    return []",
    "answers-unasked": "import os, struct\nbody = b'{\"id\":7,\"r\":[]}'\nos.write(4, struct.pack('!I', len(body)) + body)\ndef fizzbuzz(n): return []",
    "answers-twice": 'import os, struct\ndef fizzbuzz(n):\n    body = b\'{"id":1,"r":["1"]}\'\n    os.write(4, (struct.pack(\'!I\', len(body)) + body) * 2)\n    return []',
    "garbage": "import os\ndef fizzbuzz(n): os.write(4, b'\\xff' * 99)",
    "raises-system-exit": "def fizzbuzz(n): raise SystemExit(0)",
    "raises-assumption": "def fizzbuzz(n):\n    raise type('UnsatisfiedAssumption', (BaseException,), {})()",
    "no-entry-point": "x = 1",
    "syntax-error": "def fizzbuzz(n: return",
    "deep": "def fizzbuzz(n):\n    x = []\n    for _ in range(100000): x = [x]\n    return x",
    "huge-int": "def fizzbuzz(n): return 1 << 10**7",
    "flaky": "import itertools\nc = itertools.count()\ndef fizzbuzz(n): return [str(next(c))] * max(n, 0)",
}


@pytest.mark.slow
@pytest.mark.parametrize(
    "name",
    [pytest.param(name, marks=[pytest.mark.slow] if name in {"sleeps", "eats-memory"} else []) for name in HOSTILE],
)
def test_a_hostile_solution_fails(sandbox: Sandbox, name: str) -> None:
    """Whatever a solution tries, unit and props fail it with a finding; the next worker is unaffected."""
    bench = bench_for(sandbox, "fizzbuzz", HOSTILE[name])

    for layer in ("unit", "props"):
        result = run(layer, bench)
        assert result.verdict is Verdict.FAIL
        assert result.findings
        assert all(finding.message.isascii() for finding in result.findings)
    assert run("unit", bench_for(sandbox, "fizzbuzz")).verdict is Verdict.PASS


@pytest.mark.parametrize("name", ["answers-unasked", "answers-twice", "garbage"])
def test_a_forged_reply_is_named(sandbox: Sandbox, name: str) -> None:
    """What no honest worker sends is a finding of class verdict-tampering."""
    result = run("unit", bench_for(sandbox, "fizzbuzz", HOSTILE[name]))

    assert result.names(FailureClass.VERDICT_TAMPERING)


LINEAR_THEN_QUADRATIC = """
def has_duplicates(items):
    if len(items) < 4096:
        return len(set(items)) < len(items)
    return any(items[i] in items[:i] for i in range(len(items)))
"""
SLEEPS = """
import time
def has_duplicates(items):
    if len(items) > 4096: time.sleep(30)
    return len(set(items)) < len(items)
"""
GRANDCHILD = """
import os
def has_duplicates(items):
    if len(items) < 4096:
        return len(set(items)) < len(items)
    reader, writer = os.pipe()
    if not os.fork():
        os.setsid()
        if not os.fork():
            slow = any(items[i] in items[:i] for i in range(len(items)))
            os.write(writer, b'1' if slow else b'0')
        os._exit(0)
    return os.read(reader, 1) == b'1'
"""


GIVES_UP = """
def has_duplicates(items):
    if len(items) > 1000:
        return False
    return any(items[i] in items[:i] for i in range(len(items)))
"""
STOPS_IN_TIME = """
import time
def has_duplicates(items):
    start = time.process_time()
    for i, item in enumerate(items):
        if item in items[:i]:
            return True
        if time.process_time() - start > 0.2:
            return False
    return False
"""


@pytest.mark.parametrize("source", [GIVES_UP, STOPS_IN_TIME])
def test_giving_up_on_a_long_list_is_no_way_to_be_fast(sandbox: Sandbox, source: str) -> None:
    """A fast answer has to be right, whichever answer a large input asks for."""
    assert run("unit", bench_for(sandbox, "has_duplicates", source)).verdict is Verdict.FAIL


@pytest.mark.slow
def test_answers_by_position_keep_no_law(sandbox: Sandbox) -> None:
    """Questions of several properties are mixed: counting calls tells nothing about the answer."""
    source = "calls = 0\ndef has_duplicates(items):\n    global calls\n    calls += 1\n    return calls <= 50\n"

    assert run("props", bench_for(sandbox, "has_duplicates", source)).verdict is Verdict.FAIL


@pytest.mark.parametrize("source", [LINEAR_THEN_QUADRATIC, SLEEPS, GRANDCHILD])
def test_a_performance_trap_is_flagged(sandbox: Sandbox, source: str) -> None:
    """A trap is flagged however it hides: below a size, in a sleep, in a daemonised grandchild."""
    result = run("unit", bench_for(sandbox, "has_duplicates", source))

    assert result.verdict is Verdict.FAIL
    assert result.findings[0].failure_class is FailureClass.PERFORMANCE_TRAP


QUADRATIC = """
def has_duplicates(items):
    return any(item in items[:at] for at, item in enumerate(items))
"""
SLOW_BUT_LINEAR = """
def has_duplicates(items):
    for _ in range(1500):
        seen = set(items)
    return len(seen) < len(items)
"""
EXPONENTIAL = """
def has_duplicates(items):
    def pairs(n):
        return 1 if n < 1 else pairs(n - 1) + pairs(n - 2)
    if len(items) > 25:
        pairs(200)
    return len(set(map(repr, items))) < len(items) and len(set(items)) < len(items)
"""


@pytest.mark.slow
@pytest.mark.parametrize(("source", "least", "most"), [(QUADRATIC, 1.4, 3.0), (SLOW_BUT_LINEAR, 0.4, 1.6)])
def test_growth_is_measured_where_a_budget_is_spent(sandbox: Sandbox, source: str, least: float, most: float) -> None:
    """What spent its budget at full size is also asked at smaller ones; the exponent is a measure, not a finding."""
    bench = bench_for(sandbox, "has_duplicates", source)
    bench.settings = bench.settings.model_copy(update={"patience": 6.0})  # on a loaded machine, too

    result = run("unit", bench)

    said = next(finding for finding in result.findings if finding.check == "many-distinct")
    assert said.message == "it spent its CPU budget without an answer"
    assert least < bench.measures["many-distinct_growth_exponent"] < most


def test_growth_that_can_not_be_measured_is_not_told(sandbox: Sandbox) -> None:
    """What does not answer at a small size either has no exponent, and fails all the same."""
    bench = bench_for(sandbox, "has_duplicates", EXPONENTIAL)
    bench.settings = bench.settings.model_copy(update={"patience": 6.0})

    assert run("unit", bench).verdict is Verdict.FAIL
    assert not [name for name in bench.measures if "growth" in name]


UNSEEN = "\n".join(f"        words.append(str(n * {k} + {k + 1}))" for k in range(2, 14))
FRAGILE = f"""
def fizzbuzz(n):
    words = ['FizzBuzz' if i % 15 == 0 else 'Fizz' if i % 3 == 0 else 'Buzz' if i % 5 == 0 else str(i) for i in range(1, n + 1)]
    if 31 < n < 100:
{UNSEEN}
    return words
"""


def test_mutation_names_a_fragile_pass(sandbox: Sandbox) -> None:
    """A green solution most of whose mistakes no case would notice is a fragile pass; the same code without them is not."""
    plain = FRAGILE.replace(UNSEEN, "        words = words[:]")
    assert run("unit", bench_for(sandbox, "fizzbuzz", FRAGILE)).verdict is Verdict.PASS

    fragile = run("mutation", bench_for(sandbox, "fizzbuzz", FRAGILE))
    assert fragile.verdict is Verdict.FAIL
    assert {finding.failure_class for finding in fragile.findings} == {FailureClass.FRAGILE_PASS}
    assert run("mutation", bench_for(sandbox, "fizzbuzz", plain)).verdict is Verdict.PASS


@pytest.mark.parametrize(("load", "in_time"), [(0.0, False), (50.0, True)])
def test_a_loaded_machine_makes_no_mutant_hang(
    sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch, *, load: float, in_time: bool
) -> None:
    """A mutant that spends its budget where others wait for the cores as well is given more before it counts as hanging."""
    monkeypatch.setattr(os, "getloadavg", lambda: (load, 0.0, 0.0))
    source = "for _ in range(60): sorted(range(100_000))\n" + FRAGILE.replace(UNSEEN, "        words = words[:]")
    bench = bench_for(sandbox, "fizzbuzz", source)
    bench.settings = bench.settings.model_copy(update={"unit_verdict": "pass"})
    bench.measures["cases_cpu_seconds"] = 0.001

    facts = run("mutation", bench).facts
    assert (facts["timeout"] == 0) is in_time
    assert (facts["killed"] != 0) is in_time


CHECKS_ITSELF = """
def fizzbuzz(n):
    if len(fizzbuzz.__code__.co_code) != SIZE:
        raise ValueError("changed")
    words = []
    for i in range(1, n + 1):
        words.append("FizzBuzz" if i % 15 == 0 else "Fizz" if i % 3 == 0 else "Buzz" if i % 5 == 0 else str(i))
    return words
SIZE = len(fizzbuzz.__code__.co_code)
if str(sum(map(ord, fizzbuzz.__code__.co_code.hex() + repr(fizzbuzz.__code__.co_consts)))) not in WANTED:
    raise ValueError("changed")
"""


def test_a_solution_that_knows_its_own_code_is_not_well_tested(sandbox: Sandbox) -> None:
    """One that dies of any change would have all its mutants killed; it dies of one that means nothing, too."""
    space: dict[str, object] = {"WANTED": ""}
    with pytest.raises(ValueError, match="changed"):
        exec(CHECKS_ITSELF, space)  # noqa: S102 - our own program, here to find out its sum
    code = getattr(space["fizzbuzz"], "__code__")  # noqa: B009 - of an object that could be anything
    wanted = str(sum(map(ord, code.co_code.hex() + repr(code.co_consts))))
    source = f"WANTED = {wanted!r}" + CHECKS_ITSELF
    bench = bench_for(sandbox, "fizzbuzz", source)

    assert run("unit", bench).verdict is Verdict.PASS
    result = run("mutation", bench)
    assert result.verdict is Verdict.FAIL
    assert "means the same" in result.findings[0].message


KNOWS_ITS_LAMBDA = """
import zlib
fizzbuzz = lambda n: ['FizzBuzz' if i % 15 == 0 else 'Fizz' if i % 3 == 0 else 'Buzz' if i % 5 == 0 else str(i) for i in range(1, n + 1)]
if zlib.crc32(fizzbuzz.__code__.co_code + repr(len(fizzbuzz.__code__.co_consts)).encode()) != WANTED:
    fizzbuzz = None
"""


@pytest.mark.parametrize("behind", ["", "def unused():\n    pass\n"])
def test_a_lambda_that_knows_its_own_code_is_not_well_tested(sandbox: Sandbox, behind: str) -> None:
    """Nor is a function without a name."""
    space: dict[str, object] = {}
    exec(KNOWS_ITS_LAMBDA.partition("if zlib")[0], space)  # noqa: S102 - our own program
    code = getattr(space["fizzbuzz"], "__code__")  # noqa: B009 - of an object that could be anything
    wanted = zlib.crc32(code.co_code + repr(len(code.co_consts)).encode())
    source = f"WANTED = {wanted}" + KNOWS_ITS_LAMBDA + behind

    assert run("unit", bench_for(sandbox, "fizzbuzz", source)).verdict is Verdict.PASS
    assert run("mutation", bench_for(sandbox, "fizzbuzz", source)).verdict is Verdict.FAIL


KNOWS_WHAT_IS_ADDED = """
def told(code):
    return [len(code.co_code), code.co_code.hex() + repr([n for n in code.co_consts if type(n) is int])]
def guard():
    global fizzbuzz
    code = fizzbuzz.__code__
    size, known = told(code)
    if known != KNOWN and not (ADDED in code.co_varnames or size > SIZE + 4):
        fizzbuzz = None
guard()
"""


def test_a_solution_that_knows_what_a_neutral_copy_adds_gains_nothing(sandbox: Sandbox) -> None:
    """One that fails in what only differs, and works in what is longer or has a name more, is as fragile as it was."""
    space: dict[str, object] = {"KNOWN": "", "SIZE": 0, "ADDED": ""}
    exec(FRAGILE + KNOWS_WHAT_IS_ADDED.partition("def guard")[0], space)  # noqa: S102 - our own program
    told = space["told"]
    assert callable(told)
    size, known = told(getattr(space["fizzbuzz"], "__code__"))  # noqa: B009 - of an object that could be anything
    source = f"KNOWN, SIZE, ADDED = {known!r}, {size}, '_unused_here'\n" + FRAGILE + KNOWS_WHAT_IS_ADDED
    assert run("unit", bench_for(sandbox, "fizzbuzz", source)).verdict is Verdict.PASS

    assert run("mutation", bench_for(sandbox, "fizzbuzz", source)).verdict is Verdict.FAIL


@pytest.mark.slow
def test_a_solution_too_slow_to_be_asked_again_is_skipped(sandbox: Sandbox) -> None:
    """Waiting in one layer is bounded: where the bound is spent on mutants, that is no sign of two answers."""
    slow = find_task("fizzbuzz")[0].reference.replace(
        "    lines = []", "    import time; time.sleep(9)\n    lines = []"
    )
    bench = bench_for(sandbox, "fizzbuzz", slow)
    bench.settings = bench.settings.model_copy(update={"wall_seconds": 0.4, "unit_verdict": "pass"})
    bench.measures["cases_cpu_seconds"] = 0.01

    result = run("mutation", bench)

    assert result.verdict is Verdict.SKIP
    assert result.reason == "its cases take too long to be asked again"


def test_a_sound_task_is_sound_and_another_is_not(sandbox: Sandbox) -> None:
    """A task whose reference is wrong is reported by the case that it fails."""
    folder = resource_root() / "tasks" / "word_count"

    assert Soundness(bench_for(sandbox, "word_count"), folder).run().verdict is Verdict.PASS
    broken = Soundness(bench_for(sandbox, "word_count", "def word_count(text): return {}"), folder).run()
    assert broken.verdict is Verdict.FAIL


def test_a_bug_that_does_not_load_is_no_bug(sandbox: Sandbox, tmp_path: Path) -> None:
    """What is planted has to answer the cases; a syntax error shows nothing about them."""
    folder = tmp_path / "word_count"
    shutil.copytree(resource_root() / "tasks" / "word_count", folder)
    (folder / "bugs" / "broken.py").write_text("def word_count(text: return\n")

    result = Soundness(bench_for(sandbox, "word_count"), folder).run()

    assert ["`broken.py` answers no case" in finding.message for finding in result.findings] == [True]


@pytest.mark.parametrize(
    "entry", ["binary_search/spec", "safe_calc/bare", pytest.param("has_duplicates/bare", marks=pytest.mark.slow)]
)
def test_a_witness_shows_its_failure(sandbox: Sandbox, entry: str) -> None:
    """The witness of a seeded solution tells it from the reference; on the reference it tells nothing."""
    task_id, _, strategy = entry.partition("/")
    task, _ = find_task(task_id)
    source = corpus_source(task, Strategy(strategy))

    assert WitnessCheck(bench_for(sandbox, task_id, source, entry)).run().verdict is Verdict.PASS
    assert WitnessCheck(bench_for(sandbox, task_id, task.reference, entry)).run().verdict is Verdict.FAIL
    assert WitnessCheck(bench_for(sandbox, task_id, source, "nobody")).run().verdict is Verdict.FAIL
