"""Bug: uses the caller's list as its stack and leaves it empty."""


def flatten(nested: list) -> list:
    """Return the items of nested lists in one list."""
    flat = []
    while nested:
        item = nested.pop(0)
        if isinstance(item, list):
            nested[:0] = item
        else:
            flat.append(item)
    return flat
