"""Bug: hands the text to the interpreter where all its characters look harmless."""

import re


def safe_calc(expr: str) -> float:
    """Return the value of an arithmetic expression."""
    if not re.fullmatch(r"[0-9+*/(). -]+", expr):
        raise ValueError("not an arithmetic expression")
    try:
        return float(eval(expr))
    except Exception as exc:
        raise ValueError("not an arithmetic expression") from exc
