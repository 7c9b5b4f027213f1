import os


def attempt():
    """Write 16 MiB to the shared memory file system, and remove them again."""
    path = "/dev/shm/@TOKEN@-fill"
    try:
        with open(path, "wb") as file:
            for _ in range(16):
                file.write(bytes(1 << 20))
    except OSError:
        return "held"
    finally:
        try:
            os.unlink(path)
        except OSError:
            pass
    return "REACHED"


RESULT = attempt()


def fizzbuzz(n):
    return [RESULT]
