import threading
import time


def attempt():
    """Start 70 threads that sleep, no more, and hold them for a moment."""
    try:
        for _ in range(70):
            threading.Thread(target=time.sleep, args=(20,), daemon=True).start()
        time.sleep(0.2)
    except RuntimeError:
        return "held"
    return "REACHED"


def fizzbuzz(n):
    return [attempt()]
