"""Limits of what a solution may ask of the kernel: the parts of it that had most holes."""

from __future__ import annotations

import socket

from codegen_eval.sandbox.evidence import refused
from codegen_eval.sandbox.hardening import Weakening
from codegen_eval.sandbox.limit import Limit, Off

_BOTH = Weakening(seccomp=True, guest=frozenset({"seccomp"}))
"""The engine's filter and the guest's: either would do."""


def _root(*capabilities: str) -> Weakening:
    """Switch off what refuses a call to those who have the right to it, and give the right."""
    options = {"user": "0:0", "cap_drop": None, "cap_add": capabilities}
    return Weakening(options=options, seccomp=True, guest=frozenset({"seccomp"}))


_UNFILTERED = "use a kernel with seccomp, on x86_64 or aarch64"
_AF_VSOCK, _AF_ALG, _AF_NETLINK = 40, 38, 16
_STREAM, _RAW, _SEQPACKET = int(socket.SOCK_STREAM), int(socket.SOCK_RAW), 5


def _call(name: str, promise: str, probe: str, weakening: Weakening, *arguments: object) -> Limit:
    """Make the entry of a system call that is refused."""
    return Limit(
        id=name,
        promise=promise,
        probe=probe,
        arguments=lambda _: arguments,
        judge=refused,
        to_do=_UNFILTERED,
        off=Off(weakening=weakening),
    )


KERNEL: tuple[Limit, ...] = (
    _call("io-uring", "no ring of requests to the kernel, which would pass filters by", "io_uring", _BOTH),
    _call("af-vsock", "no socket to the hypervisor", "socket", _BOTH, _AF_VSOCK, _STREAM),
    _call("af-alg", "no socket to the kernel's ciphers", "socket", _BOTH, _AF_ALG, _SEQPACKET),
    _call("af-netlink", "no socket to the kernel's configuration", "socket", _BOTH, _AF_NETLINK, _RAW),
    _call("keyrings", "no keys, which no namespace separates", "keyrings", _BOTH),
    _call("user-namespaces", "no namespace in which it would be root", "user_namespaces", _BOTH),
    _call("system-v-ipc", "no shared memory, queues or semaphores that outlive it", "ipc", _BOTH),
    _call("perf-events", "no counters of the processor or the kernel", "perf", _root("SYS_ADMIN")),
    _call("bpf", "no programs in the kernel", "bpf", _root("SYS_ADMIN")),
    Limit(
        id="mount",
        promise="nothing can be mounted",
        probe="mount",
        arguments=lambda trial: (trial.workdir,),
        judge=refused,
        to_do=_UNFILTERED,
        off=Off(weakening=_root("SYS_ADMIN")),
    ),
)
"""Each is refused by the engine's profile and by the guest's own filter."""
