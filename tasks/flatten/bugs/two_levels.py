"""Bug: opens two levels and no more."""


def flatten(nested: list) -> list:
    """Return the items of nested lists in one list."""
    flat = nested
    for _ in range(2):
        opened = []
        for item in flat:
            opened.extend(item if isinstance(item, list) else [item])
        flat = opened
    return list(flat)
