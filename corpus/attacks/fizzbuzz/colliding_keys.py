def fizzbuzz(n):
    step = (1 << 61) - 1
    return {number * step for number in range(20_000)}
