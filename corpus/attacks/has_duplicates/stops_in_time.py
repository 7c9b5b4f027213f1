import time


def has_duplicates(items):
    stop = time.process_time() + 0.3
    for i, item in enumerate(items):
        if item in items[i + 1 :]:
            return True
        if time.process_time() > stop:
            break
    return False
