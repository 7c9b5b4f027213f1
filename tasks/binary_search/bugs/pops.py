def binary_search(arr, target):
    index = 0
    while arr:
        if arr.pop(0) == target:
            return index
        index += 1
    return -1
