"""The folders that workers write in."""

from __future__ import annotations

import contextlib
import os

SHARED_MEMORY = "/dev/shm"  # noqa: S108 - of the container; locks of `multiprocessing` live there


class Workplace:
    """One directory for the worker that runs, made anew for each: its times and attributes would tell of others."""

    def __init__(self, path: str, *, uid: int, init: bool) -> None:
        self.path = path
        self._uid = uid
        self._init = init

    def renew(self) -> None:
        """Leave an empty directory for the next worker and nothing beside it."""
        above = os.path.dirname(self.path)
        empty(above)
        if self._init and os.path.isdir(SHARED_MEMORY):
            empty(SHARED_MEMORY)
        os.mkdir(self.path, 0o700)
        if self._uid >= 0:
            os.chown(self.path, self._uid, self._uid)

    def remove(self) -> None:
        """Leave nothing behind, also where the host was killed and can't do it."""
        if not self._init:
            above = os.path.dirname(self.path)
            empty(above)
            with contextlib.suppress(OSError):
                os.rmdir(above)


def empty(folder: str) -> None:
    """Remove everything in a folder, whatever modes, links and depth a worker left in it.

    Subfolders are moved up before they are emptied, so no path grows and nothing recurses.
    """
    serial = 0
    while names := os.listdir(folder):
        for name in names:
            path = os.path.join(folder, name)
            if os.path.islink(path) or not os.path.isdir(path):
                os.unlink(path)
                continue
            os.chmod(path, 0o700)
            for inner in os.listdir(path):
                child = os.path.join(path, inner)
                if os.path.isdir(child) and not os.path.islink(child):
                    os.chmod(child, 0o700)
                    while os.path.lexists(target := os.path.join(folder, f".{serial}")):
                        serial += 1
                    os.rename(child, target)
                else:
                    os.unlink(child)
            os.rmdir(path)
