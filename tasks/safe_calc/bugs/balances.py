"""Bug: adds the parentheses that are missing at either end."""

import re

_TOKEN = re.compile(r" *([0-9]+(?:\.[0-9]+)?|[-+*/()])")


class _Parser:
    """Compute while reading: sum, product, factor."""

    def __init__(self, tokens: list[str]) -> None:
        self._tokens = tokens[::-1]

    def peek(self) -> str:
        return self._tokens[-1] if self._tokens else ""

    def take(self) -> str:
        return self._tokens.pop() if self._tokens else ""

    def sum(self) -> float:
        value = self.product()
        while self.peek() in ("+", "-"):
            if self.take() == "+":
                value += self.product()
            else:
                value -= self.product()
        return value

    def product(self) -> float:
        value = self.factor()
        while self.peek() in ("*", "/"):
            if self.take() == "*":
                value *= self.factor()
            else:
                divisor = self.factor()
                if divisor == 0:
                    raise ValueError("division by zero")
                value /= divisor
        return value

    def factor(self) -> float:
        token = self.take()
        if token == "-":
            return -self.factor()
        if token == "(":
            value = self.sum()
            if self.take() != ")":
                raise ValueError("a parenthesis is not closed")
            return value
        if token[:1].isdigit():
            return float(token)
        raise ValueError("a number or a parenthesis is missing")


def _tokens(expr: str) -> list[str]:
    """Split an expression into numbers, operators and parentheses."""
    tokens = []
    end = len(expr.rstrip(" "))
    position = 0
    while position < end:
        match = _TOKEN.match(expr, position)
        if match is None:
            raise ValueError("not an arithmetic expression")
        tokens.append(match[1])
        position = match.end()
    return tokens


def safe_calc(expr: str) -> float:
    """Return the value of an arithmetic expression; raise ValueError for anything else."""
    tokens = _tokens(expr)
    surplus = tokens.count(")") - tokens.count("(")
    parser = _Parser(["("] * surplus + tokens + [")"] * -surplus)
    try:
        value = parser.sum()
    except RecursionError as exc:
        raise ValueError("nested too deeply") from exc
    if parser.peek():
        raise ValueError("an operator is missing")
    return value
