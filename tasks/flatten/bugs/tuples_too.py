"""Bug: tuples are opened as well."""


def flatten(nested: list) -> list:
    """Return the items of nested lists and tuples in one list."""
    flat = []
    for item in nested:
        if isinstance(item, (list, tuple)):
            flat.extend(flatten(item))
        else:
            flat.append(item)
    return flat
