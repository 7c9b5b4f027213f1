def attempt():
    """Touch 400 MiB, no more."""
    hoard = []
    try:
        for _ in range(50):
            hoard.append(b"x" * (8 << 20))
    except MemoryError:
        return "held"
    return "REACHED"


def fizzbuzz(n):
    return [attempt()]
