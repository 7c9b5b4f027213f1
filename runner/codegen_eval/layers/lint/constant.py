"""Which values are known without running anything."""

from __future__ import annotations

import ast

from .name import Names

_HARMLESS_CALLS = frozenset(f"builtins.{name}" for name in ("int", "float", "len", "bool", "ord", "hash", "id"))
"""Their results are numbers, whatever goes in."""


def truth(names: Names, node: ast.expr) -> bool | None:
    """Say whether `node` is surely true or surely false; None where that is not known."""
    flip = False
    for _ in range(32):
        match node:
            case ast.Constant():
                return bool(node.value) is not flip
            case ast.UnaryOp(op=ast.Not()):
                flip = not flip
                node = node.operand
            case ast.List(elts=parts) | ast.Tuple(elts=parts) | ast.Dict(values=parts):
                return bool(parts) is not flip
            case ast.Call(func=func, args=[argument]) if names.is_named(func, frozenset({"builtins.bool"})):
                node = argument
            case ast.Name():
                ways = names.bindings(node)
                if len(ways) != 1 or ways[0].value is None or ways[0].element:
                    return None
                node = ways[0].value
            case _:
                return None
    return None


def is_fixed(names: Names, node: ast.expr) -> bool:  # noqa: C901, PLR0912 - one arm per form of expression
    """Say whether `node` holds nothing but literals, numbers, and repetitions and joins of them."""
    stack: list[ast.expr] = [node]
    seen: set[int] = set()
    while stack:
        names.tree.budget.spend()
        part = stack.pop()
        match part:
            case ast.Constant():
                pass
            case ast.JoinedStr(values=parts) | ast.List(elts=parts) | ast.Tuple(elts=parts) | ast.Set(elts=parts):
                stack += parts
            case ast.FormattedValue(value=inner) | ast.Starred(value=inner):
                stack.append(inner)
            case ast.BinOp(op=ast.Mult(), left=left, right=right):
                if not (_is_literal(left) or _is_literal(right)):
                    return False
            case ast.BinOp(left=left, right=right):
                stack += (left, right)
            case ast.IfExp(body=body, orelse=orelse):
                stack += (body, orelse)
            case ast.ListComp(elt=inner) | ast.GeneratorExp(elt=inner) | ast.SetComp(elt=inner):
                stack.append(inner)
            case ast.Call(func=ast.Attribute(value=text, attr="join" | "format" | "replace"), args=arguments):
                stack += (text, *arguments, *(keyword.value for keyword in part.keywords))
            case ast.Call(func=func) if names.is_named(func, _HARMLESS_CALLS):
                pass
            case ast.Name() if id(part) not in seen:
                seen.add(id(part))
                ways = names.bindings(part)
                if not ways or any(way.value is None or way.parameter for way in ways):
                    return False
                stack.extend(way.value for way in ways if way.value is not None)
            case ast.Name():
                pass
            case _:
                return False
    return True


def _is_literal(node: ast.expr) -> bool:
    return (isinstance(node, ast.Constant) and isinstance(node.value, str)) or (
        isinstance(node, ast.List | ast.Tuple) and all(isinstance(element, ast.Constant) for element in node.elts)
    )


def keyword(call: ast.Call, names: Names, name: str) -> ast.expr | None:  # noqa: C901, PLR0912 - one arm per form
    """Return the value that `call` gives to the keyword `name`, also through `**{...}` and `**dict(...)`."""
    stack: list[ast.expr] = []
    for given in call.keywords:
        if given.arg == name:
            return given.value
        if given.arg is None:
            stack.append(given.value)
    seen: set[int] = set()
    while stack:
        names.tree.budget.spend()
        part = stack.pop()
        if id(part) in seen:
            continue
        seen.add(id(part))
        match part:
            case ast.Dict():
                for key, value in zip(part.keys, part.values, strict=True):
                    if key is None:
                        stack.append(value)
                    elif names.text(key) == name:
                        return value
            case ast.Call() if names.is_named(part.func, frozenset({"builtins.dict"})):
                for given in part.keywords:
                    if given.arg == name:
                        return given.value
                    if given.arg is None:
                        stack.append(given.value)
                stack += part.args
            case ast.BinOp(op=ast.BitOr()):
                stack += (part.left, part.right)
            case ast.Name():
                stack.extend(way.value for way in names.bindings(part) if way.value is not None)
            case _:
                pass
    return None


def argument(call: ast.Call, names: Names, position: int, name: str) -> ast.expr | None:
    """Return what `call` gives at this position or by this name."""
    if position < len(call.args) and not any(isinstance(a, ast.Starred) for a in call.args[: position + 1]):
        return call.args[position]
    return keyword(call, names, name)
