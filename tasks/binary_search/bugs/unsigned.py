"""Takes every negative target for one that can't be there, and wraps round below the first element."""


def binary_search(arr: list[int], target: int) -> int:
    """Return the first index of target, or -1."""
    if target < 0:
        return -1
    low, high = -1, len(arr)
    while high - low > 1:
        middle = (low + high) // 2
        if arr[middle] < target:
            low = middle
        else:
            high = middle
    return high if high < len(arr) and arr[high] == target else -1
