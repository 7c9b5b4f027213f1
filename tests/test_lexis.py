"""Cutting Python source into words: what is defined, called and mentioned, on honest and on hostile text."""

from __future__ import annotations

import ast
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from codegen_eval.lexis import (
    MAX_CHARS,
    attributes,
    defined_names,
    definitions,
    free_names,
    imported_names,
    is_markdown,
    mentioned_names,
    methods,
    text_before,
    words,
)
from codegen_eval.resources import resource_root


def test_definitions_agree_with_the_parser() -> None:
    """For every program of the corpus and the tasks, the definitions are those that Python's own parser finds."""
    files = sorted([*(resource_root() / "corpus").rglob("*.py"), *(resource_root() / "tasks").rglob("*.py")])
    for file in files:
        source = file.read_text(encoding="utf-8")
        try:
            tree = ast.parse(source)
        except SyntaxError:
            continue
        wanted = [
            node.name for node in tree.body if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)
        ]
        found = [d.name for d in definitions(source)]

        assert [name for name in found if name in wanted] == wanted, file
    assert len(files) > 50


@pytest.mark.parametrize(
    ("source", "names"),
    [
        ("def f(): ...", {"f"}),
        ("async def f(): ...\nclass C: ...", {"f", "C"}),
        ("@d\n@e(1)\ndef f(): ...", {"f"}),
        ("x = 1\ny: int = 2\nz == 3\nw.a = 4", {"x", "y"}),
        ("if True:\n    def f(): ...\nelse:\n    def g(): ...", set()),
        ("'''\ndef f(): ...\n'''", set()),
        ("# def f(): ...\n(\ndef_)\nlambda: 1", set()),
        ("f(\nx = 1)\n[\ny\n]", set()),
        ("x = '\\'\ndef f(): ...", {"x", "f"}),
        ("\\\ndef f(): ...", {"f"}),
        ('rb"""\ndef f(): ...\n"""\ndef g(): ...', {"g"}),
        ("def f(a='def g(): ...'): ...", {"f"}),
    ],
)
def test_definitions_stand_at_the_top_level(source: str, names: set[str]) -> None:
    """A definition counts at the top level only, and not in strings, comments or brackets."""
    assert defined_names(source) == names


def test_text_before_a_definition_leaves_its_decorators_to_it() -> None:
    """What stands before the last definition of a name ends where its decorators begin."""
    helpers = "import a\n\ndef f(): ...\n\n"

    assert text_before(helpers + "@b\n@c\ndef f(): ...\n", "f") == helpers
    assert text_before("import a\n", "f") == ""


@pytest.mark.parametrize(
    ("source", "names"),
    [
        ("assert set(f((1, 2))) == g(3)", ["assert", "set", "f", "g"]),
        ("assert f(k=2) == '(g(2))' # h()", ["assert", "f"]),
        ("assert [f(g) for g in x] == y.z", ["assert", "f", "for", "in", "x", "y"]),
        ("a = f(1)\nassert a == b", ["f", "assert", "b"]),
        ("def run(x):\n    return f(x)\n", ["def", "x", "return", "f", "x"]),
        ("f(a == b)", ["f", "a", "b"]),
    ],
)
def test_free_names_are_mentioned_and_not_bound(source: str, names: list[str]) -> None:
    """Keywords of calls, and what the source binds itself, are none; nor are attributes, strings and comments."""
    assert free_names(source) == names


def test_attributes_and_methods_are_told_by_what_stands_before_them() -> None:
    """Attributes are behind a dot, methods are defined below the top level."""
    assert attributes("a.b(c.d).e == 'x.y'  # p.q") == {"b", "d", "e"}
    assert methods("def f(): ...\nclass A:\n    def g(self): ...\n    async def h(self): ...\n") == {"g", "h"}


def test_mentions_leave_attributes_and_strings_out() -> None:
    """A name is mentioned where it stands by itself."""
    assert mentioned_names("a.b(c, 'd') # e") == {"a", "c"}


@pytest.mark.parametrize(
    ("text", "fenced"),
    [
        ("Here's it:\n```python\nx\n```", True),
        ("  ```\nx", True),
        ("'''\n```\n'''\n", False),
        ("x = 1  # ```\n", False),
        ("`` x ``\nx = ```1```", False),
        ("", False),
    ],
)
def test_markdown_has_a_fence_outside_of_strings(text: str, *, fenced: bool) -> None:
    """A fence at the beginning of a line makes a text Markdown, unless it is in a string or a comment."""
    assert is_markdown(text) is fenced


@given(source=st.text(alphabet="'\"\\\n #abrf(=:@`\t", max_size=80))
def test_words_stand_where_they_say(source: str) -> None:
    """Every word is the text at its place, and words come in order, whatever the text."""
    end = 0
    for word in words(source):
        assert source[word.start : word.start + len(word.text)] == word.text
        assert word.start >= end
        end = word.start + len(word.text)


@pytest.mark.slow
@pytest.mark.parametrize(
    "piece",
    ['"', "'''", "\\", '"\\', "(", "a ", "@", '"""\\', "r", "rb", "@\n", "a.", '"a\\\n', "f'{", "#", "\f", "=:"],
)
def test_hostile_text_takes_linear_time(piece: str) -> None:
    """Text that is made to set a pattern back takes no longer than other text; what is beyond the limit takes none."""
    text = piece * (10 * MAX_CHARS // len(piece))
    begun = time.process_time()
    definitions(text)
    free_names(text)

    assert time.process_time() - begun < 10


def test_imports_bind_names() -> None:
    """What imports at the top level bind is known, renamed or not, on one line or several."""
    source = (
        "import os, sys as system\nimport xml.etree\nfrom math import (\n    pi,\n    tau as turn,\n)\n"
        "from heapq import *\ndef f():\n    import json\nx = 'import no'\n"
    )

    assert imported_names(source) == {"os", "system", "xml", "pi", "turn"}
