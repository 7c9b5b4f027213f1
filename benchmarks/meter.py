"""What a stretch of work took: time, processor time on our side and on the rest of the machine, peak memory."""

from __future__ import annotations

import contextlib
import os
import resource
import time
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Self

_TICK = 1 / os.sysconf("SC_CLK_TCK")
_DAEMONS = ("dockerd", "containerd")


@dataclass(frozen=True, slots=True, kw_only=True)
class Spent:
    """What was used between two moments."""

    wall_seconds: float
    own_cpu_seconds: float
    """Of this process and of what it started and reaped."""
    other_cpu_seconds: float
    """Of everything else on this machine: engine, shims, containers, and whatever else was running."""
    daemon_cpu_seconds: float
    """Of the daemons dockerd and containerd alone, with what they reaped. Part of the above."""
    peak_mib: float
    """Peak resident memory of this process."""


class Meter:
    """Measure what is done in a `with` block; `spent` says it afterwards. Linux only."""

    spent: Spent

    def __enter__(self) -> Self:
        with contextlib.suppress(OSError):
            Path("/proc/self/clear_refs").write_text("5", encoding="ascii")  # the peak begins anew
        self._daemons = _daemons()
        self._all, self._own, self._wall = _machine(), _own(), time.monotonic()
        return self

    def __exit__(self, kind: type[BaseException] | None, exc: BaseException | None, tb: TracebackType | None) -> None:
        wall = time.monotonic() - self._wall
        own, everything = _own() - self._own, _machine() - self._all
        before = self._daemons
        daemons = sum(spent - before.get(pid, 0.0) for pid, spent in _daemons().items() if pid in before)
        self.spent = Spent(
            wall_seconds=wall,
            own_cpu_seconds=own,
            other_cpu_seconds=max(0.0, everything - own),
            daemon_cpu_seconds=daemons,
            peak_mib=peak_mib(),
        )


def _machine() -> float:
    """Return the CPU seconds that all processes have used, user and system; guests count as user."""
    fields = Path("/proc/stat").read_text(encoding="ascii").split("\n", maxsplit=1)[0].split()[1:]
    user, nice, system, _idle, _wait, irq, soft = map(int, fields[:7])
    return (user + nice + system + irq + soft) * _TICK


def _own() -> float:
    total = 0.0
    for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN):
        usage = resource.getrusage(who)
        total += usage.ru_utime + usage.ru_stime
    return total


def _daemons() -> dict[int, float]:
    """Return the CPU seconds of the engine's daemons by process id."""
    found: dict[int, float] = {}
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            head, _, rest = path.read_text(encoding="utf-8", errors="replace").rpartition(")")
        except OSError:
            continue
        if head.partition("(")[2] in _DAEMONS:
            fields = rest.split()
            found[int(path.parent.name)] = sum(map(int, fields[11:15])) * _TICK
    return found


def peak_mib() -> float:
    """Return the peak resident memory of this process in MiB."""
    for line in Path("/proc/self/status").read_text(encoding="ascii", errors="replace").splitlines():
        if line.startswith("VmHWM:"):
            return int(line.split()[1]) / 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
