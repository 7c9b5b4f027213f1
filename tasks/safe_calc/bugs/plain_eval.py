"""Bug: every text is evaluated, and only an unknown name is an error."""


def safe_calc(expr):
    try:
        value = eval(expr)
    except NameError as exc:
        raise ValueError(str(exc)) from exc
    return float(value) if isinstance(value, int) else value
