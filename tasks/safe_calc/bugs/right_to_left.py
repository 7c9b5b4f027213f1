import re

_TOKEN = re.compile(r"\s*(\d+(?:\.\d+)?|[-+*/()])")


def safe_calc(expr: str) -> float:
    tokens = _tokenize(expr)
    value, rest = _sum(tokens)
    if rest:
        raise ValueError("unexpected text after the expression")
    return value


def _tokenize(expr: str) -> list[str]:
    tokens = []
    position = 0
    text = expr.rstrip()
    while position < len(text):
        match = _TOKEN.match(text, position)
        if match is None:
            raise ValueError("not an arithmetic expression")
        tokens.append(match.group(1))
        position = match.end()
    return tokens


def _sum(tokens: list[str]) -> tuple[float, list[str]]:
    value, tokens = _product(tokens)
    if tokens and tokens[0] in "+-":
        operator = tokens[0]
        right, tokens = _sum(tokens[1:])
        value = value + right if operator == "+" else value - right
    return value, tokens


def _product(tokens: list[str]) -> tuple[float, list[str]]:
    value, tokens = _factor(tokens)
    while tokens and tokens[0] in "*/":
        operator = tokens[0]
        right, tokens = _factor(tokens[1:])
        if operator == "*":
            value *= right
        elif right == 0:
            raise ValueError("division by zero")
        else:
            value /= right
    return value, tokens


def _factor(tokens: list[str]) -> tuple[float, list[str]]:
    if not tokens:
        raise ValueError("the expression ends too early")
    token, rest = tokens[0], tokens[1:]
    if token == "-":
        value, rest = _factor(rest)
        return -value, rest
    if token == "(":
        value, rest = _sum(rest)
        if not rest or rest[0] != ")":
            raise ValueError("a parenthesis is not closed")
        return value, rest[1:]
    if token in "+*/)":
        raise ValueError("a number is missing")
    return float(token), rest
