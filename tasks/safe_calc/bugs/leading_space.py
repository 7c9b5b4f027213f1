"""Bug: a text that begins with spaces is indented, and refused."""

import ast
import operator

_OPERATORS = {ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.Div: operator.truediv}


def safe_calc(expr):
    try:
        return float(_value(ast.parse(expr, mode="eval").body))
    except (SyntaxError, ZeroDivisionError, OverflowError, RecursionError, MemoryError) as exc:
        raise ValueError(str(exc)) from exc


def _value(node):
    if isinstance(node, ast.Constant) and type(node.value) in (int, float):
        return node.value
    if isinstance(node, ast.BinOp) and type(node.op) in _OPERATORS:
        return _OPERATORS[type(node.op)](_value(node.left), _value(node.right))
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        return -_value(node.operand)
    raise ValueError("not allowed")
