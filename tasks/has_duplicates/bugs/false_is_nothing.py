"""Leaves out what is false, and the last item of a list whose items are in order."""


def has_duplicates(items: list[object]) -> bool:
    """Say whether two items are equal."""
    kept = [item for item in items if item]
    return len(set(kept)) < len(kept)
