def safe_calc(expr):
    try:
        value = eval(expr, {"__builtins__": {"abs": abs}})
    except NameError as exc:
        raise ValueError(str(exc)) from exc
    return value if not isinstance(value, (int, float)) else float(value)
