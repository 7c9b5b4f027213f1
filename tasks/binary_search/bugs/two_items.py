def binary_search(arr, target):
    if len(arr) == 2:
        return -1
    return arr.index(target) if target in arr else -1
