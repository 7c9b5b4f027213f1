import ctypes
import platform


def attempt():
    """Make a System V segment, which outlives its maker."""
    number = {"x86_64": 29, "aarch64": 194}.get(platform.machine(), -1)
    made = ctypes.CDLL(None).syscall(number, ctypes.c_int(int("@KEY@")), ctypes.c_size_t(4096), ctypes.c_int(0o1600))
    return "held" if made < 0 else "REACHED"


RESULT = attempt()


def fizzbuzz(n):
    return [RESULT]
