"""The reference solution of `has_duplicates`."""


def has_duplicates(items: list[object]) -> bool:
    """Say whether two items are equal."""
    return len(set(items)) != len(items)
