def binary_search(arr, target):
    low, high = 0, len(arr) - 1
    while low < high:
        middle = (low + high) // 2
        if arr[middle] < target:
            low = middle + 1
        else:
            high = middle
    return low if arr[low] == target else -1
