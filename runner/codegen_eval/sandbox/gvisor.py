"""gVisor under the engine: what its own kernel needs, and what it leaves to the guest that Linux sees to.

A memory limit of the container counts gVisor's kernel too, and whoever reaches it takes that kernel along, and so the
whole sandbox: the container gets more than the solution may have, and the guest holds the solution to its share. Other
processes of the same user may open the guest's descriptors in /proc, dumpable or not: workers get a user of their own,
and the guest the rights to give it to them. They are rights in gVisor's kernel, the boundary, and none on the host.
"""

from __future__ import annotations

from codegen_eval.sandbox.hardening import UID, Arguments

_OWN_MEMORY_MIB = 256
_OWN_PROCESSES = 448
"""Threads of gVisor's kernel on the host, and one for each thread inside."""
_MAX_PROCESSES = 64
_CPU_SLACK_MS = 100
"""For each process: CPU time is counted in ticks of 10 ms, and starting a program takes several."""
_RIGHTS = ("CHOWN", "DAC_OVERRIDE", "FOWNER", "KILL", "SETGID", "SETPCAP", "SETUID")
"""To become another user, to leave it no right, to end what runs as it, and to empty its folders."""


def is_gvisor(runtime: str | None) -> bool:
    """Say whether a runtime is gVisor, by its name: the engine doesn't tell."""
    return any(word in (runtime or "").lower() for word in ("runsc", "gvisor"))


def adapt_container(container: Arguments, memory_mib: int) -> Arguments:
    """Return the arguments of `create_container` for a guest that keeps a solution to its limits."""
    told = container.get("command", [])
    words = ["--uid", str(UID), "--memory-mib", str(memory_mib), "--watch-processes", str(_MAX_PROCESSES)]
    words += ["--cpu-slack-ms", str(_CPU_SLACK_MS)]
    return container | {"user": "0:0", "command": [*words, *(told if isinstance(told, list) else [])]}


def adapt_host(host: Arguments, memory_mib: int) -> Arguments:
    """Return the arguments of `create_host_config` with what gVisor itself uses on top."""
    adapted: Arguments = host | {"cap_add": list(_RIGHTS)}
    if "mem_limit" in host:
        adapted["mem_limit"] = f"{memory_mib + _OWN_MEMORY_MIB}m"
        if host["memswap_limit"] != -1:
            adapted["memswap_limit"] = adapted["mem_limit"]
    if "pids_limit" in host:
        adapted["pids_limit"] = _MAX_PROCESSES + _OWN_PROCESSES
    return adapted
