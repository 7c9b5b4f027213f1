def flatten(nested):
    at = 0
    while at < len(nested):
        if isinstance(nested[at], list):
            nested[at : at + 1] = nested[at]
        else:
            at += 1
    return nested
