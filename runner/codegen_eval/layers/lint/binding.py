"""Where the names of a module get their values: fills the scopes of a `Tree`."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from .tree import COMPREHENSIONS, FUNCTIONS, Binding, Scope, ScopeKind, Tree, parameters, type_of_function


def bind(tree: Tree) -> tuple[str, ...]:
    """Fill the scopes of `tree`; return the modules that are imported whole (`import *`)."""
    stars: list[str] = []
    for node in tree.nodes:
        if isinstance(node, ast.Global | ast.Nonlocal):
            _redirect(tree, node)
    for node in tree.nodes:
        _bind_node(tree, node, stars)
    return tuple(stars)


def _redirect(tree: Tree, node: ast.Global | ast.Nonlocal) -> None:
    scope = tree.scope(node)
    target: Scope | None = tree.top
    if isinstance(node, ast.Nonlocal):
        target = scope.parent
        while target is not None and target.kind is not ScopeKind.FUNCTION:
            target = target.parent
    for name in node.names:
        scope.elsewhere[name] = target or tree.top


def _bind_node(tree: Tree, node: ast.AST, stars: list[str]) -> None:  # noqa: C901, PLR0912 - one arm per statement
    scope = tree.scope(node)
    match node:
        case ast.Import() | ast.ImportFrom():
            _bind_import(tree, node, stars)
        case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
            scope.bind(node.name, Binding(hides_from=_everywhere(tree, node)))
        case ast.Assign():
            direct = tree.parent(node) is tree.top.node
            end = (node.value.end_lineno or 0, node.value.end_col_offset or 0) if direct else None
            for target in node.targets:
                _bind_target(tree, scope, target, Binding(value=node.value, hides_from=end))
        case ast.AnnAssign() if node.value is not None:
            _bind_target(tree, scope, node.target, Binding(value=node.value))
        case ast.AugAssign():
            _bind_target(tree, scope, node.target, Binding(value=node.value))
        case ast.NamedExpr():
            _bind_target(tree, scope.function, node.target, Binding(value=node.value))
        case ast.For() | ast.AsyncFor():
            _bind_target(tree, scope, node.target, Binding(value=node.iter, element=True))
        case ast.withitem() if node.optional_vars is not None:
            _bind_target(tree, scope, node.optional_vars, Binding(value=node.context_expr))
        case ast.ExceptHandler(name=str(name)) | ast.MatchAs(name=str(name)) | ast.MatchStar(name=str(name)):
            scope.bind(name, Binding())
        case ast.MatchMapping(rest=str(name)):
            scope.bind(name, Binding())
        case ast.Delete():
            scope.deleted.update(t.id for t in node.targets if isinstance(t, ast.Name))
        case _:
            pass
    if isinstance(node, FUNCTIONS):
        _bind_parameters(tree, node)
    elif isinstance(node, COMPREHENSIONS):
        for generator in node.generators:
            inner = tree.scope(generator.target)
            _bind_target(tree, inner, generator.target, Binding(value=generator.iter, element=True))


def _everywhere(tree: Tree, node: ast.stmt) -> tuple[int, int] | None:
    return (0, 0) if tree.parent(node) is tree.scope(node).node else None


def _bind_import(tree: Tree, node: ast.Import | ast.ImportFrom, stars: list[str]) -> None:
    scope = tree.scope(node)
    for alias in node.names:
        if isinstance(node, ast.Import):
            name = alias.asname or alias.name.partition(".")[0]
            qualified: str | None = alias.name if alias.asname else name
        elif alias.name == "*":
            stars.append(node.module or "")
            continue
        else:
            name = alias.asname or alias.name
            qualified = f"{node.module}.{alias.name}" if node.module and not node.level else None
        scope.bind(name, Binding(qualified=qualified, hides_from=_everywhere(tree, node)))


def _bind_parameters(tree: Tree, node: type_of_function) -> None:
    arguments = node.args
    positional = [*arguments.posonlyargs, *arguments.args]
    defaults: dict[int, ast.expr | None] = {
        id(p): d for p, d in zip(reversed(positional), reversed(arguments.defaults), strict=False)
    }
    defaults |= {id(p): d for p, d in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True)}
    for parameter in parameters(node):
        tree.scope(parameter).bind(parameter.arg, Binding(value=defaults.get(id(parameter)), parameter=True))


def _bind_target(tree: Tree, scope: Scope, target: ast.expr, binding: Binding) -> None:
    stack = [(target, binding)]
    while stack:
        node, how = stack.pop()
        tree.budget.spend()
        match node:
            case ast.Name():
                scope.bind(node.id, how)
            case ast.Starred():
                stack.append((node.value, Binding(value=how.value, element=True)))
            case ast.Tuple() | ast.List():
                stack.extend(zip(node.elts, _unpack(how, len(node.elts)), strict=True))
            case _:
                pass


def _unpack(how: Binding, count: int) -> Iterator[Binding]:
    value = how.value
    if (
        isinstance(value, ast.Tuple | ast.List)
        and len(value.elts) == count
        and not how.element
        and not any(isinstance(e, ast.Starred) for e in value.elts)
    ):
        yield from (Binding(value=element, hides_from=how.hides_from) for element in value.elts)
    else:
        yield from (Binding(value=value, element=True, hides_from=how.hides_from) for _ in range(count))
