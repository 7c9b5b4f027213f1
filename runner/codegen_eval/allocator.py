"""How the memory of this process stays flat over many solutions, whose large answers pass through many threads."""

from __future__ import annotations

import ctypes

_M_MMAP_THRESHOLD, _M_ARENA_MAX = -3, -8
_LARGE_BYTES = 1 << 20
_HEAPS = 2


def keep_memory_flat() -> bool:
    """Have threads share few heaps, and large blocks go back to the system when they are free; say whether that is so.

    Left alone, the GNU C library gives each thread a heap, and raises the size from which blocks go back with each one
    that is freed, up to 32 MiB (mallopt(3)): with answers of up to 8 MiB, each heap comes to hold some 60 MiB that
    nobody uses. For the whole process, so it is for programs to call, not for modules. Another C library is left alone.
    """
    try:
        mallopt = ctypes.CDLL(None).mallopt
    except (AttributeError, OSError):
        return False
    return bool(mallopt(_M_ARENA_MAX, _HEAPS)) and bool(mallopt(_M_MMAP_THRESHOLD, _LARGE_BYTES))
