"""A change that means nothing: a solution that knows its own code is told from one that its cases check."""

from __future__ import annotations

import ast

from codegen_eval.program import Unmutable, encode, line_starts, parse

NAME = "_unused_here"
"""Bound in every function and at the end of the module; nothing reads it."""
_STATEMENT = f'{NAME} = "" if (0).real * 3 + 1 < 2 else None'
"""It has what mutants change, operators, constants and a condition, so that no look at the code tells it from them."""


def neutral(source: str) -> str | None:
    """Return the source with an unused name in every function; None where there is no place for it."""
    try:
        text = source.replace("\r\n", "\n").replace("\r", "\n")
        data = encode(text)
        places = sorted(_places(parse(text), line_starts(data)), reverse=True)
        for place in places:
            head = data[:place]
            indent = head[head.rfind(b"\n") + 1 :]
            glue = b"; " if indent.strip() else b"\n" + indent
            data = head + _STATEMENT.encode() + glue + data[place:]
        changed = (data + f"\n{_STATEMENT}\n".encode()).decode()
        parse(changed)
    except Unmutable:
        return None
    return changed if places else None


def _places(tree: ast.AST, starts: tuple[int, ...]) -> list[int]:
    """Return a byte offset in each function before which a statement can stand."""
    found: list[int] = []
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            rest = node.body[1:] if ast.get_docstring(node, clean=False) is not None else node.body
            plain = [each for each in rest if not getattr(each, "decorator_list", ())]
            if plain:
                found.append(starts[plain[0].lineno - 1] + plain[0].col_offset)
    return found
