"""Laws of calls that tests make across two sandboxes: what they see is what they would see beside the solution."""

from __future__ import annotations

import pytest

from codegen_eval.suite import Suite
from codegen_eval.verdict import Verdict
from suite_bench import Judging, asserts, check, make_problem, make_suite

_NODE = "class Node:\n    def __init__(self, value, next=None):\n        self.value = value\n        self.next = next\n"
_TRY = "try:\n    candidate({0})\nexcept {1}:\n    pass\nelse:\n    raise AssertionError('nothing was raised')"

HONEST: list[tuple[str, Suite, str]] = [
    (
        "builtin classes as arguments",
        check("assert candidate([1, 'a'], str) == ['a']"),
        "def f(items, kind):\n    return [item for item in items if isinstance(item, kind)]\n",
    ),
    ("an iterator as an argument", check("assert candidate(iter([1, 2])) == 3"), "f = sum\n"),
    ("an object of no plain type", check("assert candidate(object()) == 1"), "def f(x):\n    return 1\n"),
    ("a function, which no solution can call", check("assert candidate(len) == 1"), "def f(x):\n    return 1\n"),
    ("keywords", check("assert candidate(1, b=2, c=[3]) == (1, 2, [3])"), "def f(a, b, c):\n    return a, b, c\n"),
    (
        "a list that is sorted in place",
        check("items = [3, 1, 2]", "assert candidate(items) is None", "assert items == [1, 2, 3]"),
        "def f(items):\n    items.sort()\n",
    ),
    (
        "a dictionary, a set and bytes that are changed",
        check(
            "d, s, b = {1: 2}, {1}, bytearray(b'ab')",
            "candidate(d, s, b)",
            "assert (d, s, b) == ({3: 4}, {1, 5}, bytearray(b'a'))",
        ),
        "def f(d, s, b):\n    d.clear()\n    d[3] = 4\n    s.add(5)\n    b.pop()\n",
    ),
    (
        "a change before an exception",
        check("items = []", _TRY.format("items", "KeyError"), "assert items == [1]"),
        "def f(items):\n    items.append(1)\n    raise KeyError('x')\n",
    ),
    ("a builtin exception", check(_TRY.format("1", "ZeroDivisionError")), "def f(x):\n    return x / 0\n"),
    ("the class above it", check(_TRY.format("1", "ArithmeticError")), "def f(x):\n    return x / 0\n"),
    (
        "an exception of the solution's own, by its base",
        check(_TRY.format("1", "ValueError")),
        "class Bad(ValueError):\n    pass\ndef f(x):\n    raise Bad\n",
    ),
    (
        "the text of an exception",
        check("try:\n    candidate()\nexcept ValueError as exc:\n    assert str(exc) == 'so'"),
        "def f():\n    raise ValueError('so')\n",
    ),
    (
        "what a search finds is true, and what it does not is not",
        asserts("assert f('ab')", "assert not f('b')", "assert f('abc') is not None"),
        "import re\ndef f(text):\n    return re.search('a', text)\n",
    ),
    (
        "an object of a class that says nothing of its truth",
        asserts("assert f(1)", "assert not f(0)"),
        "class A: pass\ndef f(x):\n    return A() if x else None\n",
    ),
    ("a function is true", check("assert candidate()"), "def f():\n    return f\n"),
    ("a generator", check("assert list(candidate(3)) == [0, 1, 2]"), "def f(n):\n    yield from range(n)\n"),
    ("the first of many", check("assert next(iter(candidate())) == 0"), "import itertools\nf = itertools.count\n"),
    (
        "a Counter is a dictionary",
        check("assert candidate('aab') == {'a': 2, 'b': 1}"),
        "from collections import Counter as f\n",
    ),
    (
        "an ordered dictionary",
        check("assert candidate() == {1: 2}"),
        "from collections import OrderedDict\ndef f():\n    return OrderedDict([(1, 2)])\n",
    ),
    (
        "a named tuple is a tuple",
        check("assert candidate() == (1, 2)"),
        "from collections import namedtuple\nP = namedtuple('P', 'x y')\ndef f():\n    return P(1, 2)\n",
    ),
    ("true is one", check("assert candidate() == 1"), "def f():\n    return True\n"),
    ("not-a-number", check("import math", "assert math.isnan(candidate(float('nan')))"), "def f(x):\n    return x\n"),
    ("large integers", check("assert candidate(10 ** 400) == 10 ** 400 + 1"), "def f(x):\n    return x + 1\n"),
    (
        "texts with halves of pairs",
        check("assert candidate('\\ud800') == '\\ud800!'"),
        "def f(x):\n    return x + '!'\n",
    ),
    (
        "the solution's state between calls",
        check("assert [candidate(), candidate()] == [1, 2]"),
        "n = 0\ndef f():\n    global n\n    n += 1\n    return n\n",
    ),
    (
        "an object of the tests keeps its identity",
        check("a = Node(1)", "a.next = a", "assert candidate(a) is a", before=_NODE),
        "def f(node):\n    return node.next\n",
    ),
    (
        "what is done to an object of the tests",
        check(
            "a = Node(1, Node(2))",
            "candidate(a)",
            "assert (a.value, a.next.value, a.mark) == (5, 2, 'm')",
            before=_NODE,
        ),
        "def f(node):\n    node.value = 5\n    node.mark = 'm'\n",
    ),
    (
        "a list of them that is turned round",
        check(
            "c = Node(3)",
            "b = Node(2, c)",
            "a = Node(1, b)",
            "head = candidate(a)",
            "assert head is c and c.next is b and b.next is a and a.next is None",
            before=_NODE,
        ),
        "def f(n):\n    last = None\n    while n:\n        n.next, last, n = last, n, n.next\n    return last\n",
    ),
    (
        "as an object of the solution's class of that name",
        check("assert candidate(Node(4)) == 8", before=_NODE),
        "class Node:\n    def twice(self):\n        return self.value * 2\ndef f(node):\n    return node.twice()\n",
    ),
    (
        "whose attributes have fixed places there",
        check("a = Node(4)", "assert candidate(a) == 4", "assert a.value == 4", before=_NODE),
        "class Node:\n    __slots__ = ('value', 'next')\ndef f(node):\n    return node.value\n",
    ),
    (
        "an object of the solution's own is itself",
        check("a, b = candidate(), candidate()", "assert a is a and a != b", "assert candidate(a) == 'own'"),
        "class Own:\n    def name(self):\n        return 'own'\ndef f(it=None):\n    return it.name() if it else Own()",
    ),
    (
        "which is none of the tests' objects",
        check("a = Node(1)", "b = candidate(a)", "assert b is not a", before=_NODE),
        "class Node:\n    pass\ndef f(node):\n    return Node()\n",
    ),
    (
        "objects of the solution's own on those of the tests",
        check("a, b = Node(1), Node(2)", "candidate(a)", "candidate(b)", "assert candidate(a) == 'ab'", before=_NODE),
        "class Own:\n    text = 'ab'\ndef f(n):\n    n.own = getattr(n, 'own', Own())\n    return n.own.text\n",
    ),
    *(
        (f"derived: {name}", check(*lines), source)
        for name, source, *lines in (
            (
                "keys",
                "f = dict.keys\n",
                "d = {2: 'b', 1: 'a'}",
                "k = candidate(d)",
                "assert k == d.keys() == {1, 2}",
                "assert list(k) == [2, 1] and k != [2, 1]",
            ),
            ("values", "f = dict.values\n", "v = candidate({1: [2], 3: 4})", "assert list(v) == [[2], 4] != v"),
            ("items", "f = dict.items\n", "assert candidate({1: [2]}) == {1: [2]}.items()"),
            (
                "ordered keys",
                "import collections\ndef f(d):\n    return collections.OrderedDict(d).keys()\n",
                "assert list(candidate({2: 1, 1: 1})) == [2, 1]",
            ),
            (
                "a text",
                "class S(str):\n    pass\nf = S\n",
                "assert candidate('a') == 'a' and candidate('ab')[1:] == 'b'",
            ),
            (
                "an integer",
                "class I(int):\n    __eq__ = lambda *_: False\n    __hash__ = int.__hash__\nf = I\n",
                "assert candidate(3) == 3 and candidate(10 ** 50) == 10 ** 50",
            ),
            ("a float", "class F(float):\n    pass\nf = F\n", "assert candidate(0.5) == 0.5"),
            ("a list", "class L(list):\n    pass\nf = L\n", "assert candidate([1, [2]]) == [1, [2]]"),
            ("a tuple", "class T(tuple):\n    pass\nf = T\n", "assert candidate([1, 2]) == (1, 2)"),
            (
                "a named tuple",
                "import typing\nclass A(typing.NamedTuple):\n    x: int\nclass B(A):\n    pass\nf = B\n",
                "assert candidate(1) == (1,)",
            ),
            ("a set", "class S(set):\n    pass\nf = S\n", "assert candidate([1, 2]) == {1, 2}"),
            ("a dictionary", "class D(dict):\n    pass\nf = D\n", "assert candidate({1: 2}) == {1: 2}"),
            (
                "a missing key",
                "class D(dict):\n    def __missing__(self, key):\n        return 0\nf = D\n",
                "assert candidate({1: 2}) == {1: 2}",
            ),
            ("bytes", "class B(bytes):\n    pass\nf = B\n", "assert candidate(b'ab') == b'ab'"),
            ("an enumeration", "import enum\nclass E(enum.IntEnum):\n    A = 3\nf = E\n", "assert candidate(3) == 3"),
            ("a user's list", "from collections import UserList as f\n", "assert candidate([1, 2]) == [1, 2]"),
            ("a user's dictionary", "from collections import UserDict as f\n", "assert candidate({1: 2}) == {1: 2}"),
            (
                "an array",
                "import array\ndef f(x):\n    return array.array('i', x)\n",
                "import array",
                "assert candidate([1, 2]) == array.array('i', [1, 2]) and candidate([1]) != [1]",
            ),
            ("a map", "def f(x):\n    return map(str, x)\n", "assert list(candidate([1, 2])) == ['1', '2']"),
            ("a class", "f = type\n", "assert candidate(1) is int and candidate('') is str"),
            (
                "one of the tests'",
                "def f(x):\n    return [x == 'ab', sorted(x)]\n",
                "class S(str):\n    pass",
                "assert candidate(S('ab')) == [True, ['a', 'b']]",
            ),
            (
                "a view of the tests'",
                "def f(x):\n    return sorted(x)\n",
                "assert candidate({2: 1, 1: 1}.keys()) == [1, 2]",
            ),
        )
    ),
    (
        "a thousand questions and more",
        check("for n in range(12_000):\n    assert candidate(n) == n"),
        "def f(n):\n    return n\n",
    ),
    (
        "what it prints is nobody's business",
        check("assert candidate() == 1"),
        "import sys\ndef f():\n    print('x' * 5000)\n    print('y', file=sys.stderr)\n    return 1\n",
    ),
]


@pytest.mark.slow
@pytest.mark.parametrize(("suite", "source"), [case[1:] for case in HONEST], ids=[case[0] for case in HONEST])
def test_tests_see_what_an_honest_solution_does(judge: Judging, suite: Suite, source: str) -> None:
    """Values, exceptions and changed arguments reach the tests as if the solution were beside them."""
    result = judge(suite, source)

    assert (result.verdict, result.findings) == (Verdict.PASS, ())


def test_each_assertion_is_a_test(judge: Judging) -> None:
    """Assertions are numbered, and those that don't hold are the findings, with the last call."""
    suite = asserts("assert f(1) == 1", "assert f(2) == 3", "assert f(3) == 3", "assert f(4) == 5")

    result = judge(suite, "def f(x):\n    return x\n")

    assert [(finding.check, finding.input, finding.actual) for finding in result.findings] == [
        ("assert-2", "2", "2"),
        ("assert-4", "4", "4"),
    ]


def test_what_was_set_up_is_there_for_each_assertion(judge: Judging) -> None:
    """The setup runs once, before the assertions, and they share its names."""
    result = judge(asserts("assert f(n) == 1", "assert f(n) == 1", setup="n = 1"), "def f(x):\n    return x\n")

    assert result.verdict is Verdict.PASS


def test_tests_may_use_classes_of_the_canonical_solution(judge: Judging) -> None:
    """Where tests mention names of the canonical program, they have them."""
    canonical = (
        "class Pair:\n    def __init__(self, a, b):\n        self.a, self.b = a, b\ndef f(p):\n    return p.a + p.b\n"
    )
    tests = asserts("assert f(Pair(1, 2)) == 3").tests
    suite = make_suite(tests, problem=make_problem(canonical=canonical, uses=("Pair",)))

    assert judge(suite, canonical).verdict is Verdict.PASS
    assert judge(suite, "def f(p):\n    return p.a + p.b\n").verdict is Verdict.PASS
    assert judge(suite, "def f(p):\n    return p.a\n").verdict is Verdict.FAIL


def test_an_answer_that_is_too_large_to_be_passed_back_fails_the_tests(judge: Judging) -> None:
    """What tests can't hand to the solution is an exception in the tests, and no end of them."""
    source = "def f(x):\n    return x * 7_000_000 if len(x) == 1 else x\n"

    result = judge(asserts("assert f(f('a') + f('b'))", "assert f('') == ''"), source)

    assert [finding.check for finding in result.findings] == ["assert-1"]
