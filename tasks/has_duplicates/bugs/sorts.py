"""Sorts the list that it was given."""

from itertools import pairwise


def has_duplicates(items: list) -> bool:
    """Say whether two items are equal."""
    items.sort()
    return any(one == other for one, other in pairwise(items))
