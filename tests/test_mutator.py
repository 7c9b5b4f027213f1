"""Laws of the mutator."""

from __future__ import annotations

import ast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from codegen_eval.mutator import Mutant, mutants
from codegen_eval.program import Unmutable

BINARY_SEARCH = '''"""Search."""
import bisect


def binary_search(arr: "list[1]", target: int = 0) -> "int":
    """Find 5 < 6."""
    low, high = 0, len(arr) - 1
    while low <= high and not arr is None:
        middle = (low + high) // 2
        if arr[middle] == target:
            return middle
        if arr[middle] < target:
            low = middle + 1
        else:
            high = middle - 1
    return -1


if __name__ == "__main__":
    print(binary_search([1, 2], 1 + 1))
'''


def all_mutants(source: str) -> tuple[Mutant, ...]:
    return mutants(source, limit=10_000, seed=0)


def changes(source: str) -> set[tuple[str, str]]:
    return {(m.operator, m.source) for m in all_mutants(source)}


@pytest.mark.parametrize(
    ("before", "operator", "after"),
    [
        ("x = a < b\n", "compare", "x = a  <=  b\n"),
        ("x = a <= b\n", "compare", "x = a  <  b\n"),
        ("x = a > b\n", "compare", "x = a  >=  b\n"),
        ("x = a >= b\n", "compare", "x = a  >  b\n"),
        ("x = a == b\n", "compare", "x = a  !=  b\n"),
        ("x = a is not b\n", "compare", "x = a  is  b\n"),
        ("x = a in b\n", "compare", "x = a  not in  b\n"),
        ("x = a not  in b\n", "compare", "x = a  in  b\n"),
        ("x = a < b < c\n", "compare", "x = a < b  <=  c\n"),
        ("x = a + b\n", "arithmetic", "x = a  -  b\n"),
        ("x = a ** b\n", "arithmetic", "x = a  *  b\n"),
        ("x += b\n", "arithmetic", "x  -=  b\n"),
        ("x = -b\n", "arithmetic", "x =  b\n"),
        ("x = a and b and c\n", "boolean", "x = a or b or c\n"),
        ("x = not b\n", "boolean", "x =   b\n"),
        ("x = 5\n", "constant", "x = 6\n"),
        ("x = True\n", "constant", "x = False\n"),
        ("x = 1.5\n", "constant", "x = 2.5\n"),
        ("x = 'a' 'b'\n", "constant", "x = ''\n"),
        ("x = b''\n", "constant", "x = b'mutant'\n"),
        ("def f():\n    return (a)\n", "return", "def f():\n    return (None)\n"),
        ("if a:\n    b\n", "condition", "if (not (a)):\n    b\n"),
        ("while a < b:\n    c\n", "condition", "while (not (a < b)):\n    c\n"),
        ("x = [i for i in y if i]\n", "condition", "x = [i for i in y if (not (i))]\n"),
        ("x = a if b else c\n", "condition", "x = a if (not (b)) else c\n"),
        ("x = a[1:]\n", "boundary", "x = a[0:]\n"),
        ("x = a < 10\n", "boundary", "x = a < 9\n"),
        ("for i in range(1, n): i\n", "boundary", "for i in range(0, n): i\n"),
    ],
)
def test_each_operator_changes_one_thing_and_leaves_the_rest_byte_for_byte(
    before: str, operator: str, after: str
) -> None:
    """An operator replaces one token or literal; the text around it stays."""
    assert (operator, after) in changes(before)


@pytest.mark.parametrize(
    "source",
    [
        '"""Docstring 1 < 2."""\n',
        "x: 'int < 3'\n",
        "def f(a: 3, *, b: 'x' = None) -> 5: pass\n",
        "if __name__ == '__main__':\n    x = 1 + 2\n",
        "import a.b as c\nfrom . import d\n",
        "@cache(maxsize=5)\ndef f(): pass\n",
        "raise ValueError('text' + str(1))\n",
        "x = f'{a + 1}'\n",
        "__all__ = ['a', 'b']\n",
        "x = None\n",
        "",
    ],
)
def test_what_has_no_behaviour_of_its_own_is_left_alone(source: str) -> None:
    """Docstrings, annotations, decorators, imports, error texts and main blocks give no mutants."""
    assert mutants(source, limit=100, seed=0) == ()


def test_operators_are_found_behind_comments_brackets_and_line_ends() -> None:
    """The text between two operands may hold anything that Python allows there."""
    source = "x = ((a) # < not this\n  < \\\n (b))\r\ny = é  is \\\n not (ö)\n"

    assert {m.id for m in all_mutants(source)} == {"L2:compare:<-><=#0", "L4:compare:is not->is#0"}


def test_mutants_of_a_real_solution_compile_and_differ_pairwise_and_from_it() -> None:
    """No two mutants, nor one and the original, have the same tree; ids are unique; order is that of the source."""
    made = all_mutants(BINARY_SEARCH)
    trees = [ast.dump(ast.parse(m.source)) for m in made]

    assert len(made) > 20
    assert len({*trees, ast.dump(ast.parse(BINARY_SEARCH))}) == len(made) + 1
    assert len({m.id for m in made}) == len(made)
    assert [m.line for m in made] == sorted(m.line for m in made)
    assert all(7 <= m.line <= 16 for m in made if m.id != "L5:constant:0->1#0")


@pytest.mark.parametrize("limit", [0, 1, 5, 11])
def test_a_sample_is_of_the_size_asked_for_and_a_subset_of_all(limit: int) -> None:
    """With more sites than the limit the sample has exactly the limit."""
    made = mutants(BINARY_SEARCH, limit=limit, seed=3)

    assert len(made) == limit
    assert set(made) <= set(all_mutants(BINARY_SEARCH))


def test_a_sample_spreads_over_lines_first() -> None:
    """As long as there are lines without a mutant no line has two."""
    lines = {m.line for m in all_mutants(BINARY_SEARCH)}

    made = mutants(BINARY_SEARCH, limit=len(lines), seed=1)

    assert {m.line for m in made} == lines


def test_a_sample_of_one_line_spreads_over_operators() -> None:
    """Where all sites are on one line, operators take turns."""
    source = "x = " + " or ".join(f"(a{i} < b + {i})" for i in range(30)) + "\n"

    shares = [len({m.operator for m in mutants(source, limit=60, seed=seed)}) for seed in range(5)]

    assert all(share >= 3 for share in shares)


def test_the_seed_decides_the_sample_and_nothing_else_does() -> None:
    """Same bytes and seed give the same mutants; seeds differ."""
    samples = {mutants(BINARY_SEARCH, limit=6, seed=seed) for seed in range(8)}

    assert mutants(BINARY_SEARCH, limit=6, seed=4) == mutants(BINARY_SEARCH, limit=6, seed=4)
    assert len(samples) > 1


@pytest.mark.slow
@pytest.mark.parametrize(
    "source",
    [
        "x = " + "1+" * 50_000 + "1",
        "x = " + "-" * 50_000 + "1",
        "x = " + "(" * 5_000 + ")" * 5_000,
        "x = a" + ".b" * 50_000,
        "x = a" + "[0]" * 50_000,
        "if x: pass\n" + "elif x: pass\n" * 20_000,
        "x = '" + "a" * (256 << 10) + "'",
        "x = '\ud800'",
        "x = '\0'",
        "x = " + "9" * 5_000,
        "def f(:",
        "return 5",
        "x = [" + "1," * 120_000 + "]",
    ],
    ids=lambda source: ascii(source[:12])[1:-1],
)
def test_source_that_can_not_be_handled_is_a_typed_refusal(source: str) -> None:
    """Too deep, too large, not Unicode or not Python: Unmutable, and no other exception."""
    with pytest.raises(Unmutable):
        mutants(source, limit=10, seed=0)


def test_a_chain_too_deep_for_recursive_walkers_is_still_mutated() -> None:
    """Nothing recurses: depth that Python itself takes is no obstacle."""
    made = mutants("x = " + "a+" * 800 + "a", limit=5, seed=0)

    assert len(made) == 5


def test_descriptions_show_hostile_literals_in_printable_ascii() -> None:
    """Ids and descriptions are short, printable ASCII whatever a literal holds."""
    made = all_mutants('x = "\\x1b[31m\\n' + "é" * 500 + '"\n')

    assert made
    assert all(m.id.isascii() and m.id.isprintable() and len(m.id) < 100 for m in made)
    assert all(m.description.isascii() and m.description.isprintable() for m in made)


def _binary(children: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    operators = [
        "+",
        "-",
        "*",
        "//",
        "%",
        "**",
        "<",
        "<=",
        "==",
        "is not",
        "not in",
        "and",
        "or",
        "if b else",
        "<<",
        "|",
    ]
    return st.one_of(
        st.tuples(children, st.sampled_from(operators), children).map(lambda t: f"({t[0]} {t[1]} {t[2]})"),
        st.tuples(children, st.sampled_from(["+", "*", "<"]), children).map(lambda t: f"{t[0]}{t[1]}{t[2]}"),
        children.map(lambda e: f"(not {e})"),
        children.map(lambda e: f"(-{e})"),
        children.map(lambda e: f"a[{e}:]"),
        children.map(lambda e: f"range({e})"),
        children.map(lambda e: f"[i for i in a if {e}]"),
        children.map(lambda e: f"(lambda k=1: {e})"),
        children.map(lambda e: f"f(é, *[{e}])"),
    )


EXPRESSIONS = st.recursive(
    st.sampled_from(
        ["a", "é", "0", "1", "0xFF", "1_000", "2.5", "True", "None", "'é'", "''", "b'x'", "f'{a+1}'", "1j"]
    ),
    _binary,
    max_leaves=12,
)
STATEMENTS = st.one_of(
    EXPRESSIONS.map(lambda e: f"x = {e}"),
    EXPRESSIONS.map(lambda e: f"x += {e}"),
    EXPRESSIONS.map(lambda e: f"def f(a):\n    return {e}"),
    EXPRESSIONS.map(lambda e: f"if {e}:\n\tpass"),
    EXPRESSIONS.map(lambda e: f"while {e}: break"),
    EXPRESSIONS.map(lambda e: f"assert {e}, 'no'"),
    EXPRESSIONS.map(lambda e: f"match a:\n  case 1 if {e}: pass"),
)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::SyntaxWarning")
@given(st.lists(STATEMENTS, min_size=1, max_size=4).map("\n".join), st.integers(0, 30), st.integers())
def test_mutants_of_any_program_compile_differ_and_repeat(source: str, limit: int, seed: int) -> None:
    """For any program: at most the limit, all compile, no two trees are equal, and a second call gives the same."""
    made = mutants(source, limit=limit, seed=seed)
    trees = {ast.dump(ast.parse(m.source)) for m in made} | {ast.dump(ast.parse(source))}
    for mutant in made:
        compile(mutant.source, "<mutant>", "exec", dont_inherit=True)

    assert len(made) <= limit
    assert len(trees) == len(made) + 1
    assert len({m.id for m in made}) == len(made)
    assert mutants(source, limit=limit, seed=seed) == made


@given(st.text(max_size=200))
def test_any_text_gives_mutants_or_a_typed_refusal(source: str) -> None:
    """Arbitrary text never ends in another exception."""
    try:
        made = mutants(source, limit=3, seed=0)
    except Unmutable:
        return
    assert len(made) <= 3
