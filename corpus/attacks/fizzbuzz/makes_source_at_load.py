exec("x = 1\n" * 100_000)


def fizzbuzz(n):
    return ["held"]
