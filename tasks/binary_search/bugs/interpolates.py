"""Guesses the place from the values, and divides by zero where those at both ends are equal."""


def binary_search(arr: list[int], target: int) -> int:
    """Return the first index of target, or -1."""
    low, high = 0, len(arr) - 1
    while low <= high and arr[low] <= target <= arr[high]:
        middle = low + (target - arr[low]) * (high - low) // (arr[high] - arr[low])
        if arr[middle] == target:
            return middle
        if arr[middle] < target:
            low = middle + 1
        else:
            high = middle - 1
    return -1
