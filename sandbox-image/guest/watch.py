"""What all processes of a sandbox hold together: looked at now and then, where no control group caps it."""

from __future__ import annotations

import os
import time

import process
from limits import Limits

_MAX_FILES = 4096
"""In one place, as in a container."""
_COUNT_SECONDS = 0.1
_MIB = 1 << 20


class Watch:
    """Knows how much memory and how many processes and files a sandbox may hold."""

    def __init__(self, limits: Limits, places: dict[str, int]) -> None:
        """`places` are file systems of the sandbox's own and the MiB that each may hold."""
        self._processes = limits.watch_processes
        self._memory = limits.memory_mib * _MIB
        self._counted: dict[str, float] = {}
        """When the files of a place were counted one by one."""
        self._places = {place: mib * _MIB for place, mib in places.items() if os.path.isdir(place)}

    def overdrawn(self, pids: list[int]) -> bool:
        """Say whether these processes hold more than they may."""
        if self._processes and sum(map(process.threads, pids)) > self._processes:
            return True
        return self._memory > 0 and (self._full(pids) or any(map(self._overfull, self._places)))

    def _full(self, pids: list[int]) -> bool:
        """Add up memory. One process alone has its rlimit; shared pages count once where that can be told."""
        if len(pids) < 2 or sum(map(process.resident, pids)) <= self._memory:  # noqa: PLR2004 - one alone
            return False
        return sum(map(process.proportional, pids)) > self._memory

    def _overfull(self, place: str) -> bool:
        """Say whether a file system holds too much: not every one has limits of its own."""
        facts = os.statvfs(place)
        held = (facts.f_blocks - facts.f_bfree) * facts.f_frsize
        files = facts.f_files - facts.f_ffree if facts.f_files else self._count(place)
        return held > self._places[place] or files > _MAX_FILES

    def _count(self, place: str) -> int:
        """Count the files below a folder where its file system doesn't, now and then and up to one too many."""
        now = time.monotonic()
        if now < self._counted.get(place, 0.0) + _COUNT_SECONDS:
            return 0
        self._counted[place] = now
        files = 0
        folders = [place]
        while folders and files <= _MAX_FILES:
            try:
                with os.scandir(folders.pop()) as entries:
                    for entry in entries:
                        files += 1
                        if entry.is_dir(follow_symlinks=False):
                            folders.append(entry.path)
                        if files > _MAX_FILES:
                            break
            except OSError:  # it went away, or its path is too long to be looked into
                continue
        return files
