"""gVisor under the engine: its own kernel needs room, and leaves limits to the guest that the host's kernel keeps.

A memory limit of the container counts gVisor's kernel too, and whoever reaches it takes that kernel, so the whole sandbox,
along. So the container gets more than the solution may have, and the guest holds the solution to its share.
"""

from __future__ import annotations

from codegen_eval.sandbox.hardening import Arguments

OWN_MEMORY_MIB = 256
OWN_PROCESSES = 448
"""Threads of gVisor's kernel on the host, and one for each thread inside."""
_MAX_PROCESSES = 64


def is_gvisor(runtime: str) -> bool:
    """Say whether a runtime is gVisor, by its name: the engine doesn't tell."""
    return any(word in runtime.lower() for word in ("runsc", "gvisor"))


def with_room(host: Arguments, memory_mib: int) -> Arguments:
    """Return the arguments of `create_host_config` with what gVisor itself uses on top, where they are limited at all."""
    room: Arguments = dict(host)
    if "mem_limit" in host:
        room["mem_limit"] = f"{memory_mib + OWN_MEMORY_MIB}m"
        if host["memswap_limit"] != -1:
            room["memswap_limit"] = room["mem_limit"]
    if "pids_limit" in host:
        room["pids_limit"] = _MAX_PROCESSES + OWN_PROCESSES
    return room


def guest_words(memory_mib: int) -> list[str]:
    """Return what the guest is told to keep to."""
    return ["--memory-mib", str(memory_mib), "--watch-processes", str(_MAX_PROCESSES)]
