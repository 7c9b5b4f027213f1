"""What a solution may read where the file system is not a container's: a Python, without what is installed beside it.

Among that may be this very program with its tasks, and so every expected value.
"""

from __future__ import annotations

import os
import sys

_PACKAGES = frozenset({"site-packages", "dist-packages"})
_SYSTEM = (
    "/bin",  # solutions may start the usual programs
    "/sbin",
    "/usr/bin",
    "/usr/sbin",
    "/usr/libexec",
    "/lib32",
    "/lib64",  # the loader
    "/usr/lib32",
    "/usr/lib64",
    "/usr/share/zoneinfo",
    "/usr/share/locale",
    "/etc/ld.so.cache",  # where libraries are found
    "/etc/localtime",
    "/etc/mime.types",
    "/dev/urandom",
    "/dev/zero",
    "/proc",
)
_LIBRARIES = ("/lib", "/usr/lib", "/usr/local/lib")


def readable_paths() -> list[str]:
    """Return files and folders that may be read, with all that is in them."""
    found = [*_SYSTEM, os.path.join(sys.base_prefix, "bin")]
    for folder in dict.fromkeys(map(os.path.realpath, (*_LIBRARIES, os.path.join(sys.base_prefix, "lib")))):
        found += [os.path.join(folder, name) for name in _listed(folder) if not name.startswith("python")]
    for folder in standard_library():
        found += [os.path.join(folder, name) for name in _listed(folder) if name not in _PACKAGES]
    return found


def standard_library() -> list[str]:
    """Return the folders that modules are imported from."""
    return [entry for entry in sys.path if os.path.isdir(entry)]


def _listed(folder: str) -> list[str]:
    try:
        return sorted(os.listdir(folder))
    except OSError:
        return []
