"""Whose container is this, and is its owner dead? Removes what runs that were killed left behind."""

from __future__ import annotations

import hashlib
import os
import re
import socket
import subprocess
import sys
import uuid
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol, Self

from codegen_eval.errors import EnvironmentFaultError
from codegen_eval.sandbox.engine import Listed
from codegen_eval.sandbox.hardening import LABEL_OWNER

_LABEL = re.compile(r"([0-9a-f]{16}):([1-9][0-9]{0,9}):([0-9a-f]{1,24})")


class ReaperEngine(Protocol):
    """What reaping needs of an engine."""

    def containers(self, label: str) -> tuple[Listed, ...]:
        """List the containers that have a label."""

    def remove(self, container: str) -> bool:
        """Kill and remove a container; say whether it is gone."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Owner:
    """The process that made a container."""

    host: str
    """Names the machine, its boot and the pid namespace: there, a pid and a start time mean one process."""
    pid: int
    started: str
    """When it started, in whatever unit the system tells; it tells a process from a later one with its pid."""

    @classmethod
    def of(cls, pid: int) -> Self:
        """Return the owner label of a live process of this machine."""
        return cls(host=host_id(), pid=pid, started=_started(pid) or "0")

    @classmethod
    def parse(cls, label: str) -> Self | None:
        """Read a label, None where it isn't one of ours."""
        match = _LABEL.fullmatch(label)
        return cls(host=match[1], pid=int(match[2]), started=match[3]) if match else None

    def __str__(self) -> str:
        return f"{self.host}:{self.pid}:{self.started}"

    @property
    def dead(self) -> bool:
        """Say that this process has ended for certain: false for another host's, and where it can't be told."""
        if self.host != host_id() or self.started == "0":
            return False
        try:
            os.kill(self.pid, 0)
        except ProcessLookupError:
            return True
        except PermissionError:
            return False  # somebody else's, and /proc may hide it
        return _started(self.pid) != self.started


def host_id() -> str:
    """Return a name for this machine, this boot of it and this pid namespace."""
    parts = [socket.gethostname(), str(uuid.getnode())]
    if sys.platform == "linux":
        parts = [
            socket.gethostname(),
            Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii").strip(),
            str(Path("/proc/self/ns/pid").readlink()),
        ]
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()[:16]


def reap(engine: ReaperEngine) -> tuple[str, ...]:
    """Remove the containers of this host's dead processes; return their ids.

    Never another host's, never a live process's. One that can't be removed is left for the next run.
    """
    removed: list[str] = []
    for container in dead_containers(engine):
        try:
            engine.remove(container)
        except EnvironmentFaultError:
            continue
        removed.append(container)
    return tuple(removed)


def dead_containers(engine: ReaperEngine) -> tuple[str, ...]:
    """Return the ids of the containers whose owner was a process of this host and has ended."""
    listed = [each for each in engine.containers(LABEL_OWNER) if not each.removing]
    owners = {each.id: Owner.parse(each.labels.get(LABEL_OWNER, "")) for each in listed}
    return tuple(container for container, owner in owners.items() if owner is not None and owner.dead)


def _started(pid: int) -> str | None:
    """Return when a process started, None where it has ended (a zombie has)."""
    if sys.platform == "linux":
        try:
            stat = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace")
        except (FileNotFoundError, ProcessLookupError):
            return None
        fields = stat.rpartition(")")[2].split()
        return None if fields[0] in {"Z", "X"} else f"{int(fields[19]):x}"
    answer = subprocess.run(  # noqa: S603 - no shell; the pid is an int
        ["/bin/ps", "-o", "stat=,lstart=", "-p", str(pid)],
        capture_output=True,
        check=False,
        timeout=10,
        env={"LC_ALL": "C", "PATH": os.defpath},
    )
    state, _, started = answer.stdout.strip().partition(b" ")
    if not state or state.startswith(b"Z"):
        return None
    return hashlib.sha256(started.strip()).hexdigest()[:16]
