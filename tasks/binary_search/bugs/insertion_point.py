"""Gives the insertion point where the target lies outside the list."""

import bisect


def binary_search(arr: list[int], target: int) -> int:
    """Return the first index of target, or -1."""
    index = bisect.bisect_left(arr, target)
    if not arr or target > arr[-1] or target < arr[0]:
        return index
    return index if arr[index] == target else -1
