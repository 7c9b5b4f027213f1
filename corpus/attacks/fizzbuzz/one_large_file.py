import os


def attempt():
    """Make one file of 40 MiB, with a hole in it."""
    try:
        with open("large", "wb") as file:
            file.seek((40 << 20) - 1)
            file.write(b"x")
        os.unlink("large")
    except OSError:
        return "held"
    return "REACHED"


RESULT = attempt()


def fizzbuzz(n):
    return [RESULT]
