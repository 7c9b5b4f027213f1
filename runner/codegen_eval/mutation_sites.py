"""Where a solution's source can be mutated, and what would stand there instead."""

from __future__ import annotations

import ast
import bisect
import math
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

COMPARISONS: dict[type[ast.cmpop], tuple[str, str]] = {
    ast.Lt: ("<", "<="),  # off by one at the bound
    ast.LtE: ("<=", "<"),  # off by one at the bound
    ast.Gt: (">", ">="),  # off by one at the bound
    ast.GtE: (">=", ">"),  # off by one at the bound
    ast.Eq: ("==", "!="),  # the opposite; there is no bound
    ast.NotEq: ("!=", "=="),  # the opposite
    ast.Is: ("is", "is not"),  # the opposite
    ast.IsNot: ("is not", "is"),  # the opposite
    ast.In: ("in", "not in"),  # the opposite
    ast.NotIn: ("not in", "in"),  # the opposite
}
ARITHMETIC: dict[type[ast.operator], tuple[str, str]] = {
    ast.Add: ("+", "-"),  # the inverse, of the same precedence
    ast.Sub: ("-", "+"),  # the inverse
    ast.Mult: ("*", "//"),  # the inverse that keeps integers integers
    ast.Div: ("/", "*"),  # the inverse
    ast.FloorDiv: ("//", "*"),  # the inverse
    ast.Mod: ("%", "//"),  # the other half of divmod
    ast.Pow: ("**", "*"),  # one rank lower
    ast.LShift: ("<<", ">>"),  # the inverse
    ast.RShift: (">>", "<<"),  # the inverse
    ast.BitAnd: ("&", "|"),  # union for intersection
    ast.BitOr: ("|", "&"),  # intersection for union
    ast.BitXor: ("^", "|"),  # differs where both are set
}
UNARY: dict[type[ast.unaryop], tuple[str, str]] = {
    ast.Not: ("boolean", "not"),  # dropped: the opposite
    ast.USub: ("arithmetic", "-"),  # dropped: the sign
    ast.Invert: ("arithmetic", "~"),  # dropped: the complement
}
BOOLEAN: dict[type[ast.boolop], tuple[str, str]] = {
    ast.And: ("and", "or"),  # a condition too weak
    ast.Or: ("or", "and"),  # a condition too strong
}
BOUNDED_CALLS = frozenset({"range", "islice", "min", "max", "round"})
"""Functions whose integer arguments are bounds."""
_OPPOSITE_KNOWN = (ast.Eq, ast.NotEq, ast.Is, ast.IsNot, ast.In, ast.NotIn)
"""Comparisons whose mutant already is their negation."""
_SEQUENCE = (ast.JoinedStr, ast.List, ast.Tuple, ast.ListComp, ast.Dict, ast.Set)
"""Operands on which another arithmetic operator is a mere TypeError: a mutant that proves nothing."""
_SKIPPED_NODES = (
    ast.Import,  # no behaviour of its own
    ast.ImportFrom,  # no behaviour of its own
    ast.Raise,  # the text of an error is not under test
    ast.JoinedStr,  # positions inside are unknown before Python 3.12
    ast.Global,
    ast.Nonlocal,
)
_SKIPPED_FIELDS = frozenset(
    {
        "annotation",  # never evaluated for the answer
        "returns",  # an annotation
        "type_params",  # annotations
        "decorator_list",  # caches and the like: same answers
        "msg",  # the text of an assertion
    }
)
_SKIPPED_TARGETS = frozenset({"__all__", "__slots__", "__match_args__"})
_MAX_INT_BITS = 256
_MAX_SHOWN = 24
_GAP = re.compile(rb"(?:\s|\\\n|#[^\n]*|[()])*")


class Position(NamedTuple):
    """Byte offsets in the source."""

    start: int
    end: int


class Edit(NamedTuple):
    """Bytes to replace, and by what."""

    start: int
    end: int
    text: str


@dataclass(frozen=True, slots=True, order=True, kw_only=True)
class Site:
    """One change that can be made."""

    position: Position
    line: int
    operator: str
    """One of compare, arithmetic, boolean, constant, return, condition, boundary."""
    before: str
    after: str
    edits: tuple[Edit, ...]


def find_sites(tree: ast.Module, data: bytes, line_starts: tuple[int, ...]) -> Iterator[Site]:
    """Yield every site of a tree, in no particular order."""
    finder = _Finder(data, line_starts)
    stack: list[tuple[ast.AST, bool]] = [(tree, False)]
    while stack:
        node, bounded = stack.pop()
        if _is_skipped(node):
            continue
        yield from finder.sites(node, bounded=bounded)
        inherits = isinstance(node, ast.UnaryOp) and bounded
        bounds = _bounds(node)
        for name in node._fields:
            if name in _SKIPPED_FIELDS:
                continue
            value = getattr(node, name, None)
            children = value if isinstance(value, list) else [value]
            stack.extend((c, inherits or name in bounds) for c in children if isinstance(c, ast.AST))


def _is_skipped(node: ast.AST) -> bool:
    """Say whether nothing under this node is worth mutating."""
    match node:
        case ast.Expr(value=ast.Constant()):
            return True  # a docstring, or no effect
        case ast.If(test=ast.Compare(left=ast.Name(id="__name__"))):
            return True  # not run when imported
        case ast.If(test=ast.Name(id="TYPE_CHECKING")):
            return True  # annotations
        case ast.Assign(targets=[ast.Name(id=name)]):
            return name in _SKIPPED_TARGETS
    return isinstance(node, _SKIPPED_NODES) or type(node).__name__ in {"TypeAlias", "TemplateStr"}


def _bounds(node: ast.AST) -> frozenset[str]:
    """Return the fields of a node in which an integer is a bound."""
    match node:
        case ast.Compare():
            return frozenset({"left", "comparators"})
        case ast.Slice():
            return frozenset({"lower", "upper"})
        case ast.Subscript():
            return frozenset({"slice"})
        case ast.Call(func=ast.Name(id=name)) if name in BOUNDED_CALLS:
            return frozenset({"args"})
    return frozenset()


class _Finder:
    """Turn nodes into sites."""

    def __init__(self, data: bytes, line_starts: tuple[int, ...]) -> None:
        self._data = data
        self._starts = line_starts

    def sites(self, node: ast.AST, *, bounded: bool) -> Iterator[Site]:  # noqa: C901 - one branch for each kind of node
        """Yield the changes of one node."""
        match node:
            case ast.Compare():
                yield from self._compare(node)
            case ast.BinOp() | ast.AugAssign():
                yield from self._arithmetic(node)
            case ast.BoolOp():
                yield from self._boolean(node)
            case ast.UnaryOp():
                yield from self._unary(node)
            case ast.Constant():
                yield from self._constant(node, bounded=bounded)
            case ast.Return(value=ast.expr() as value):
                yield from self._return(value)
            case ast.If(test=test) | ast.While(test=test) | ast.IfExp(test=test) | ast.Assert(test=test):
                yield from self._condition(test)
            case ast.match_case(guard=ast.expr() as guard):
                yield from self._condition(guard)
            case ast.comprehension(ifs=tests):
                for test in tests:
                    yield from self._condition(test)

    def _compare(self, node: ast.Compare) -> Iterator[Site]:
        operands = [node.left, *node.comparators]
        for op, left, right in zip(node.ops, operands, operands[1:], strict=False):
            before, after = COMPARISONS[type(op)]
            yield from self._between("compare", left, right, before, after)

    def _arithmetic(self, node: ast.BinOp | ast.AugAssign) -> Iterator[Site]:
        left, right = (node.left, node.right) if isinstance(node, ast.BinOp) else (node.target, node.value)
        if type(node.op) not in ARITHMETIC or _is_sequence(left) or _is_sequence(right):
            return
        before, after = ARITHMETIC[type(node.op)]
        equals = "" if isinstance(node, ast.BinOp) else "="
        yield from self._between("arithmetic", left, right, before + equals, after + equals)

    def _boolean(self, node: ast.BoolOp) -> Iterator[Site]:
        before, after = BOOLEAN[type(node.op)]
        found = [self._operator(a, b, before) for a, b in zip(node.values, node.values[1:], strict=False)]
        edits = tuple(Edit(*place, after) for place in found if place is not None)
        if len(edits) == len(found):
            yield self._site("boolean", Position(edits[0].start, edits[0].end), before, after, *edits)

    def _unary(self, node: ast.UnaryOp) -> Iterator[Site]:
        if type(node.op) not in UNARY:
            return
        operator, before = UNARY[type(node.op)]
        start = self._place(node).start
        if self._data.startswith(before.encode(), start):
            place = Position(start, start + len(before))
            yield self._site(operator, place, before, "", Edit(*place, " "))

    def _constant(self, node: ast.Constant, *, bounded: bool) -> Iterator[Site]:
        value, place = node.value, self._place(node)
        changes: list[tuple[str, str]] = []
        match value:
            case bool():
                changes = [("constant", repr(not value))]
            case int() if value.bit_length() <= _MAX_INT_BITS:
                changes = [("constant", repr(value + 1))]
                if bounded:
                    changes.append(("boundary", repr(value - 1)))
            case float() if math.isfinite(value):
                changes = [("constant", repr(value + 1.0))]
            case str() | bytes():
                empty = repr(type(value)())
                changes = [("constant", empty if value else empty[:-1] + "mutant" + empty[-1])]
        for operator, after in changes:
            yield self._site(operator, place, _shown(value), after, Edit(*place, after))

    def _return(self, value: ast.expr) -> Iterator[Site]:
        if isinstance(value, ast.Constant) and value.value is None:
            return
        place = self._place(value)
        yield self._site("return", place, "value", "None", Edit(*place, "None"))

    def _condition(self, test: ast.expr) -> Iterator[Site]:
        """Negate a test, unless another operator does so already."""
        match test:
            case ast.Compare(ops=[op]) if isinstance(op, _OPPOSITE_KNOWN):
                return
            case ast.Constant() | ast.UnaryOp(op=ast.Not()):
                return
        place = self._place(test)
        edits = (Edit(place.start, place.start, "(not ("), Edit(place.end, place.end, "))"))
        yield self._site("condition", place, "test", "not test", *edits)

    def _between(self, operator: str, left: ast.expr, right: ast.expr, before: str, after: str) -> Iterator[Site]:
        place = self._operator(left, right, before)
        if place is not None:
            yield self._site(operator, place, before, after, Edit(*place, f" {after} "))

    def _operator(self, left: ast.expr, right: ast.expr, text: str) -> Position | None:
        """Return where the operator between two operands stands; None where that can't be told."""
        gap = self._data[self._place(left).end : self._place(right).start]
        lead = _GAP.match(gap)
        start = lead.end() if lead else 0
        words = rb"(?:\s|\\\n|#[^\n]*)+".join(re.escape(word.encode()) for word in text.split())
        found = re.compile(words).match(gap, start)
        if found is None or _GAP.fullmatch(gap, found.end()) is None:
            return None
        base = self._place(left).end
        return Position(base + found.start(), base + found.end())

    def _place(self, node: ast.expr) -> Position:
        start = self._starts[node.lineno - 1] + node.col_offset
        end = self._starts[(node.end_lineno or node.lineno) - 1] + (node.end_col_offset or 0)
        return Position(start, end)

    def _site(self, operator: str, place: Position, before: str, after: str, *edits: Edit) -> Site:
        line = bisect.bisect_right(self._starts, place.start)
        return Site(position=place, line=line, operator=operator, before=before, after=after, edits=edits)


def _is_sequence(node: ast.expr) -> bool:
    return isinstance(node, _SEQUENCE) or (isinstance(node, ast.Constant) and isinstance(node.value, str | bytes))


def _shown(value: object) -> str:
    """Return a literal in a few characters of printable ASCII."""
    if isinstance(value, str | bytes):
        value = value[:_MAX_SHOWN]
    text = ascii(value)
    return text if len(text) <= _MAX_SHOWN else text[: _MAX_SHOWN - 3] + "..."
