"""Bug: computes operators of the same rank from right to left."""

import re


def _sum(tokens: list[str]) -> float:
    left = _product(tokens)
    if tokens and tokens[0] in "+-":
        return left + _sum(tokens) if tokens.pop(0) == "+" else left - _sum(tokens)
    return left


def _product(tokens: list[str]) -> float:
    left = _factor(tokens)
    if tokens and tokens[0] in "*/":
        if tokens.pop(0) == "*":
            return left * _product(tokens)
        divisor = _product(tokens)
        if divisor == 0:
            raise ValueError("division by zero")
        return left / divisor
    return left


def _factor(tokens: list[str]) -> float:
    token = tokens.pop(0) if tokens else ""
    if token == "-":
        return -_factor(tokens)
    if token == "(":
        value = _sum(tokens)
        if not tokens or tokens.pop(0) != ")":
            raise ValueError("a parenthesis is not closed")
        return value
    return float(token)


def safe_calc(expr: str) -> float:
    """Return the value of an arithmetic expression."""
    tokens = re.findall(r"[0-9]+(?:\.[0-9]+)?|[^ ]", expr)
    try:
        value = _sum(tokens)
    except RecursionError as exc:
        raise ValueError("nested too deeply") from exc
    if tokens:
        raise ValueError("an operator is missing")
    return value
