"""Halves log2(n) times, one time too few where n is a power of two."""

import math


def binary_search(arr: list[int], target: int) -> int:
    """Return the first index of target, or -1."""
    if not arr:
        return -1
    low, high, found = 0, len(arr) - 1, -1
    for _ in range(math.ceil(math.log2(len(arr)))):
        middle = (low + high) // 2
        if low > high:
            break
        if arr[middle] < target:
            low = middle + 1
        else:
            if arr[middle] == target:
                found = middle
            high = middle - 1
    return found
