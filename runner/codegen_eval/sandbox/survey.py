"""What the sandbox of a run stands on: which kind it is, and what its engine or kernel lacks."""

from __future__ import annotations

import ctypes
import platform
import secrets
import sys

from codegen_eval.interfaces import SandboxProvider
from codegen_eval.sandbox.attestation import Attestation
from codegen_eval.sandbox.choice import Wish, choose_sandbox
from codegen_eval.sandbox.gvisor import is_gvisor
from codegen_eval.sandbox.limit import Kind, Need, Surroundings
from codegen_eval.sandbox.probe import lacking, probe_docker
from codegen_eval.sandbox.prober import MEMORY_MIB, SANDBOXES, attest
from codegen_eval.sandbox.process import gives_own_user

_MACHINES = ("x86_64", "aarch64")
"""Those that the guest has a filter for."""
_LANDLOCK_CREATE = 444
_LANDLOCK_VERSION = 1


def look_around(provider: SandboxProvider, *, runtime: str | None) -> Surroundings:
    """Find out what this provider's sandboxes stand on."""
    if provider.name == "docker":
        info = probe_docker(runtime=runtime).info
        gvisor = is_gvisor(runtime or (info.default_runtime if info is not None else None))
        return Surroundings(
            kind=Kind.GVISOR if gvisor else Kind.DOCKER,
            memory_mib=MEMORY_MIB,
            lacking=lacking(info) if info is not None else frozenset(),
        )
    missing = {
        Need.FILTER: sys.platform == "linux" and platform.machine() in _MACHINES,
        Need.LANDLOCK: _landlock(),
        Need.OWN_USER: gives_own_user(),
    }
    return Surroundings(
        kind=Kind(provider.name),
        memory_mib=MEMORY_MIB,
        lacking=frozenset(need for need, there in missing.items() if not there),
    )


def attest_like(provider: SandboxProvider, *, runtime: str | None) -> Attestation:
    """Attest sandboxes of the same kind as this provider's, with the memory cap that is tried.

    Raises:
        EnvironmentFaultError: no such sandbox can be had.
    """
    wish = Wish(
        name=provider.name, runtime=runtime, memory_mib=MEMORY_MIB, expected=SANDBOXES, trusted=False, allow_unsafe=True
    )
    own = choose_sandbox(wish, run_id=secrets.token_hex(8)).provider
    try:
        return attest(own, look_around(own, runtime=runtime), runtime=runtime)
    finally:
        own.close()


def _landlock() -> bool:
    """Say whether this kernel has Landlock."""
    if sys.platform != "linux" or platform.machine() not in _MACHINES:
        return False
    version = ctypes.CDLL(None).syscall(_LANDLOCK_CREATE, None, ctypes.c_size_t(0), _LANDLOCK_VERSION)
    return int(version) > 0
