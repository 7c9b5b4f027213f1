import itertools


def fizzbuzz(n):
    return itertools.repeat("1")
