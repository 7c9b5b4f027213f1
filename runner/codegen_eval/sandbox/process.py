"""The fallback sandbox: the guest as an ordinary process. It is no security boundary.

What can be had without an engine is used: an empty environment, a session and directory of its own, rlimits, the
stacked seccomp filter, Landlock where the kernel has it, and another uid when started as root.
"""

from __future__ import annotations

import os
import secrets
import sys
import weakref

from codegen_eval.interfaces import SandboxFacts
from codegen_eval.sandbox.child import UID_COUNT, UID_FIRST, ChildStream, guest_folder, start_child
from codegen_eval.sandbox.confinement import MAX_PROCESSES
from codegen_eval.sandbox.scratch import make_scratch, remove_scratch, sweep_scratch
from codegen_eval.sandbox.session import GuestSession

_READY_SECONDS = 30.0
_ENVIRONMENT = {"LANG": "C.UTF-8", "PYTHONHASHSEED": "0", "TZ": "UTC"}


def gives_own_user() -> bool:
    """Say whether workers get a user that nothing else is: on Linux, when started as root."""
    return sys.platform == "linux" and os.geteuid() == 0


class ProcessProvider:
    """Make sandboxes that are plain child processes."""

    name = "subprocess"

    def __init__(self, *, memory_mib: int, without: frozenset[str] = frozenset()) -> None:
        """Workers go `without` some fences only where an attack is to be shown to work without them."""
        self._memory_mib = memory_mib
        self._without = without
        self._guest = guest_folder()
        sweep_scratch()
        self._streams: weakref.WeakSet[ChildStream] = weakref.WeakSet()

    def open(self) -> GuestSession:
        """Start a guest and wait until it is ready.

        Raises:
            SandboxLostError: it did not say so.
            SandboxUnavailableError: it could not be started, or has no place to be in.
        """
        folder = make_scratch()
        workdir = folder / "work"
        argv = [sys.executable, "-I", "-S", "-B", "-X", "utf8", str(self._guest)]
        argv += ["--workdir", str(workdir), "--memory-mib", str(self._memory_mib)]
        if self._without:
            argv += ["--without", ",".join(sorted(self._without))]
        uid = UID_FIRST + secrets.randbelow(UID_COUNT) if gives_own_user() else None
        if uid is not None:
            argv += ["--uid", str(uid), "--max-processes", str(MAX_PROCESSES)]
            folder.chmod(0o711)
        stream = start_child(
            argv, cwd=folder, environment=_ENVIRONMENT, on_close=lambda: remove_scratch(folder), own_uid=uid
        )
        self._streams.add(stream)
        return GuestSession(stream, workdir=str(workdir), ready_seconds=_READY_SECONDS)

    @property
    def not_removed(self) -> tuple[str, ...]:
        """Nothing: the kernel ends what its supervisor doesn't."""
        return ()

    def facts(self) -> SandboxFacts:
        """Say what these sandboxes are."""
        version = ".".join(map(str, sys.version_info[:3]))
        return SandboxFacts(name=self.name, isolated=False, python=version)

    def close(self) -> None:
        """End every sandbox that is still open; their users see them as lost."""
        for stream in list(self._streams):
            stream.hang_up()
