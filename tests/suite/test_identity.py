"""What tests see of an answer beside its value: which objects are one, and of which type it is."""

from __future__ import annotations

import pytest

from codegen_eval.suite import Suite
from codegen_eval.verdict import FailureClass, Verdict
from suite_bench import Judging, check, forge

_COPY = "def f(x):\n    return [*x]\n"

PAIRS: list[tuple[str, Suite, str, str]] = [
    (
        "rows of a table",
        check("m = candidate(2)", "m[0][0] = 1", "assert m == [[1, 0], [0, 0]]"),
        "def f(n):\n    return [[0] * n for _ in range(n)]\n",
        "def f(n):\n    return [[0] * n] * n\n",
    ),
    (
        "one row wherever it is",
        check("m = candidate(2)", "m['a'].append(1)", "assert m == {'a': [1], 'b': ([1],)}"),
        "def f(n):\n    row = []\n    return {'a': row, 'b': (row,)}\n",
        "def f(n):\n    return {'a': [], 'b': ([],)}\n",
    ),
    (
        "an argument that is there twice",
        check("row = [0]", "assert candidate([row, row]) == [[1], [1]]"),
        "def f(rows):\n    rows[0][0] += 1\n    return rows\n",
        "def f(rows):\n    rows[0] = [1]\n    return rows\n",
    ),
    (
        "two arguments that are one",
        check("row = []", "assert candidate(row, row) == 2"),
        "def f(a, b):\n    a.append(1)\n    b.append(1)\n    return len(a)\n",
        "def f(a, b):\n    a = [*a, 1]\n    b = [*b, 1]\n    return len(a)\n",
    ),
    (
        "calls within an argument",
        check("row = [(candidate([n]) for n in (1, 2))]", "assert candidate([row, row, 0])"),
        "def f(x):\n    return x if len(x) < 3 else x[0] is x[1] and [*x[0][0]] == [[1], [2]]\n",
        "def f(x):\n    return x if len(x) < 3 else x[0] is not x[1]\n",
    ),
    (
        "an answer that is not the argument",
        check("a = [1]", "b = candidate(a)", "b.append(2)", "assert a == [1] and b == [1, 2]"),
        _COPY,
        "def f(x):\n    return x\n",
    ),
    ("that it is not", check("a = [3]", "assert candidate(a) is not a"), _COPY, "def f(x):\n    return x\n"),
    (
        "an answer that is the argument",
        check("a = [3, 1]", "assert candidate(a) is a and a == [1, 3]"),
        "def f(x):\n    x.sort()\n    return x\n",
        "def f(x):\n    x.sort()\n    return [*x]\n",
    ),
    (
        "a tuple that is there twice",
        check("a, b = candidate(1)", "a[0].append(2)", "assert b[0] == [1, 2] and a is b"),
        "def f(x):\n    pair = ([x], 'a')\n    return [pair, pair]\n",
        "def f(x):\n    return [([x], 'a'), ([x], 'a')]\n",
    ),
    (
        "a deep copy",
        check("d = [[1], [2]]", "r = candidate(d)", "r[0].append(3)", "assert d == [[1], [2]] and r[0] is not d[0]"),
        "import copy\ndef f(d):\n    return copy.deepcopy(d)\n",
        "import copy\ndef f(d):\n    return copy.copy(d)\n",
    ),
    (
        "an argument within an answer",
        check("d = [1]", "r = candidate(d)", "r[0].append(3)", "assert d == [1, 3] and r[0] is d"),
        "def f(d):\n    return d, 1\n",
        "def f(d):\n    return [*d], 1\n",
    ),
    *(
        (
            f"a {name} that stays as it was",
            check(f"import array, collections\nc = {made}", "candidate(c)", f"assert c == {made}"),
            "def f(c):\n    return len(c)\n",
            "def f(c):\n    c.pop()\n",
        )
        for name, made in (
            ("list", "[1, 2]"),
            ("deque", "collections.deque([1, 2])"),
            ("array", "array.array('i', [1, 2])"),
            ("list derived from", "type('L', (list,), {})([1, 2])"),
        )
    ),
    *(
        (
            f"a {name} that is changed",
            check(f"import collections\nc = {made}", "candidate(c)", "assert list(c.items()) == [('b', 2), ('a', 5)]"),
            "def f(c):\n    del c['a']\n    c['a'] = 5\n",
            "def f(c):\n    c['a'] = 5\n",
        )
        for name, made in (
            ("dictionary", "{'a': 1, 'b': 2}"),
            ("counter", "collections.Counter(a=1, b=2)"),
            ("default dictionary", "collections.defaultdict(int, a=1, b=2)"),
            ("ordered dictionary", "collections.OrderedDict(a=1, b=2)"),
        )
    ),
    (
        "arguments with names",
        check("d = [2, 1]", "assert candidate(items=d, same=d) is True", "assert d == [2, 1]"),
        "def f(items, same):\n    return items is same\n",
        "def f(items, same):\n    items.sort()\n    return items is same\n",
    ),
    (
        "rows of named tuples and of lists derived from",
        check("a, b = candidate(1)", "a.append(2)", "assert b == [1]"),
        (
            "import collections\nP = collections.namedtuple('P', 'a b')\nclass L(list):\n    pass\n"
            "def f(x):\n    return P(L([x]), L([x]))\n"
        ),
        (
            "import collections\nP = collections.namedtuple('P', 'a b')\nclass L(list):\n    pass\n"
            "def f(x):\n    row = L([x])\n    return P(row, row)\n"
        ),
    ),
    (
        "one class of named tuples",
        check("r = candidate(30000)", "assert type(r[0]) is type(r[1]) and r[7].right == 7"),
        (
            "import typing\nclass P(typing.NamedTuple):\n    left: int\n    right: int\nclass Q(P):\n    pass\n"
            "def f(n):\n    return [Q(i, i) for i in range(n)]\n"
        ),
        "def f(n):\n    return [(i, i) for i in range(n)]\n",
    ),
    (
        "the order of a dictionary",
        check("assert list(candidate(1)) == ['b', 'a']"),
        "import collections as c\ndef f(x):\n    d = c.OrderedDict(a=1, b=2)\n    d.move_to_end('a')\n    return d\n",
        "import collections\ndef f(x):\n    return collections.OrderedDict(a=1, b=2)\n",
    ),
    (
        "an object of the tests in a deque",
        check(
            "import collections",
            "a = S()",
            "assert candidate(collections.deque([a])) is a",
            before="class S:\n    pass\n",
        ),
        "def f(x):\n    return x[0]\n",
        "def f(x):\n    return x\n",
    ),
    (
        "attributes of an object that stands for one",
        check("r = candidate(1)", "assert not hasattr(r, 'number') and not hasattr(r, '_name') and r is not None"),
        "class C:\n    pass\ndef f(x):\n    return C()\n",
        "def f(x):\n    return None\n",
    ),
    (
        "objects whose attributes are in slots",
        check("a = S()", "assert candidate(a) == 1", before="class S:\n    __slots__ = ('x',)\n"),
        "def f(x):\n    return 1\n",
        "def f(x):\n    return 2\n",
    ),
    (
        "a dictionary and nothing more",
        check("assert type(candidate(1)) is dict"),
        "def f(x):\n    return {'a': x}\n",
        "import collections\ndef f(x):\n    return collections.defaultdict(int, a=x)\n",
    ),
    (
        "a missing item",
        check(
            "try:\n    candidate(1)['b']\nexcept KeyError:\n    pass\nelse:\n    raise AssertionError('it is there')"
        ),
        "def f(x):\n    return {'a': x}\n",
        "import collections\ndef f(x):\n    return collections.defaultdict(int, a=x)\n",
    ),
    (
        "an item that is made",
        check("d = candidate(1)", "d['b'].append(2)", "assert d == {'a': [1], 'b': [2]}"),
        "import collections\ndef f(x):\n    return collections.defaultdict(list, a=[x])\n",
        "def f(x):\n    return {'a': [x]}\n",
    ),
    (
        "the fields of a named tuple",
        check("p = candidate(1)", "assert (p.left, p.right, p[0], p) == (1, 2, 1, (1, 2))"),
        "import collections\nP = collections.namedtuple('P', 'left right')\ndef f(x):\n    return P(x, 2)\n",
        "import collections\nP = collections.namedtuple('P', 'right left')\ndef f(x):\n    return P(x, 2)\n",
    ),
    *(
        (name, check("assert candidate(1) == {'a': 1}"), f"import {module}\ndef f(x):\n    return {make}\n", _COPY)
        for name, module, make in (
            ("a chain of dictionaries", "collections", "collections.ChainMap({}, {'a': x})"),
            ("a view of a dictionary", "types", "types.MappingProxyType({'a': x})"),
            ("a dictionary derived from", "collections", "type('D', (collections.OrderedDict,), {})(a=x)"),
        )
    ),
    (
        "a date derived from",
        check("import datetime", "assert candidate(2020) == datetime.datetime(2020, 1, 2)"),
        "import datetime\nclass D(datetime.datetime):\n    pass\ndef f(year):\n    return D(year, 1, 2)\n",
        "import datetime\nclass D(datetime.datetime):\n    pass\ndef f(year):\n    return D(year, 2, 1)\n",
    ),
]


@pytest.mark.slow
@pytest.mark.parametrize(("suite", "right", "wrong"), [pair[1:] for pair in PAIRS], ids=[pair[0] for pair in PAIRS])
def test_tests_tell_the_right_answer_from_the_one_that_is_only_alike(
    judge: Judging, suite: Suite, right: str, wrong: str
) -> None:
    """What the tests of one program would see, they see across two."""
    assert judge(suite, right).findings == ()
    assert judge(suite, wrong).verdict is Verdict.FAIL


def _laughs(depth: int) -> object:
    value: object = {"t": "&", "n": 0, "v": [1] * 30}
    for number in range(1, depth):
        again = {"t": "=", "v": number - 1}
        value = {"t": "&", "n": number, "v": [value, *[again] * 30]}
    return value


def _ladder() -> object:
    """Return a value whose parts are all flat enough, and which is nested far too deep as a whole."""
    parts: list[object] = []
    for number in range(20):
        inner: object = {"t": "=", "v": number - 1} if number else [1]
        for _ in range(8):
            inner = [inner]
        parts.append({"t": "&", "n": number, "v": inner})
    return parts


@pytest.mark.parametrize(
    "answer",
    [
        {"r": _laughs(60)},
        {"r": _ladder()},
        {"r": {"t": "=", "v": 0}},
        {"r": {"t": "&", "n": 0, "v": [{"t": "=", "v": 0}]}},
        {"r": [{"t": "&", "n": 0, "v": [4]}, {"t": "&", "n": 0, "v": [4]}]},
        {"r": {"t": "&", "n": 0, "v": 4}},
        {"r": {"t": "&", "n": True, "v": [4]}},
        {"r": {"t": "&", "n": -1, "v": [4]}},
        {"r": {"t": "&", "n": 0, "v": [1]}, "a": [{"t": "&", "n": 0, "v": [1]}]},
        {"r": {"t": "=", "v": 0}, "a": [{"t": "&", "n": 0, "v": [1]}]},
        {"r": [{"t": "&", "n": 0, "v": ["x" * (1 << 20)]}, *[{"t": "=", "v": 0}] * 70]},
        {"e": {"t": "E", "m": [], "s": "", "l": ["os; x", "system"]}},
        {"e": {"t": "E", "m": [], "s": "", "l": ["os"]}},
        {"e": {"t": "E", "m": [], "s": "", "a": [{"t": "?"}]}},
        {"e": {"t": "E", "m": [], "s": "", "a": [1] * 9}},
        {"r": {"t": "defaultdict", "v": [], "c": "eval"}},
        {"r": {"t": "nt", "v": [4], "c": "P", "f": 3}},
    ],
    ids=[
        *("many times over", "one on top of the other", "what was not there", "itself", "two of one number"),
        *("no container", "no number", "below zero", "one number in answer and argument", "before it is there"),
        *(
            "a text many times",
            "a module that is none",
            "no name in it",
            "an argument of no known kind",
            "too many of them",
        ),
        *("a factory that is none", "fields that are none"),
    ],
)
def test_forged_names_of_containers_are_tampering(judge: Judging, answer: dict[str, object]) -> None:
    """A reply that no worker writes is told as that, at once and without the memory that it asks for."""
    forged = {"id": 1, **answer}

    result = judge(
        check("a = [2]", "assert candidate(a) == 4"), forge(f"frames({forged!r}); import time; time.sleep(60)")
    )

    assert [finding.failure_class for finding in result.findings] == [FailureClass.VERDICT_TAMPERING]
