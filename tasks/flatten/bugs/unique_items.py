"""Bug: an equal item is taken once only."""


def flatten(nested: list) -> list:
    """Return the items of nested lists in one list."""
    flat = []
    for item in nested:
        for leaf in flatten(item) if isinstance(item, list) else [item]:
            if leaf not in flat:
                flat.append(leaf)
    return flat
