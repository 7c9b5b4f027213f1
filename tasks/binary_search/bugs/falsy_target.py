"""Takes 0 for a missing target."""

from bisect import bisect_left


def binary_search(arr: list[int], target: int) -> int:
    """Return the first index of target, or -1."""
    if not arr or not target:
        return -1
    index = bisect_left(arr, target)
    return index if index < len(arr) and arr[index] == target else -1
