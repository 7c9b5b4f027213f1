import ctypes
import os
import signal
import time

if not os.fork():
    ctypes.CDLL(None).prctl(15, b"@TOKEN@", 0, 0, 0)
    os.setsid()
    signal.alarm(90)
    os.kill(os.getpid(), signal.SIGSTOP)
    time.sleep(30)
    os._exit(0)
time.sleep(0.03)


def fizzbuzz(n):
    return ["left"]
