import sys


def fizzbuzz(n):
    for _ in range(4096):
        sys.stderr.write("x" * 1023 + "\n")
    return ["REACHED"]
