def binary_search(arr, target):
    if len(arr) < 2:
        return -1
    for index, item in enumerate(arr):
        if item == target:
            return index
    return -1
