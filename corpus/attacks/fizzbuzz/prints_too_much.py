def fizzbuzz(n):
    for _ in range(4096):
        print("x" * 1023)
    return ["REACHED"]
