"""Bug: every text is evaluated, without the builtins, and whatever comes of it is returned."""


def safe_calc(expr):
    try:
        value = eval(expr, {"__builtins__": {}})
    except Exception as exc:
        raise ValueError(str(exc)) from exc
    return float(value) if isinstance(value, int) else value
