"""Emptying the directory that a worker wrote in."""

from __future__ import annotations

import os


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
