import time


def fizzbuzz(n):
    time.sleep(6)
    return ["REACHED"]
