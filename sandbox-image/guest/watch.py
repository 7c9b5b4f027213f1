"""What all processes of a sandbox hold together: looked at now and then, where no control group caps it."""

from __future__ import annotations

import os

import process
from limits import Limits

_MAX_FILES = 4096
"""In one place, as in a container."""
_MIB = 1 << 20


class Watch:
    """Knows how much memory and how many processes and files a sandbox may hold."""

    def __init__(self, limits: Limits, places: dict[str, int]) -> None:
        """`places` are file systems of the sandbox's own and the MiB that each may hold."""
        self._processes = limits.watch_processes
        self._memory = limits.memory_mib * _MIB
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
        return held > self._places[place] or facts.f_files - facts.f_ffree > _MAX_FILES
