"""Bug: meant to drop empty lists, drops every falsy item."""


def flatten(nested: list) -> list:
    """Return the items of nested lists in one list."""
    flat = []
    for item in nested:
        if not item:
            continue
        if isinstance(item, list):
            flat.extend(flatten(item))
        else:
            flat.append(item)
    return flat
