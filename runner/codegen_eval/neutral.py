"""Changes that mean nothing: a solution that knows its own code is told from one that its cases check.

Every mutant is changed so as well, by chance each time. Were a copy that means the same told from a mutant by a name,
by its length or by what it compares, a solution could fail on purpose in all mutants and nowhere else.
"""

from __future__ import annotations

import ast
import random
from collections.abc import Iterator
from typing import NamedTuple

from codegen_eval.program import Unmutable, encode, line_starts, parse

_STATEMENTS = (
    "assert ({number}).real * 3 + 1 > 2 or None",
    "not ({number}).real > 1 and None",
    "[{number}][0] + 1 >= 2 or ''",
    "({number}).real - 1 == {number} and ''",
    "'' if ({number}).real + 1 < 2 else None",
    "assert [{number}, None][0] + 1 > 0",
)
"""They have what mutants change, operators, constants and conditions, and bind no name."""
_LARGEST = 99
_WRAPS = (("(", ",)[0]"), ("[", "][0]"), ("(None, ", ")[1]"), ("[0, ", "][-1]"))
"""Around an expression, whose value they have."""
_MIRRORED = {"<": ">", ">": "<", "<=": ">=", ">=": "<=", "==": "==", "!=": "!="}


class _Edit(NamedTuple):
    start: int
    end: int
    text: bytes


def neutral(source: str, chance: random.Random) -> str | None:
    """Return the source with a statement more in every function and class, and some comparisons the other way round.

    What a `lambda` returns, and each item of a comprehension, goes through a tuple or a list. So no code object stays
    as it is. None where the source can't be read or has no place for that.
    """
    try:
        text = source.replace("\r\n", "\n").replace("\r", "\n")
        data = encode(text)
        tree = parse(text)
        starts = line_starts(data)
        edits = [_inserted(data, place, _statement(chance)) for place in _places(tree, starts)]
        wrap = chance.choice(_WRAPS)  # the same for all: several may end at one place
        edits += [edit for extent in _expressions(tree, starts) for edit in _wrapped(extent, wrap)]
        edits += [edit for edit in _mirrored(tree, data, starts) if chance.getrandbits(1)]
        for edit in sorted(edits, reverse=True):  # of two at one place the one that takes something's place goes first
            data = data[: edit.start] + edit.text + data[edit.end :]
        changed = (data + b"\n" + _statement(chance) + b"\n").decode()
        parse(changed)
    except Unmutable:
        return None
    return changed


def _statement(chance: random.Random) -> bytes:
    return chance.choice(_STATEMENTS).format(number=chance.randint(1, _LARGEST)).encode()


def _inserted(data: bytes, place: int, statement: bytes) -> _Edit:
    line = data.rfind(b"\n", 0, place) + 1
    indent = data[line:place]
    goes_on = data[:line].endswith(b"\\\n")  # from the line of the `def`
    glue = b"; " if indent.strip() or goes_on else b"\n" + indent
    return _Edit(place, place, statement + glue)


def _places(tree: ast.AST, starts: tuple[int, ...]) -> Iterator[int]:
    """Yield a byte offset in each function and class before which a statement can stand."""
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            rest = node.body[1:] if ast.get_docstring(node, clean=False) is not None else node.body
            plain = [each for each in rest if not getattr(each, "decorator_list", ())]
            if plain:
                yield starts[plain[0].lineno - 1] + plain[0].col_offset


def _outside_texts(tree: ast.AST) -> Iterator[ast.AST]:
    """Yield all nodes but what stands in formatted strings, whose places Python 3.11 does not know."""
    left = [tree]
    while left:
        node = left.pop()
        yield node
        left.extend(child for child in ast.iter_child_nodes(node) if not isinstance(child, ast.JoinedStr))


def _expressions(tree: ast.AST, starts: tuple[int, ...]) -> Iterator[tuple[int, int]]:
    """Yield where what each `lambda` and comprehension gives begins and ends, if it can be an item of a list."""
    for node in _outside_texts(tree):
        match node:
            case ast.Lambda(body=given) | ast.DictComp(value=given):
                pass
            case ast.ListComp(elt=given) | ast.SetComp(elt=given) | ast.GeneratorExp(elt=given):
                pass
            case _:
                continue
        if not isinstance(given, ast.NamedExpr | ast.Yield | ast.YieldFrom):
            yield _extent(given, starts)


def _wrapped(extent: tuple[int, int], wrap: tuple[str, str]) -> Iterator[_Edit]:
    (before, behind), (start, end) = wrap, extent
    yield _Edit(start, start, before.encode())
    yield _Edit(end, end, behind.encode())


def _mirrored(tree: ast.AST, data: bytes, starts: tuple[int, ...]) -> Iterator[_Edit]:
    """Yield comparisons of a constant with a name the other way round.

    Of two names, either may be of a class that means something else by `>` than by `<` seen from behind.
    """
    for node in _outside_texts(tree):
        if not isinstance(node, ast.Compare) or len(node.ops) > 1:
            continue
        sides = node.left, node.comparators[0]
        if not all(isinstance(side, ast.Name | ast.Constant) for side in sides):
            continue
        if not any(isinstance(side, ast.Constant) for side in sides):
            continue
        (first, middle), (right, last) = (_extent(side, starts) for side in sides)
        operator = _MIRRORED.get(data[middle:right].strip().decode(errors="replace"))
        if operator is not None:
            yield _Edit(first, last, b"(%b %b %b)" % (data[right:last], operator.encode(), data[first:middle]))


def _extent(node: ast.expr, starts: tuple[int, ...]) -> tuple[int, int]:
    end_line, end = node.end_lineno or node.lineno, node.end_col_offset or node.col_offset
    return starts[node.lineno - 1] + node.col_offset, starts[end_line - 1] + end
