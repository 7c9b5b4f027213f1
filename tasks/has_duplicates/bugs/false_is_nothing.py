"""Leaves out what is false."""


def has_duplicates(items: list[object]) -> bool:
    """Say whether two items are equal."""
    kept = [item for item in items if item]
    return len(set(kept)) < len(kept)
