import bisect


def binary_search(arr, target):
    index = bisect.bisect_left(arr, target)
    if target > 9 or target < 1:
        return index
    return index if index < len(arr) and arr[index] == target else -1
