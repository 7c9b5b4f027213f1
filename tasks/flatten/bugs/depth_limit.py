"""Bug: gives up at the twentieth level, where the statement says fifty."""


def flatten(nested: list) -> list:
    """Return the items of nested lists in one list."""
    return _open(nested, 20)


def _open(nested: list, levels: int) -> list:
    flat = []
    for item in nested:
        if isinstance(item, list) and levels > 1:
            flat.extend(_open(item, levels - 1))
        else:
            flat.append(item)
    return flat
