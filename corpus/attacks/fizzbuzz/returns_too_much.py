def fizzbuzz(n):
    return ["x" * (9 << 20)]
