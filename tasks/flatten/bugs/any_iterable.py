"""Bug: everything that can be iterated over is opened, but for strings and bytes."""

from collections.abc import Iterable


def flatten(nested: list) -> list:
    """Return the items of nested iterables in one list."""
    flat = []
    for item in nested:
        if isinstance(item, Iterable) and not isinstance(item, (str, bytes)):
            flat.extend(flatten(item))
        else:
            flat.append(item)
    return flat
