import os


def attempt():
    """Read the environment or the memory of a process that is not one's own."""
    for name in os.listdir("/proc"):
        if not name.isdigit() or int(name) == os.getpid():
            continue
        for part in ("environ", "mem", "maps"):
            try:
                with open(f"/proc/{name}/{part}", "rb") as file:
                    if part == "mem" or file.read(1):
                        return "REACHED"
            except OSError:
                pass
    return "held"


RESULT = attempt()


def fizzbuzz(n):
    return [RESULT]
