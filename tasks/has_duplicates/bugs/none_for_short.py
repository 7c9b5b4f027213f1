"""Answers nothing for short lists."""


def has_duplicates(items: list[object]) -> bool | None:
    """Say whether two items are equal."""
    if len(items) < 3:
        return None
    return len(set(items)) < len(items)
