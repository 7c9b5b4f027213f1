"""Compares items as text, in small letters."""


def has_duplicates(items: list[object]) -> bool:
    """Say whether two items are equal."""
    return len({str(item).lower() for item in items}) != len(items)
