"""The rule about asserts that guard: CE701."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from .match import Match, Module, at


def check_guard(module: Module) -> Iterator[Match]:
    """Yield the asserts whose condition looks at an untrusted value."""
    for node in module.tree.nodes:
        if isinstance(node, ast.Assert) and module.taints.mentions(node.test):
            yield at(node, "CE701-assert")
