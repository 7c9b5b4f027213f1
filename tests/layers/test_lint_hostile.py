"""The lint layer on source that is made to break analysers."""

from __future__ import annotations

import pytest

from codegen_eval.layers.lint import Lint, LintItem
from codegen_eval.verdict import FailureClass, Verdict

INNOCENT = LintItem(id="innocent", source="def f(x):\n    return x + 1\n")
GUILTY = LintItem(id="guilty", source="def f(x):\n    return eval(x)\n")

HOSTILE: dict[str, tuple[str, FailureClass | None]] = {
    "deep attribute chain": ("x = a" + ".a" * 50_000, FailureClass.SYNTAX_ERROR),
    "deepest chain that compiles": ("x = a" + ".a" * 900, None),
    "long sum": ("x = " + "1+" * 50_000 + "1", FailureClass.SYNTAX_ERROR),
    "sum that compiles": ("x = " + "1+" * 900 + "1", None),
    "nested brackets": ("x = " + "[" * 5000 + "]" * 5000, FailureClass.SYNTAX_ERROR),
    "call chain": ("x = f" + "()" * 900, None),
    "string of 10 MB": ("x = '" + "a" * 10_000_000 + "'", None),
    "too many statements": ("x=1\n" * 200_000, FailureClass.UNANALYSABLE),
    "null byte": ("x = 1\0", FailureClass.SYNTAX_ERROR),
    "lone surrogate": ("x = '\ud800'", FailureClass.SYNTAX_ERROR),
    "encoding declaration": ("# -*- coding: utf-7 -*-\n# +AAo-eval('1')\nx = 1\n", None),
    "empty": ("", None),
}


@pytest.mark.slow
def test_hostile_source_ends_in_a_verdict_and_harms_no_neighbour() -> None:
    """Source made to break parsers is passed or failed by the rule, and the solutions beside it are judged as ever."""
    items = [INNOCENT, *(LintItem(id=name, source=source) for name, (source, _) in HOSTILE.items()), GUILTY]

    results = Lint(tools=()).run_batch(items)

    assert {name: [f.failure_class for f in results[name].findings] for name in HOSTILE} == {
        name: [] if failure is None else [failure] for name, (_, failure) in HOSTILE.items()
    }
    assert results["innocent"].verdict is Verdict.PASS
    assert [f.check for f in results["guilty"].findings] == ["CE101-eval"]


@pytest.mark.slow
def test_source_that_ends_the_scanner_is_blamed_alone() -> None:
    """A solution on which the scanner process dies is UNANALYSABLE; the rest of its batch is scanned again."""
    slow = LintItem(id="slow", source="x=1\n" * 500_000)

    results = Lint(tools=(), cpu_seconds=0.5).run_batch([INNOCENT, slow, GUILTY])

    assert [f.failure_class for f in results["slow"].findings] == [FailureClass.UNANALYSABLE]
    assert "ends the scanner" in results["slow"].findings[0].message
    assert results["innocent"].verdict is Verdict.PASS
    assert results["guilty"].verdict is Verdict.FAIL


@pytest.mark.parametrize(
    "source",
    [
        "a0 = eval\n" + "".join(f"a{i + 1} = a{i}\n" for i in range(3000)) + "a3000('1')",
        "\f\nx = 1\n\feval('1')",
        "match eval:\n    case run:\n        run('1')",
        "lambda: (yield eval('1'))",
        "class A:\n    run = eval\nA.run('1')",
        "x: eval('1') = 2",
        "@eval\ndef f(): ...",
        "def f():\n    global eval\n    eval = print\neval('1')",
        "try:\n    from safe import eval\nexcept ImportError:\n    pass\neval('1')",
        "async def f():\n    return [x async for x in eval('1')]",
        "f'{eval(\"1\")}'",
        "eval # nosec # noqa\n('1')",
    ],
)
def test_no_syntax_hides_an_eval(source: str) -> None:
    """A mention of `eval` is found wherever the grammar allows one."""
    result = Lint(tools=()).run_batch([LintItem(id="x", source=source)])["x"]

    assert "CE101-eval" in {f.check for f in result.findings}


@pytest.mark.slow
def test_memory_that_a_source_would_take_is_bounded() -> None:
    """A solution that needs more memory than the scanner has is UNANALYSABLE; its neighbours are judged as ever."""
    bomb = LintItem(id="bomb", source="x=[" + "a," * 6_000_000 + "]\n")

    results = Lint(tools=()).run_batch([bomb, GUILTY])

    assert [f.failure_class for f in results["bomb"].findings] == [FailureClass.UNANALYSABLE]
    assert results["guilty"].verdict is Verdict.FAIL


@pytest.mark.slow
@pytest.mark.parametrize(
    "source",
    [
        "f(" + "a/" * 900 + "a)\n",
        ("x = " + "a / " * 400 + "a\n") * 200,
        "".join(f"v{i} = v{(i * 7) % 2000} or v{(i * 3) % 2000}\n" for i in range(2000)) + "v1('1')\n" * 500,
        "def f(untrusted):\n" + "".join(f" a{i} = a{i + 1} + untrusted\n" for i in range(3000, 0, -1)),
        "c.execute(" + "'select a from b' + x + " * 800 + "'')\n",
    ],
)
def test_a_scan_takes_bounded_time(source: str) -> None:
    """The scanner answers within its CPU limit on source that makes each of its walks long."""
    result = Lint(tools=()).run_batch([LintItem(id="x", source=source, untrusted=frozenset({"untrusted"}))])["x"]

    assert [f.message for f in result.findings if "ends the scanner" in f.message] == []
