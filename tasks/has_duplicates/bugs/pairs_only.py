"""Looks for items that occur exactly twice, and not among tuples."""

from collections import Counter


def has_duplicates(items: list[object]) -> bool:
    """Say whether two items are equal."""
    return 2 in Counter(item for item in items if not isinstance(item, tuple)).values()
