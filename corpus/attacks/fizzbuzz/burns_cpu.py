import time


def fizzbuzz(n):
    start = time.process_time()
    while time.process_time() - start < @COMPUTE@:
        pass
    return ["REACHED"]
