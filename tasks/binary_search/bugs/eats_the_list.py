"""Narrows the caller's list in place."""


def binary_search(arr: list[int], target: int) -> int:
    """Return the first index of target, or -1."""
    offset = 0
    found = -1
    while arr:
        middle = len(arr) // 2
        if arr[middle] < target:
            offset += middle + 1
            del arr[: middle + 1]
        else:
            if arr[middle] == target:
                found = offset + middle
            del arr[middle:]
    return found
