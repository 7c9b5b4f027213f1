import time


def fizzbuzz(n):
    time.sleep(@WAIT@)
    return ["REACHED"]
