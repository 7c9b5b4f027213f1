import ctypes
import os
import time

if not os.fork():
    os.setsid()
    if os.fork():
        os._exit(0)
    ctypes.CDLL(None).prctl(15, b"@TOKEN@", 0, 0, 0)
    os.closerange(0, 64)
    time.sleep(90)
    os._exit(0)
time.sleep(0.03)


def fizzbuzz(n):
    return ["left"]
