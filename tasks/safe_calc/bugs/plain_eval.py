def safe_calc(expr):
    try:
        return eval(expr)
    except NameError as exc:
        raise ValueError(str(exc)) from exc
