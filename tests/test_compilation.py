"""Laws of the check whether sources compile."""

from __future__ import annotations

import time

import pytest

from codegen_eval.compilation import find_syntax_errors

GOOD = "def f(x):\n    return x\n"


def test_every_source_is_answered_in_its_place() -> None:
    """Those that compile give None, the others say where and why."""
    found = find_syntax_errors([GOOD, "def f(:\n", GOOD, "x = 1\n  y = 2\n", ""])

    assert [answer is None for answer in found] == [True, False, True, False, True]
    assert (found[1] or "").startswith("line 1: ")
    assert (found[3] or "").startswith("line 2: ")


def test_nothing_is_asked_where_there_is_nothing() -> None:
    assert find_syntax_errors([]) == ()


@pytest.mark.parametrize(
    "source",
    [
        "return 1\n",
        "\0",
        "x = '\ud800'\n",
        "print 1\n",
        "await x\n",
        "(" * 5000,
        "break",
    ],
)
def test_what_the_compiler_refuses_does_not_compile(source: str) -> None:
    """Also what no tokenizer or parser alone refuses, and what it gives up on."""
    before, found, after = find_syntax_errors([GOOD, source, GOOD])

    assert (before, after) == (None, None)
    assert found


def test_warnings_are_no_errors() -> None:
    assert find_syntax_errors(["assert (1, 'x')\n", "x = '\\d'\n", "x = 1 is 1\n"]) == (None, None, None)


@pytest.mark.parametrize(
    "source",
    [
        "x = " + "-" * 200_000 + "1\n",
        "x = " + "f(" * 100 + "1" + ")" * 100,
        "x\n" * 500_000,
        "a=" * 400_000 + "1",
        "1+" * 400_000 + "1",
        "#" * 1_000_000,
    ],
    ids=["minus", "deep", "lines", "chain", "sum", "comment"],
)
def test_hostile_sources_cost_only_themselves(source: str) -> None:
    """Whatever the compiler makes of it, others in the same batch are answered, and soon."""
    start = time.monotonic()
    found = find_syntax_errors([GOOD, source, GOOD, "def"])

    assert found[0] is None
    assert found[2] is None
    assert found[3]
    assert time.monotonic() - start < 60


def test_nothing_is_executed(tmp_path_factory: pytest.TempPathFactory) -> None:
    """Compiling runs no line of a source."""
    touched = tmp_path_factory.mktemp("marks") / "touched"
    find_syntax_errors([f"open({str(touched)!r}, 'w')\n"])

    assert not touched.exists()
