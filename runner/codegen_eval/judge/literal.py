"""Read one call with literal arguments that a stranger wrote. Nothing in it is ever evaluated as Python."""

from __future__ import annotations

import ast
import operator
import re
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import NoReturn

MAX_CHARS = 4000
_MAX_NESTING = 80
"""Brackets in brackets. The deepest input of the shipped tasks has 51."""
_MAX_WEIGHT = 250_000
"""Items in all, each of eight characters or less."""
_MAX_BITS = 4096
_CHARS_IN_ITEM = 8
_BRACKET = re.compile(r"[(\[{]|[)\]}]")


class UnreadableError(ValueError):
    """Not a call with literal arguments, or a larger one than is accepted."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadCall:
    """The arguments of a call."""

    args: tuple[object, ...]
    kwargs: dict[str, object]


def read_call(text: str, function: str) -> ReadCall:
    """Read a call of `function`.

    Arguments are literals of the plain types, `set()`, `frozenset([...])`, `float("nan")`, `range(...)` and lists or
    tuples of one; between numbers `+ - * **`, and `+` and `*` for texts, lists and tuples, so that a long input can be
    written shortly.

    Raises:
        UnreadableError: it is something else, too large or too deep.
    """
    if len(text) > MAX_CHARS:
        _refuse("it is too long")
    depth = 0
    for mark in _BRACKET.finditer(text):  # those in strings count, too: nobody needs so many
        depth += 1 if mark.group() in "([{" else -1
        if depth > _MAX_NESTING:
            _refuse("it is nested too deeply")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            body = ast.parse(text.strip(), mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError, OverflowError, SystemError):
        _refuse("it is not a Python expression")
    if not (isinstance(body, ast.Call) and isinstance(body.func, ast.Name) and body.func.id == function):
        _refuse("it is not a call of the function")
    reader = _Reader()
    args = tuple(reader.read(arg) for arg in body.args)
    kwargs: dict[str, object] = {}
    for keyword in body.keywords:
        if keyword.arg is None or keyword.arg in kwargs:
            _refuse("its arguments are not plain")
        kwargs[keyword.arg] = reader.read(keyword.value)
    return ReadCall(args=args, kwargs=kwargs)


def _refuse(why: str) -> NoReturn:
    raise UnreadableError(why)


class _Reader:
    """Turn nodes into values, within a weight that is checked before anything large is made."""

    def __init__(self) -> None:
        self._depth = 0

    def read(self, node: ast.expr) -> object:
        """Return the value of a node."""
        return self._read(node)[0]

    def _read(self, node: ast.expr) -> tuple[object, int]:
        """Return the value of a node and its weight."""
        self._depth += 1
        if self._depth > 2 * _MAX_NESTING:
            _refuse("it is nested too deeply")
        try:
            return self._read_node(node)
        finally:
            self._depth -= 1

    def _read_node(self, node: ast.expr) -> tuple[object, int]:
        match node:
            case ast.Constant(value=None | bool() | int() | float() | complex() as value):
                return value, 1
            case ast.Constant(value=str() | bytes() as value):
                return value, _weight(len(value))
            case ast.List(elts=nodes) | ast.Tuple(elts=nodes) | ast.Set(elts=nodes):
                items, weight = self._items(nodes)
                return _of_items({ast.List: "list", ast.Tuple: "tuple", ast.Set: "set"}[type(node)], items), weight
            case ast.Dict():
                return self._mapping(node)
            case ast.UnaryOp(op=ast.USub() | ast.UAdd() as sign, operand=operand):
                value = self._number(operand)
                return (-value if isinstance(sign, ast.USub) else value), 1
            case ast.BinOp():
                return self._combined(node)
            case ast.Call(func=ast.Name(id=name), args=nodes, keywords=[]):
                return self._made(name, nodes)
        _refuse("its arguments are not literals")

    def _mapping(self, node: ast.Dict) -> tuple[object, int]:
        if any(key is None for key in node.keys):
            _refuse("it unpacks a dictionary")
        names, one = self._items([key for key in node.keys if key is not None])
        held, other = self._items(node.values)
        try:
            return dict(zip(names, held, strict=True)), _checked(one + other)
        except TypeError:
            _refuse("it holds what can't be a key")

    def _items(self, nodes: list[ast.expr]) -> tuple[list[object], int]:
        items: list[object] = []
        total = 1
        for node in nodes:
            item, weight = self._read(node)
            items.append(item)
            total = _checked(total + weight)
        return items, total

    def _number(self, node: ast.expr) -> int | float | complex:
        value, _ = self._read(node)
        if not isinstance(value, int | float | complex) or isinstance(value, bool):
            _refuse("its arguments are not literals")
        return value

    def _combined(self, node: ast.BinOp) -> tuple[object, int]:
        """Read a sum, a product or a power."""
        (left, one), (right, other) = self._read(node.left), self._read(node.right)
        if isinstance(left, int | float | complex) and isinstance(right, int | float | complex):
            return _calculated(node.op, left, right), 1
        match node.op, left, right:
            case ast.Add(), str(), str():
                return left + right, _checked(one + other)
            case ast.Add(), bytes(), bytes():
                return left + right, _checked(one + other)
            case ast.Add(), list(), list():
                return left + right, _checked(one + other)
            case ast.Add(), tuple(), tuple():
                return left + right, _checked(one + other)
            case ast.Mult(), str() | bytes() | list() | tuple(), int():
                return _repeated(left, one, right)
            case ast.Mult(), int(), str() | bytes() | list() | tuple():
                return _repeated(right, other, left)
        _refuse("its arguments are not literals")

    def _made(self, name: str, nodes: list[ast.expr]) -> tuple[object, int]:
        """Read a call of one of the few functions that stand for literals."""
        args, weight = self._items(nodes)
        match name, args:
            case "set", []:
                return set(), 1
            case "frozenset", []:
                return frozenset(), 1
            case "set" | "frozenset" | "list" | "tuple", [list() | tuple() | set() | frozenset() as items]:
                return _of_items(name, list(items)), weight
            case "list" | "tuple" | "set", [range() as numbers]:
                _checked(weight + len(numbers))
                return _of_items(name, list(numbers)), weight + len(numbers)
            case "range", [int()] | [int(), int()] | [int(), int(), int()]:
                return _range([arg for arg in args if isinstance(arg, int)]), 1
            case "float", [str(text)] if text.strip().lower().lstrip("+-") in {"nan", "inf", "infinity"}:
                return float(text), 1
        _refuse("it calls what is no literal")


def _weight(chars: int) -> int:
    return _checked(1 + chars // _CHARS_IN_ITEM)


def _checked(weight: int) -> int:
    if weight > _MAX_WEIGHT:
        _refuse("it is too large")
    return weight


def _range(bounds: list[int]) -> range:
    if any(bound.bit_length() > 60 for bound in bounds) or (len(bounds) == 3 and not bounds[2]):  # noqa: PLR2004
        _refuse("it is too large")
    return range(*bounds)


def _of_items(name: str, items: list[object]) -> object:
    kinds: dict[str, Callable[[list[object]], object]] = {"tuple": tuple, "set": set, "frozenset": frozenset}
    try:
        return kinds[name](items) if name in kinds else items
    except TypeError:
        _refuse("it holds what can't be a key")


def _repeated(sequence: str | bytes | list[object] | tuple[object, ...], weight: int, times: int) -> tuple[object, int]:
    """Repeat a sequence; each item of the result weighs what it weighs."""
    if times <= 0 or not sequence:
        return sequence[:0], 1
    if isinstance(sequence, str | bytes):
        new = _weight(min(times, _MAX_WEIGHT * _CHARS_IN_ITEM * 2) * len(sequence))
    else:
        new = _checked(weight * times)
    return sequence * times, new


_OPERATORS: dict[type[ast.operator], Callable[[complex, complex], complex]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
}


def _calculated(how: ast.operator, left: complex, right: complex) -> complex:
    """Calculate with two numbers whose result is small."""
    bits = [value.bit_length() if isinstance(value, int) else 64 for value in (left, right)]
    try:
        if isinstance(how, ast.Pow):
            if not isinstance(left, int | float) or not isinstance(right, int) or right < 0:
                _refuse("its arguments are not literals")
            if max(bits[0], 1) * right > _MAX_BITS:
                _refuse("it is too large")
            return left**right
        if type(how) not in _OPERATORS:
            _refuse("its arguments are not literals")
        if sum(bits) > _MAX_BITS:
            _refuse("it is too large")
        return _OPERATORS[type(how)](left, right)
    except OverflowError:
        _refuse("it is too large")
