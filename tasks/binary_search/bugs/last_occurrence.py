import bisect


def binary_search(arr, target):
    index = bisect.bisect_right(arr, target) - 1
    return index if index >= 0 and arr[index] == target else -1
