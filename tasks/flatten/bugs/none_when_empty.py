"""Bug: an empty list gives None."""


def flatten(nested: list) -> list:
    """Return the items of nested lists in one list."""
    if not nested:
        return None
    flat = []
    stack = [iter(nested)]
    while stack:
        for item in stack[-1]:
            if isinstance(item, list):
                stack.append(iter(item))
                break
            flat.append(item)
        else:
            stack.pop()
    return flat
