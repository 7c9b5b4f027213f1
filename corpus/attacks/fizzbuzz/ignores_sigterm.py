import ctypes
import os
import signal
import time

if not os.fork():
    ctypes.CDLL(None).prctl(15, b"@TOKEN@", 0, 0, 0)
    for number in range(1, 65):
        try:
            signal.signal(number, signal.SIG_IGN)
        except (OSError, ValueError):
            pass
    stop = time.monotonic() + 90
    while time.monotonic() < stop:
        time.sleep(5)
    os._exit(0)
time.sleep(0.03)


def fizzbuzz(n):
    return ["left"]
