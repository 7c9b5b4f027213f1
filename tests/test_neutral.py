"""Laws of the change that means nothing."""

from __future__ import annotations

from random import Random
from types import FunctionType

import pytest

from codegen_eval.neutral import neutral
from codegen_eval.resources import resource_root
from codegen_eval.task_loader import discover_tasks

ODD = {
    "one line": "def f(x): return x + 1",
    "docstring": 'def f(x):\n    """Add."""\n    return x + 1',
    "compound first": "def f(x):\n    if x:\n        return x + 1\n    return 1",
    "several on a line": "def f(x):\n    y = x; return y + 1",
    "decorated inside": "def f(x):\n    @staticmethod\n    def g(y): return y + 1\n    return g(x)",
    "nonlocal": "def f(x):\n    n = 0\n    def g():\n        nonlocal n\n        n = x + 1\n    g()\n    return n",
    "not ascii": "def f(größe): é = größe; return é + 1",
    "comment at the end": "def f(x):\n    # what follows\n    return x + 1  # end",
    "windows": "def f(x):\r\n    return x + 1\r\n",
    "a line that goes on": "def f(x): \\\n    return x + 1",
    "tabs": "def f(x):\n\treturn x + 1",
}


def drawn(seed: int) -> Random:
    return Random(seed)  # noqa: S311 - to be repeated


def run(source: str) -> FunctionType:
    """Run one of these programs; return its `f`."""
    space: dict[str, object] = {}
    exec(compile(source, "x", "exec"), space)  # noqa: S102 - our own programs
    found = space["f"]
    assert isinstance(found, FunctionType)
    return found


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("source", ODD.values(), ids=ODD)
def test_it_means_the_same_and_every_function_is_another(source: str, seed: int) -> None:
    """What it computes is unchanged; the code of its function is not."""
    changed = neutral(source, drawn(seed))

    assert changed is not None
    one = run(source)
    other = run(changed)
    assert [one(n) for n in range(5)] == [other(n) for n in range(5)]
    assert one.__code__.co_code != other.__code__.co_code
    assert other.__doc__ == one.__doc__


def test_no_two_changes_are_alike() -> None:
    """Neither names nor numbers nor lengths tell it; comparisons stand both ways."""
    source = "def f(a, b):\n    if a < 7:\n        return 1\n    return a == 3"
    changed = {neutral(source, drawn(seed)) or "" for seed in range(60)}

    assert len(changed) > 50
    assert {(" < " in each.split("return 1")[0].split("if")[-1]) for each in changed} == {True, False}
    assert len({len(run(each).__code__.co_code) for each in changed}) > 3


@pytest.mark.parametrize("operator", ["<", ">", "<=", ">=", "==", "!="])
def test_a_comparison_may_stand_either_way(operator: str) -> None:
    source = f"def f(a):\n    return a{operator} 2 if (a) < 4 else 3 !=a"
    wanted = [run(source)(n) for n in range(6)]

    for seed in range(20):
        assert [run(neutral(source, drawn(seed)) or "")(n) for n in range(6)] == wanted


def test_every_reference_and_planted_bug_can_be_changed() -> None:
    """Ordinary programs have a place for it."""
    files = [path for name in discover_tasks() for path in (resource_root() / "tasks" / name).glob("**/*.py")]
    programs = [path.read_text() for path in files if path.parent.name == "bugs" or path.name == "reference.py"]

    changed = [neutral(source, drawn(1)) for source in programs]

    assert len(programs) > 50
    assert [source for source, other in zip(programs, changed, strict=True) if other is None] == []


LAMBDAS = {
    "plain": "f = lambda x: x + 1",
    "in brackets": "f = (lambda x: (x < 3))",
    "a tuple": "f = lambda x: (x, [x])",
    "nested": "f = lambda x: (lambda y: lambda: y == x)(2)()",
    "two": "f = lambda x: (lambda a: a * 2)(x) if x else (lambda: 0)()",
    "a walrus": "f = lambda x: (y := x + 1)",
    "a generator": "g = lambda x: (yield x)\nf = lambda x: list(g(x))",
    "defaults": "f = lambda x, k=lambda: 3: k() * x",
    "in a text": "f = lambda x: f'{(lambda a: a == 1)(x)}' + 'z'",
}


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("source", LAMBDAS.values(), ids=LAMBDAS)
def test_functions_without_a_name_are_others_as_well(source: str, seed: int) -> None:
    """What a `lambda` computes is unchanged, and its code is not, unless its body can be no item of a list."""
    changed = neutral(source, drawn(seed))

    assert changed is not None
    one, other = run(source), run(changed)
    assert [one(n) for n in range(5)] == [other(n) for n in range(5)]
    assert (one.__code__.co_code == other.__code__.co_code) is ("walrus" in source or ":=" in source)


INNER = {
    "a generator expression": ("def f(x):\n    g = (i + x for i in range(3))\n    return g.gi_code, sum(g)", 0),
    "a class body": (
        "import sys\ndef f(x):\n    class A:\n        c = sys._getframe().f_code\n        y = x\n    return A.c, A.y",
        0,
    ),
    "its names": ("def f(x):\n    a = x\n    return None, len(locals()), sorted(globals())[-1]", None),
}


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize(("source", "place"), INNER.values(), ids=INNER)
def test_code_inside_of_functions_is_another_as_well(source: str, place: int | None, seed: int) -> None:
    """Generators and classes that are made inside of a function have other code, and give the same."""
    changed = neutral(source, drawn(seed))

    assert changed is not None
    one, other = run(source)(4), run(changed)(4)
    assert one[1:] == other[1:]
    assert (one[0] is other[0] is None) if place is None else one[0].co_code != other[0].co_code


def test_comparisons_of_two_names_are_left_as_they_are() -> None:
    """A class may mean something else by `>` than by `<` seen from behind."""
    ways = "".join(f"    def __{way}__(self, o):\n        return self + '{way}' + o\n" for way in ("lt", "gt"))
    source = f"class F(str):\n{ways}def f(p):\n    a, b = F(p), F('y')\n    return a < b"

    assert {run(neutral(source, drawn(seed)) or "")("x") for seed in range(20)} == {"xlty"}


@pytest.mark.parametrize("body", ['return""==x', 'return not"a"==x', "return x==''and 3", "x == 1\n    return x"])
def test_a_comparison_may_touch_its_neighbours(body: str) -> None:
    """Words that need no blank between them before need none after."""
    source = f"def f(x):\n    {body}"
    wanted = [run(source)(x) for x in ("", "a", 1)]

    for seed in range(20):
        changed = neutral(source, drawn(seed))
        assert changed is not None
        assert [run(changed)(x) for x in ("", "a", 1)] == wanted


@pytest.mark.parametrize("source", ["def f(: pass", "\ud800", "(" * 5000])
def test_what_can_not_be_read_is_left_alone(source: str) -> None:
    """There is no copy of what does not compile."""
    assert neutral(source, drawn(1)) is None
