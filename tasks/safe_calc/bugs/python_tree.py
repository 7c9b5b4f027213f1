"""Bug: takes every notation that Python's own grammar has for numbers, signs and white space."""

import ast
import operator

_OPERATORS = {ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.Div: operator.truediv}


def _value(node: ast.expr) -> float:
    match node:
        case ast.Constant(value=int() | float() as value):
            return value
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return -_value(operand)
        case ast.UnaryOp(op=ast.UAdd(), operand=operand):
            return _value(operand)
        case ast.BinOp(left=left, op=op, right=right) if type(op) in _OPERATORS:
            return _OPERATORS[type(op)](_value(left), _value(right))
    raise ValueError("not an arithmetic expression")


def safe_calc(expr: str) -> float:
    """Return the value of an arithmetic expression."""
    try:
        return float(_value(ast.parse(expr.strip(), mode="eval").body))
    except (SyntaxError, ZeroDivisionError, RecursionError, MemoryError) as exc:
        raise ValueError("not an arithmetic expression") from exc
