def fizzbuzz(n):
    return 1 << 20_000_000
