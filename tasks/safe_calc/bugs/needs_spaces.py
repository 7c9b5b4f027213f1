"""Bug: an operator right after the first digit is refused."""

import re

_TOKEN = re.compile(r" *([0-9]+(?:\.[0-9]+)?|[-+*/()])")
_LEVELS = 100
_END = "end"


def safe_calc(expr: str) -> float:
    """Return the value of an arithmetic expression."""
    if len(expr) > 1 and expr[1] in "+-*/":
        raise ValueError("spaces are missing")
    tokens = _tokenize(expr)
    value = _sum(tokens, 0)
    if tokens.pop() != _END:
        raise ValueError("unexpected text after the expression")
    return value


def _tokenize(expr: str) -> list[str]:
    """Return the tokens, the first one last and the end first: the rest of the text is a stack."""
    tokens = []
    position = 0
    text = expr.rstrip(" ")
    while position < len(text):
        match = _TOKEN.match(text, position)
        if match is None:
            raise ValueError("not an arithmetic expression")
        tokens.append(match.group(1))
        position = match.end()
    return [*tokens, _END][::-1]


def _sum(tokens: list[str], levels: int) -> float:
    value = _product(tokens, levels)
    while tokens[-1] in ("+", "-"):
        operator = tokens.pop()
        right = _product(tokens, levels)
        value = value + right if operator == "+" else value - right
    return value


def _product(tokens: list[str], levels: int) -> float:
    value = _factor(tokens, levels)
    while tokens[-1] in ("*", "/"):
        operator = tokens.pop()
        right = _factor(tokens, levels)
        if operator == "*":
            value *= right
        elif right == 0:
            raise ValueError("division by zero")
        else:
            value /= right
    return value


def _factor(tokens: list[str], levels: int) -> float:
    if levels > _LEVELS:
        raise ValueError("nested too deeply")
    token = tokens.pop()
    if token == "-":
        return -_factor(tokens, levels + 1)
    if token == "(":
        value = _sum(tokens, levels + 1)
        if tokens.pop() != ")":
            raise ValueError("a parenthesis is not closed")
        return value
    if token in ("+", "*", "/", ")", _END):
        raise ValueError("a number is missing")
    return float(token)
