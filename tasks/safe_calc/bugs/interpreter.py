"""Bug: hands the text to the interpreter."""


def safe_calc(expr: str) -> float:
    """Return the value of an arithmetic expression."""
    try:
        return float(eval(expr))
    except Exception as exc:
        raise ValueError("not an arithmetic expression") from exc
