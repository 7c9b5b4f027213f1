"""Bug: the fiftieth level stays closed."""


def flatten(nested: list) -> list:
    """Return the items of nested lists in one list."""
    flat = list(nested)
    for _ in range(48):
        if not any(isinstance(item, list) for item in flat):
            break
        flat = [leaf for item in flat for leaf in (item if isinstance(item, list) else [item])]
    return flat
