"""What expressions name: `s` after `from os import system as s` is `os.system`."""

from __future__ import annotations

import ast

from .binding import bind
from .tree import Binding, Scope, ScopeKind, Tree

MAX_PARTS = 16
"""No rule's name has more parts; longer chains of attributes name nothing."""
_REEXPORTED = frozenset({"os", "_os", "sys", "_sys", "subprocess", "builtins", "pickle"})
"""Modules that other modules carry as an attribute, as `shutil.os`."""
_IMPORTERS = frozenset({"builtins.__import__", "importlib.import_module", "importlib.__import__"})
_LOOKUP_METHODS = frozenset({"get", "pop", "__getitem__", "__getattribute__"})
"""Methods that give what is kept under a name."""
_NAMESPACES = frozenset({"builtins.globals()", "builtins.locals()", "builtins.vars()"})

type_of_work = list[tuple[ast.expr, tuple[str, ...]]]


class Names:
    """The names of one module, resolved through imports, assignments, `getattr` and the like."""

    def __init__(self, tree: Tree) -> None:
        self.tree = tree
        self._stars = bind(tree)
        self._known: dict[int, frozenset[str]] = {}

    def resolve(self, node: ast.expr, *, depth: int = 0) -> frozenset[str]:
        """Return every dotted name that `node` may stand for; a call's result is its name and `()`."""
        if id(node) not in self._known:
            self._known[id(node)] = self._resolve(node, depth)
        return self._known[id(node)]

    def is_named(self, node: ast.expr, names: frozenset[str]) -> bool:
        """Say whether `node` may stand for one of `names`."""
        return not self.resolve(node).isdisjoint(names)

    def bindings(self, node: ast.Name) -> tuple[Binding, ...]:
        """Return the ways in which the variable gets its value."""
        scope = self.tree.scope(node).lookup(node.id)
        return () if scope is None else tuple(scope.bindings.get(node.id, ()))

    def text(self, node: ast.expr) -> str | None:
        """Return the string that `node` surely is: literals joined by `+`, or a variable set once to such."""
        parts: list[str] = []
        stack: list[ast.expr] = [node]
        seen: set[int] = set()
        while stack:
            self.tree.budget.spend()
            part = stack.pop()
            match part:
                case ast.Constant(value=str(text)):
                    parts.append(text)
                case ast.BinOp(op=ast.Add()):
                    stack += (part.right, part.left)
                case ast.JoinedStr():
                    stack.extend(reversed(part.values))
                case ast.FormattedValue(format_spec=None):
                    stack.append(part.value)
                case ast.Name() if id(part) not in seen:
                    seen.add(id(part))
                    ways = self.bindings(part)
                    if len(ways) != 1 or ways[0].value is None or ways[0].element or ways[0].parameter:
                        return None
                    stack.append(ways[0].value)
                case _:
                    return None
        return "".join(parts)

    def _resolve(self, node: ast.expr, depth: int) -> frozenset[str]:  # noqa: C901 - one arm per form
        found: set[str] = set()
        work: type_of_work = [(node, ())]
        seen: set[int] = set()
        while work:
            self.tree.budget.spend()
            part, rest = work.pop()
            if id(part) in seen or len(rest) > MAX_PARTS:
                continue
            seen.add(id(part))
            if id(part) in self._known:
                found.update(".".join((name, *rest)) for name in self._known[id(part)])
                continue
            match part:
                case ast.Attribute():
                    work.append((part.value, (part.attr, *rest)))
                case ast.Name():
                    self._name(part, rest, found, work)
                case ast.NamedExpr() | ast.Await() | ast.Starred():
                    work.append((part.value, rest))
                case ast.IfExp():
                    work += ((part.body, rest), (part.orelse, rest))
                case ast.BoolOp():
                    work.extend((value, rest) for value in part.values)
                case ast.Call() if depth < MAX_PARTS:
                    self._call(part, rest, found, work, depth)
                case ast.Subscript() if depth < MAX_PARTS:
                    self._subscript(part, rest, found, work, depth)
                case _:
                    pass
        return frozenset(_canonical(name) for name in found)

    def _name(self, node: ast.Name, rest: tuple[str, ...], found: set[str], work: type_of_work) -> None:
        scope = self.tree.scope(node).lookup(node.id)
        ways = () if scope is None else scope.bindings.get(node.id, ())
        for way in ways:
            if way.qualified is not None:
                found.add(".".join((way.qualified, *rest)))
            elif way.value is not None and not way.element:
                work.append((way.value, rest))
            elif way.value is not None and isinstance(way.value, ast.List | ast.Tuple | ast.Set):
                work.extend((element, rest) for element in way.value.elts)
        if scope is None or _may_be_unbound(scope, node):
            found.add(".".join(("builtins", node.id, *rest)))
            found.update(".".join((module, node.id, *rest)) for module in self._stars)
            if scope is None:  # a module whose import was forgotten, or comes by a way that we don't see
                found.add(".".join((node.id, *rest)))

    def _call(self, node: ast.Call, rest: tuple[str, ...], found: set[str], work: type_of_work, depth: int) -> None:
        callees = self.resolve(node.func, depth=depth + 1)
        first = self.text(node.args[0]) if node.args else None
        if callees & _IMPORTERS and first is not None:
            found.add(".".join((first, *rest)))
        elif "builtins.getattr" in callees and len(node.args) > 1:
            attribute = self.text(node.args[1])
            if attribute is not None:
                work.append((node.args[0], (attribute, *rest)))
        elif first is not None and isinstance(node.func, ast.Attribute) and node.func.attr in _LOOKUP_METHODS:
            for owner in self.resolve(node.func.value, depth=depth + 1):
                found.add(".".join((owner.removesuffix(".__dict__"), first, *rest)))
        elif "builtins.vars" in callees and node.args:
            work.append((node.args[0], ("__dict__", *rest)))
        else:
            found.update(".".join((f"{callee}()", *rest)) for callee in callees)

    def _subscript(
        self, node: ast.Subscript, rest: tuple[str, ...], found: set[str], work: type_of_work, depth: int
    ) -> None:
        key = self.text(node.slice)
        for owner in self.resolve(node.value, depth=depth + 1):
            if key is None:
                found.add(".".join((f"{owner}[]", *rest)))
            elif owner == "sys.modules":
                found.add(".".join((key, *rest)))
            elif owner == "builtins" or owner.endswith(".__dict__"):
                found.add(".".join((owner.removesuffix(".__dict__"), key, *rest)))
            elif owner in _NAMESPACES:
                found.add(".".join(("builtins", key, *rest)))
        if isinstance(node.value, ast.Dict):
            work.extend((value, rest) for value in node.value.values)
        elif isinstance(node.value, ast.List | ast.Tuple):
            work.extend((value, rest) for value in node.value.elts)


def _may_be_unbound(scope: Scope, node: ast.Name) -> bool:
    """Say whether a name that `scope` binds may still mean the builtin: a module's binding may never be run."""
    if node.id in scope.deleted:
        return True
    if scope.kind in {ScopeKind.FUNCTION, ScopeKind.COMPREHENSION}:
        return False
    place = (node.lineno, node.col_offset)
    return not any(way.hides_from is not None and place >= way.hides_from for way in scope.bindings.get(node.id, ()))


def _canonical(name: str) -> str:
    """Reduce `shutil.os.system` to `os.system` and `builtins.__builtins__.eval` to `builtins.eval`."""
    parts = name.split(".")
    for place in range(len(parts) - 1, 0, -1):
        if parts[place] == "__builtins__":
            return ".".join(("builtins", *parts[place + 1 :]))
        if parts[place] in _REEXPORTED and parts[0] != "builtins" and "()" not in parts[0]:
            return ".".join((parts[place].lstrip("_"), *parts[place + 1 :]))
    return name
