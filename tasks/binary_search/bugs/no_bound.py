"""Looks at the insertion point without asking whether there is an element."""

from bisect import bisect_left


def binary_search(arr: list[int], target: int) -> int:
    """Return the first index of target, or -1."""
    index = bisect_left(arr, target)
    return index if arr[index] == target else -1
