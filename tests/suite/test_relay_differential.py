"""Tests across two sandboxes come to what they come to in one process: on random objects that share what is in them."""

from __future__ import annotations

import collections
import random

import pytest

from codegen_eval.suite import Suite
from codegen_eval.verdict import Verdict
from suite_bench import Judging, check

_PROGRAMS = 300
_ATOMS = ("1", "'a'", "2.5", "None", "-0.0", "10**30", "b'x'", "(1, 2)")
_HELPERS = """\
import collections

def walk(value, found, depth=0):
    if depth < 12:
        sequence = isinstance(value, (list, tuple, collections.deque))
        if isinstance(value, (list, dict, set, collections.deque)):
            found.append(value)
        for item in list(value) if sequence else list(value.values()) if isinstance(value, dict) else []:
            walk(item, found, depth + 1)

def change(value, number):
    found = []
    walk(value, found)
    chosen = found[number % len(found)] if found else []
    if isinstance(chosen, dict):
        chosen["new"] = 1
    else:
        getattr(chosen, "add" if isinstance(chosen, set) else "append")("new")

def show(value, depth=0):
    name = type(value).__name__
    if depth > 12:
        return "..."
    if isinstance(value, dict):
        return name + str([(key, show(item, depth + 1)) for key, item in value.items()])
    if isinstance(value, set):
        return name + str(sorted(map(repr, value)))
    if isinstance(value, (list, tuple, collections.deque)):
        return name + str([show(item, depth + 1) for item in value])
    return name + repr(value)
"""


def objects(source: random.Random) -> tuple[list[str], list[str]]:
    """Return statements that make objects out of one another, and the names of the objects."""
    names: list[str] = []
    lines: list[str] = []

    def atom() -> str:
        return source.choice(names) if names and source.random() < 0.6 else source.choice(_ATOMS)

    def atoms(least: int) -> str:
        return "".join(f"{atom()}, " for _ in range(source.randint(least, 3)))

    for number in range(source.randint(1, 6)):
        made = source.choice(
            [
                f"[{atoms(0)}]",
                f"({atoms(1)})",
                "{" + f"'k': {atom()}, 'l': {atom()}" + "}",
                f"collections.deque([{atoms(0)}])",
                "{1, 'z'}",
                f"collections.defaultdict(list, a={atom()})",
                f"collections.OrderedDict(b={atom()}, a={atom()})",
                f"collections.namedtuple('P', 'x y')({atom()}, {atom()})",
                f"[{atom()}] * 3",
            ]
        )
        names.append(f"v{number}")
        lines.append(f"v{number} = {made}")
    return lines, names


def program(seed: int) -> tuple[Suite, str]:
    """Return tests, and the solution that satisfies them where both run in one process."""
    source = random.Random(seed)  # noqa: S311 - programs, not secrets
    lines, names = objects(source)
    root = source.choice(names)
    act = source.choice(["", f"x.append({root})", "x.append(x.pop() if x else 0)"])
    answer = source.choice([root, "x", f"[x, {root}]", f"({root}, x)"])
    body = "".join(f"    {line}\n" for line in (*lines, act, f"return {answer}") if line)
    solution = f"import collections\ndef f(x):\n{body}"
    made, names = objects(source)
    asked = [
        *made,
        f"a = [{', '.join(source.sample(names, min(2, len(names))))}]",
        "r = candidate(a)",
        f"change(r, {source.randint(0, 9)})",
        f"change(a, {source.randint(0, 9)})",
    ]
    scope: dict[str, object] = {"collections": collections}
    exec(f"{_HELPERS}\n{solution}\ncandidate = f\n" + "\n".join(asked) + "\nseen = show((r, a))\n", scope)  # noqa: S102
    return check(*asked, f"assert show((r, a)) == {scope['seen']!r}", before=_HELPERS), solution


@pytest.mark.slow
def test_tests_see_what_they_would_see_in_one_process(judge: Judging) -> None:
    """What is one object is one, and what changes changes everywhere, in answers and arguments alike."""
    for seed in range(_PROGRAMS):
        suite, solution = program(seed)
        result = judge(suite, solution)
        assert (result.verdict, result.findings) == (Verdict.PASS, ()), (seed, solution, suite.tests)
