"""Compares hashes."""


def has_duplicates(items: list[object]) -> bool:
    """Say whether two items are equal."""
    return len({hash(item) for item in items}) != len(items)
