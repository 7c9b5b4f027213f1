import os
import time


def fizzbuzz(n):
    for _ in range(5):
        child = os.fork()
        if not child:
            start = time.process_time()
            while time.process_time() - start < @COMPUTE@ / 5:
                pass
            os._exit(0)
        os.waitpid(child, 0)
    return ["REACHED"]
