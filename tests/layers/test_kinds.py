# ruff: noqa: E501 - programs on one line each
"""Tasks of every kind: what is right passes, and whatever a hostile solution does instead is a finding."""

from __future__ import annotations

from pathlib import Path

import pytest

from codegen_eval.interfaces import Sandbox
from codegen_eval.judge.bench import Bench, Settings
from codegen_eval.layers.props import Props
from codegen_eval.layers.unit import Unit
from codegen_eval.scaffold import KINDS, make_task
from codegen_eval.solution import Solution
from codegen_eval.task import Task
from codegen_eval.task_loader import load_task
from codegen_eval.verdict import FailureClass, LayerResult, Verdict


def task_of(folder: Path, kind: str) -> Task:
    """Return the task that a scaffold makes."""
    make_task("sample", folder, kind)
    return load_task(folder / "sample")


def judge(sandbox: Sandbox, task: Task, source: str) -> tuple[LayerResult, LayerResult]:
    """Return what unit and props say."""
    solution = Solution(id="x", task=task.id, strategy=None, model="", source=source)
    settings = Settings(wall_seconds=2.0, cpu_seconds=1.0)
    bench = Bench(sandbox=sandbox, task=task, solution=solution, settings=settings)
    return Unit(bench).run(), Props(bench).run()


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_a_reference_of_every_kind_passes(sandbox: Sandbox, tmp_path: Path, kind: str) -> None:
    """The reference passes all cases and keeps all properties."""
    task = task_of(tmp_path, kind)

    assert [result.findings for result in judge(sandbox, task, task.reference)] == [(), ()]


STACK = "class Sample:\n    def __init__(self, capacity):\n        if capacity < 0: raise ValueError\n        self.capacity, self.items = capacity, []\n"
PUSH = "    def push(self, item):\n        if len(self.items) >= self.capacity: raise OverflowError\n        self.items.append(item)\n"
POP = "    def pop(self): return self.items.pop()\n"
SIZE = "    @property\n    def size(self): return len(self.items)\n"
EQUAL = "class E:\n    def __eq__(s, o): return True\n    def __hash__(s): return 0\n"
ASYNC = "import asyncio\n"
HOSTILE = {
    ("class", "equal-to-all"): EQUAL + STACK + PUSH + "    def pop(self): return E()\n    size = E()\n",
    ("class", "answers-anything"): EQUAL + "class Sample:\n    def __init__(self, c): pass\n    def __getattribute__(self, n): return lambda *a: E()\n",
    ("class", "another-object"): "class Sample:\n    def __new__(cls, c): return 5\n",
    ("class", "no-class"): "def Sample(c): return None\n",
    ("class", "dies-in-a-step"): "import os\n" + STACK + PUSH + SIZE + "    def pop(self): os._exit(0)\n",
    ("class", "hangs-in-a-step"): STACK + PUSH + SIZE + "    def pop(self):\n        while True: pass\n",
    ("class", "state-of-the-class"): STACK.replace(", self.items = capacity, []", " = capacity") + "    items = []\n" + PUSH + POP + SIZE,
    ("class", "forged-reply"): "import os, struct\n" + STACK + PUSH + SIZE + "    def pop(self):\n        body = b'{\"id\":4,\"r\":2}'\n        os.write(4, (struct.pack('!I', len(body)) + body) * 3)\n        return self.items.pop()\n",
    ("generator", "eager"): "def sample(items, size):\n    if size < 1: raise ValueError\n    lists, n = [], 0\n    while items:\n        lists.append([items[(n + k) % len(items)] for k in range(size)]); n += size\n    return iter(lists)\n",
    ("generator", "list"): "def sample(items, size):\n    if size < 1: raise ValueError\n    return [[items[(n * size + k) % len(items)] for k in range(size)] for n in range(9)] if items else []\n",
    ("generator", "never-ends"): "def sample(items, size):\n    if size < 1: raise ValueError\n    n = 0\n    while True:\n        yield [items[(n + k) % len(items)] for k in range(size)] if items else []\n        n += size\n",
    ("generator", "like-a-list"): "class L(list):\n    def __eq__(s, o): return True\n    __hash__ = None\n    def __next__(s): raise StopIteration\ndef sample(items, size): return L()\n",
    ("async", "not-async"): "def sample(a, w): return [4, 6]\n",
    ("async", "waits-for-ever"): ASYNC + "async def sample(a, w): await asyncio.Event().wait()\n",
    ("async", "computes-for-ever"): ASYNC + "async def sample(a, w):\n    while True: await asyncio.sleep(0)\n",
    ("async", "own-run"): ASYNC + "asyncio.run = lambda coroutine: coroutine.close() or [4, 6]\nasync def sample(a, w): return []\n",
    ("async", "cancels"): ASYNC + "async def sample(a, w): raise asyncio.CancelledError\n",
    ("async", "exits"): "async def sample(a, w): raise SystemExit(0)\n",
    ("callable", "without-end"): "def sample(function, values):\n    while True: function(2)\n",
    ("callable", "another-function"): "import os, struct\ndef sample(function, values):\n    body = b'{\"id\":1,\"cb\":9,\"args\":[]}'\n    os.write(4, struct.pack('!I', len(body)) + body)\n    return [1, None, 4]\n",
    ("callable", "returns-it"): "def sample(function, values): return function\n",
    ("program", "exits"): "import sys\nsys.exit(0)\n",
    ("program", "exits-hard"): "import os\nos._exit(0)\n",
    ("program", "own-output"): "import sys\nclass O:\n    buffer = property(lambda s: s)\n    def getvalue(s): return s\n    def decode(s, *a): return s\n    def flush(s): pass\n    def __eq__(s, o): return True\n    __hash__ = None\nsys.stdout = O()\n",
    ("program", "prints-for-ever"): "while True: print('ann 4')\n",
    ("program", "waits"): "import time\ntime.sleep(60)\n",
    ("program", "syntax"): "print('ann 4'\n",
    ("program", "looks-for-the-answer"): "import gc\nprint([o for o in gc.get_objects() if isinstance(o, str) and 'ann 4' in o])\n",
    ("files", "reads-nothing"): "def sample(path): return {'host': 'here', 'port': '80'}\n",
    ("files", "returns-the-path"): "def sample(path): return path\n",
}  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize(("kind", "name"), HOSTILE)
def test_a_hostile_solution_of_any_kind_fails(sandbox: Sandbox, tmp_path: Path, kind: str, name: str) -> None:
    """It fails with a finding, never with an error of ours, and the reference passes after it."""
    task = task_of(tmp_path, kind)

    unit, props = judge(sandbox, task, HOSTILE[kind, name])

    assert (unit.verdict, bool(unit.findings)) == (Verdict.FAIL, True)
    assert props.verdict in {Verdict.FAIL, Verdict.PASS}
    assert [result.verdict for result in judge(sandbox, task, task.reference)] == [Verdict.PASS, Verdict.PASS]


def test_a_step_that_goes_wrong_is_named(sandbox: Sandbox, tmp_path: Path) -> None:
    """The finding names the step, what came back and what was due, and the case's class."""
    task = task_of(tmp_path, "class")
    wrong = STACK + PUSH + SIZE + "    def pop(self): return self.items.pop(0)\n"

    unit, _ = judge(sandbox, task, wrong)

    first = unit.findings[0]
    assert first.check == "push-and-pop"
    assert first.message == "step 3, `pop()`: returned another value"
    assert (first.actual, first.expected) == ("1", "2")
    assert first.input == "(3); push(1); push(2); pop(); pop()"
    assert first.failure_class is FailureClass.WRONG_LOGIC


def test_an_object_that_is_an_iterator_itself_is_kept(sandbox: Sandbox, tmp_path: Path) -> None:
    """An object of a class with `__next__` can take steps like any other."""
    task = task_of(tmp_path, "class")
    source = STACK + PUSH + POP + SIZE + "    def __iter__(self): return self\n    def __next__(self): return 1\n"

    assert [result.findings for result in judge(sandbox, task, source)] == [(), ()]


def test_no_more_is_asked_of_a_generator_than_is_compared(sandbox: Sandbox, tmp_path: Path) -> None:
    """One that would end the worker behind the last item that a case wants is not asked for it."""
    task = task_of(tmp_path, "generator")
    source = task.reference + (
        "\n_whole = sample\n\ndef sample(items, size):\n    parts = _whole(items, size)\n    if items == [1, 2, 3, 4]:\n"
        "        yield next(parts)\n        yield next(parts)\n        __import__('os')._exit(1)\n    yield from parts\n"
    )

    unit, _ = judge(sandbox, task, source)

    assert unit.findings == ()
