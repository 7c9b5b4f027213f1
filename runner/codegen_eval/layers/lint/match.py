"""What a check reports, and what it may ask of the module under scan."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from .name import Names
from .taint import Taints
from .tree import Tree


@dataclass(frozen=True, slots=True, order=True)
class Match:
    """A rule and the line where it matched."""

    line: int
    rule: str


@dataclass(frozen=True, slots=True)
class Module:
    """The module under scan with all that is known of it."""

    tree: Tree
    names: Names
    taints: Taints

    def calls(self) -> Iterator[tuple[ast.Call, frozenset[str]]]:
        """Yield every call with the names that its function may have."""
        for node in self.tree.nodes:
            if isinstance(node, ast.Call):
                yield node, self.names.resolve(node.func)

    def references(self) -> Iterator[tuple[ast.expr, frozenset[str]]]:
        """Yield every use of a name, longest form only, with what it may stand for and the prefixes of that."""
        for node in self.tree.nodes:
            if isinstance(node, ast.Name | ast.Attribute | ast.Subscript | ast.Call):
                holder = self.tree.parent(node)
                if isinstance(holder, ast.Attribute) or not isinstance(getattr(node, "ctx", ast.Load()), ast.Load):
                    continue
                yield node, frozenset(_prefixes(self.names.resolve(node)))

    def values(self, node: ast.expr) -> list[ast.expr]:
        """Return `node`, or what the variable that it is may hold."""
        if not isinstance(node, ast.Name):
            return [node]
        held = [way.value for way in self.names.bindings(node) if way.value is not None and not way.element]
        return held or [node]


Check = Callable[[Module], Iterator[Match]]
"""One family of rules."""


def at(node: ast.expr | ast.stmt | ast.keyword, rule: str) -> Match:
    """Return the match of `rule` at this node."""
    return Match(node.lineno, rule)


def _prefixes(names: frozenset[str]) -> Iterator[str]:
    for name in names:
        parts = name.split(".")
        yield from (".".join(parts[:length]) for length in range(1, len(parts) + 1))
