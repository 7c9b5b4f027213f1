"""Leaves early without a value where the target can't be in the range, and gives None inside."""


def binary_search(arr: list[int], target: int) -> int | None:
    """Return the first index of target, or -1."""
    if not arr or target < arr[0] or target > arr[-1]:
        return None
    low, high = 0, len(arr) - 1
    while low < high:
        middle = (low + high) // 2
        if arr[middle] < target:
            low = middle + 1
        else:
            high = middle
    if arr[low] == target:
        return low
    return -1 if arr[low - 1] != arr[low - 2] else None
