"""What the guest is told to keep to where the kernel or a control group does not; 0 is no limit."""

from __future__ import annotations

import typing


class Limits(typing.NamedTuple):
    """For one sandbox."""

    memory_mib: int = 0
    """For each process an rlimit; all of them together are watched."""
    max_processes: int = 0
    """An rlimit, where a user of its own or a user namespace counts them apart. Threads count."""
    watch_processes: int = 0
    """Watched, where nothing counts them apart."""
    cpu_slack_ms: int = 0
    """CPU time beyond its budget that a worker may spend for each of its processes, where starting one is dear."""
