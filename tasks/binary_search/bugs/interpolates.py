"""Guesses the place from the values: divides by zero where they are equal, and leaves the range outside them."""


def binary_search(arr: list[int], target: int) -> int:
    """Return the first index of target, or -1."""
    low, high = 0, len(arr) - 1
    while low <= high:
        middle = low + (target - arr[low]) * (high - low) // (arr[high] - arr[low])
        if arr[middle] == target:
            return middle
        if arr[middle] < target:
            low = middle + 1
        else:
            high = middle - 1
        if low == high:
            return low if arr[low] == target else -1
    return -1
