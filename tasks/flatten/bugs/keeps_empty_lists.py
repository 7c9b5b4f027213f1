"""Bug: an empty list inside counts as an item."""


def flatten(nested: list) -> list:
    """Return the items of nested lists in one list."""
    flat = []
    for item in nested:
        if isinstance(item, list) and item:
            flat.extend(flatten(item))
        else:
            flat.append(item)
    return flat
