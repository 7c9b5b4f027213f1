"""Takes equal items of different types for different."""


def has_duplicates(items: list[object]) -> bool:
    """Say whether two items are equal."""
    return len({(type(item), item) for item in items}) != len(items)
