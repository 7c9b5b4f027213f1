import mmap


def attempt():
    """Touch 320 MiB of anonymous pages: more than the memory limit, so the rest would be swapped."""
    try:
        pages = mmap.mmap(-1, 320 << 20)
        for at in range(0, 320 << 20, 4096):
            pages[at] = 1
    except (MemoryError, OSError, ValueError):
        return "held"
    return "REACHED"


def fizzbuzz(n):
    return [attempt()]
