"""The rule about SQL that is put together from strings: CE301."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from .constant import is_fixed
from .match import Match, Module, at

_SINKS = frozenset(
    {"execute", "executemany", "executescript", "execute_sql", "mogrify", "raw", "read_sql", "read_sql_query"}
)
_PARAMETERS = frozenset({"sql", "sql_script", "query", "statement", "operation", "raw_query"})
_STATEMENT = re.compile(
    r"\b(?:select\b.*\bfrom|insert\s+into|replace\s+into|update\b.*\bset\b|delete\s+from|drop\s+(?:table|database|view|index)|"
    r"create\s+(?:table|database|view|index|user)|alter\s+(?:table|user)|truncate\s+table|where\b|union\s+(?:all\s+)?select|"
    r"pragma\s|order\s+by|grant\s|exec\s)|"
    r"\A\s*(?:select|insert|delete|replace|drop|create|alter|attach|detach|truncate)\s",
    re.IGNORECASE | re.DOTALL,
)


def check_sql(module: Module) -> Iterator[Match]:
    """Yield the places where a built statement reaches a database."""
    for node in module.tree.nodes:
        if not isinstance(node, ast.Call):
            continue
        statements = [node.args[0]] if node.args else [word.value for word in node.keywords if word.arg in _PARAMETERS]
        tail = node.func.attr if isinstance(node.func, ast.Attribute) else None
        if tail not in _SINKS and not module.names.is_named(node.func, frozenset({"sqlalchemy.text"})):
            continue
        for statement in statements:
            if _is_built(module, statement) or (tail == "executescript" and module.taints.of(statement)):
                yield at(node, "CE301-sql")


def _is_built(module: Module, statement: ast.expr) -> bool:  # noqa: C901, PLR0912 - one arm per form of text
    """Say whether a text is put together from SQL and something that is not fixed."""
    if is_fixed(module.names, statement):
        return False
    texts: list[str] = []
    varying = False
    stack = [statement]
    seen: set[int] = set()
    while stack:
        module.tree.budget.spend()
        part = stack.pop()
        if id(part) in seen:
            continue
        seen.add(id(part))
        match part:
            case ast.Constant(value=str(text)):
                texts.append(text)
            case ast.BinOp(op=ast.Add(), left=left, right=right):
                stack += (right, left)
                varying = varying or not (is_fixed(module.names, left) and is_fixed(module.names, right))
            case ast.BinOp(op=ast.Mod(), left=left, right=right):
                stack.append(left)
                varying = varying or not is_fixed(module.names, right)
            case ast.JoinedStr(values=values):
                stack.extend(reversed(values))
                varying = varying or not is_fixed(module.names, part)
            case ast.FormattedValue(value=inner):
                stack.append(inner)
            case ast.Call(
                func=ast.Attribute(value=owner, attr="format" | "join" | "replace" | "format_map"), args=args
            ):
                stack += (owner, *args)
                varying = varying or not is_fixed(module.names, part)
            case ast.Call(func=ast.Attribute(value=owner, attr="strip" | "lower" | "upper" | "encode")):
                stack.append(owner)
            case ast.List(elts=parts) | ast.Tuple(elts=parts):
                stack += parts
            case ast.IfExp(body=body, orelse=orelse):
                stack += (body, orelse)
            case ast.Name():
                ways = [way for way in module.names.bindings(part) if way.value is not None and not way.parameter]
                varying = varying or _is_extended(module, part)
                stack.extend(way.value for way in ways if way.value is not None)
            case _:
                pass
    return varying and _STATEMENT.search(" ".join(texts)[:100_000]) is not None


def _is_extended(module: Module, node: ast.Name) -> bool:
    """Say whether some `name += value` adds what is not fixed."""
    values = [way.value for way in module.names.bindings(node) if way.value is not None]
    return any(
        isinstance(module.tree.parent(value), ast.AugAssign) and not is_fixed(module.names, value) for value in values
    )
