"""Tries the limits of a sandbox one by one, and tells what happened. It ends nothing and leaves nothing behind.

This one is trusted: `evalrun doctor` runs it as it would run a solution. It only reports; what counts as held is decided
outside, together with what the host itself has seen. An attempt is told as "done", or as the error that it met. All
attempts are bounded and harmless where nothing stops them.
"""

import ctypes
import errno
import os
import platform

MIB = 1 << 20
DONE = "done"
REFUSED = 255

libc = ctypes.CDLL(None, use_errno=True)
libc.syscall.restype = ctypes.c_long
X86 = platform.machine() == "x86_64"


def probe(name, *arguments):
    """Make one probe."""
    return globals()["probe_" + name](*arguments)


def attempt(action, *arguments):
    """Do something; say "done", or name the error."""
    try:
        action(*arguments)
    except OSError as exc:
        return errno.errorcode.get(exc.errno, type(exc).__name__)
    except Exception as exc:
        return type(exc).__name__
    return DONE


def checked(result):
    """Raise the error of a C function that returned -1."""
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))
    return result


def syscall(x86, arm, *arguments):
    """Make a system call by its number."""
    wide = [ctypes.c_long(item) if isinstance(item, int) else item for item in arguments]
    return checked(libc.syscall(ctypes.c_long(x86 if X86 else arm), *wide))


def in_child(action, *arguments):
    """Attempt something in a child of its own, which it may change."""
    pid = os.fork()
    if not pid:
        code = REFUSED
        try:
            told = attempt(action, *arguments)
            code = 0 if told == DONE else getattr(errno, told, REFUSED)
        finally:
            os._exit(code)
    code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    return DONE if code == 0 else errno.errorcode.get(code, "an error" if code == REFUSED else f"signal {-code}")


def text_of(path):
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            return file.read(MIB)
    except OSError:
        return ""
