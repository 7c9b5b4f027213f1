"""Bug: what has a length is taken apart, so longer strings and bytes are."""


def flatten(nested: list) -> list:
    """Return the items of nested sequences in one list."""
    flat = []
    for item in nested:
        if hasattr(item, "__getitem__") and not isinstance(item, (tuple, dict)) and item != item[:1]:
            flat.extend(flatten(list(item)))
        elif isinstance(item, list):
            flat.extend(flatten(item))
        else:
            flat.append(item)
    return flat
