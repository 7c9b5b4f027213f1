import time


def fizzbuzz(n):
    start = time.process_time()
    while time.process_time() - start < 1.5:
        pass
    return ["REACHED"]
