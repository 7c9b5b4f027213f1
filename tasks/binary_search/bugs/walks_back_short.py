"""Walks back over equal elements, but never to the first place of the list."""


def binary_search(arr: list[int], target: int) -> int:
    """Return the first index of target, or -1."""
    low, high = 0, len(arr) - 1
    while low <= high:
        middle = (low + high) // 2
        if arr[middle] < target:
            low = middle + 1
        elif arr[middle] > target:
            high = middle - 1
        else:
            while middle > 1 and arr[middle - 1] == target:
                middle -= 1
            return middle
    return -1
