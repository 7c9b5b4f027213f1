import os
import sys


def attempt():
    """Make files outside of the one place for that, and open the guest's own for writing."""
    guest = [entry for entry in sys.path if os.path.isdir(entry)] + ["/opt/guest"]
    for folder in (*guest, "/usr/lib", "/etc", "/var/tmp", "/run/lock", "/home", "/"):
        path = os.path.join(folder, "@TOKEN@")
        try:
            os.close(os.open(path, os.O_CREAT | os.O_WRONLY, 0o600))
            os.unlink(path)
            return "REACHED"
        except OSError:
            pass
    for path in ("/opt/guest/worker.py", "/opt/guest/__main__.py", "/etc/passwd", "/etc/ld.so.preload"):
        try:
            os.close(os.open(path, os.O_WRONLY))
            return "REACHED"
        except OSError:
            pass
    return "held"


RESULT = attempt()


def fizzbuzz(n):
    return [RESULT]
