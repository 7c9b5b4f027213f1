def binary_search(arr, target):
    if len(arr) == 1:
        return 0
    return arr.index(target) if target in arr else -1
