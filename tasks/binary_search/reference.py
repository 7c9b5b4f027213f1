"""Reference solution of `binary_search`."""


def binary_search(arr: list[int], target: int) -> int:
    """Return the first index of target, or -1."""
    low = 0
    high = len(arr)
    while low < high:
        middle = (low + high) // 2
        if arr[middle] < target:
            low = middle + 1
        else:
            high = middle
    if low < len(arr) and arr[low] == target:
        return low
    return -1
