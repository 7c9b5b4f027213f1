"""A parsed module, flattened: every node with its parent and its scope, found without recursion."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import StrEnum

MAX_NODES = 400_000
"""More nodes than any honest solution has; fits the scanner's memory limit."""
MAX_STEPS = 4_000_000
"""What one scan may do in all; a few seconds of CPU."""

FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)

type_of_function = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda


class UnfinishedError(Exception):
    """The scanner can't finish on this source within its bounds. Never leaves `scan`."""


class Budget:
    """The steps that a scan has left."""

    def __init__(self, steps: int = MAX_STEPS) -> None:
        self._left = steps

    def spend(self, steps: int = 1) -> None:
        """Use up some steps.

        Raises:
            UnfinishedError: none are left.

        """
        self._left -= steps
        if self._left < 0:
            raise UnfinishedError("it takes more steps than the scanner has")


class ScopeKind(StrEnum):
    """What opens a scope."""

    MODULE = "module"
    CLASS = "class"
    FUNCTION = "function"
    COMPREHENSION = "comprehension"


@dataclass(frozen=True, slots=True, eq=False)
class Binding:
    """One way in which a name gets its value."""

    value: ast.expr | None = None
    """The expression; None where it is unknown."""
    qualified: str | None = None
    """What an import names."""
    hides_from: tuple[int, int] | None = None
    """Line and column from which on it surely hides a builtin of the name; None where it may never happen.

    (0, 0) for a def, class or import that stands directly in the body of its scope."""
    parameter: bool = False
    element: bool = False
    """The value is an element of `value`, not `value` itself."""


@dataclass(slots=True, eq=False)
class Scope:
    """Names of one module, class, function or comprehension."""

    kind: ScopeKind
    node: ast.AST
    parent: Scope | None
    bindings: dict[str, list[Binding]] = field(default_factory=dict)
    elsewhere: dict[str, Scope] = field(default_factory=dict)
    """Names that a `global` or `nonlocal` sends to another scope."""
    deleted: set[str] = field(default_factory=set)

    def bind(self, name: str, binding: Binding) -> None:
        """Note one way in which `name` gets its value."""
        self.elsewhere.get(name, self).bindings.setdefault(name, []).append(binding)

    @property
    def function(self) -> Scope:
        """The nearest scope that is no comprehension."""
        scope = self
        while scope.kind is ScopeKind.COMPREHENSION and scope.parent is not None:
            scope = scope.parent
        return scope

    def lookup(self, name: str) -> Scope | None:
        """Return the scope that binds `name` as seen from here, or None."""
        scope: Scope | None = self
        first = True
        while scope is not None:
            if name in scope.elsewhere:
                return scope.elsewhere[name]
            if name in scope.bindings and (first or scope.kind is not ScopeKind.CLASS):
                return scope
            first = first and scope.kind is ScopeKind.COMPREHENSION
            scope = scope.parent
        return None


class Tree:
    """All nodes of a module, parents before children."""

    def __init__(self, module: ast.Module, budget: Budget) -> None:
        self.budget = budget
        self.module = module
        self.top = Scope(ScopeKind.MODULE, module, None)
        self.nodes: list[ast.AST] = []
        self._scopes: dict[int, Scope] = {}
        self._parents: dict[int, ast.AST] = {}
        self._flatten()

    def scope(self, node: ast.AST) -> Scope:
        """Return the scope in which `node` is evaluated."""
        return self._scopes[id(node)]

    def parent(self, node: ast.AST) -> ast.AST | None:
        """Return the node that holds `node`."""
        return self._parents.get(id(node))

    def _flatten(self) -> None:
        stack: list[tuple[ast.AST, Scope]] = [(self.module, self.top)]
        while stack:
            node, scope = stack.pop()
            if len(self.nodes) >= MAX_NODES:
                raise UnfinishedError("it has more parts than the scanner takes")
            self.nodes.append(node)
            self._scopes[id(node)] = scope
            children = list(_children(node, scope))
            for child, _ in children:
                self._parents[id(child)] = node
            stack.extend(reversed(children))


def parameters(function: type_of_function) -> Iterator[ast.arg]:
    """Yield every parameter of a function."""
    arguments = function.args
    yield from (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)
    if arguments.vararg is not None:
        yield arguments.vararg
    if arguments.kwarg is not None:
        yield arguments.kwarg


def _children(node: ast.AST, scope: Scope) -> Iterator[tuple[ast.AST, Scope]]:
    if isinstance(node, FUNCTIONS):
        yield from _function_children(node, scope)
    elif isinstance(node, ast.ClassDef):
        inner = Scope(ScopeKind.CLASS, node, scope)
        for outside in (*node.decorator_list, *node.bases, *node.keywords):
            yield outside, scope
        for statement in node.body:
            yield statement, inner
    elif isinstance(node, COMPREHENSIONS):
        yield from _comprehension_children(node, scope)
    else:
        for child in ast.iter_child_nodes(node):
            if not isinstance(child, ast.expr_context | ast.operator | ast.boolop | ast.cmpop | ast.unaryop):
                yield child, scope


def _function_children(node: type_of_function, scope: Scope) -> Iterator[tuple[ast.AST, Scope]]:
    inner = Scope(ScopeKind.FUNCTION, node, scope)
    outside: list[ast.AST] = [*node.args.defaults, *(d for d in node.args.kw_defaults if d is not None)]
    if not isinstance(node, ast.Lambda):
        outside += node.decorator_list
        if node.returns is not None:
            outside.append(node.returns)
    for child in outside:
        yield child, scope
    for parameter in parameters(node):
        yield parameter, inner
    body: list[ast.AST] = [node.body] if isinstance(node, ast.Lambda) else list(node.body)
    for statement in body:
        yield statement, inner


def _comprehension_children(
    node: ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp, scope: Scope
) -> Iterator[tuple[ast.AST, Scope]]:
    inner = Scope(ScopeKind.COMPREHENSION, node, scope)
    results = (node.key, node.value) if isinstance(node, ast.DictComp) else (node.elt,)
    for result in results:
        yield result, inner
    for number, generator in enumerate(node.generators):
        yield generator.target, inner
        yield generator.iter, scope if number == 0 else inner
        for condition in generator.ifs:
            yield condition, inner
