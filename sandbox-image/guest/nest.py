"""What a fork of the supervisor does to become a worker: descriptors, limits, fences, then the solution."""

from __future__ import annotations

import fcntl
import gc
import os
import signal
import sys

import fence
import process
import shown
import worker
from limits import Limits


class Nest:
    """How the workers of one sandbox are kept. Made by the supervisor, so that a worker finds everything prepared."""

    def __init__(self, *, workdir: str, uid: int, limits: Limits, without: frozenset[str]) -> None:
        self._workdir = workdir
        self._uid = uid
        self._limits = limits
        self._without = without
        self._init = os.getpid() == 1
        protected = (1,) if self._init else (os.getpid(), os.getppid())
        self._program = fence.own_seccomp_program(protected)
        self._rules = self._make_rules()

    def become_worker(
        self, to_read: int, back_write: int, print_write: int, bell_write: int, *, cpu_seconds: float
    ) -> None:
        """Turn this fork into a worker. Never returns."""
        code = 70
        try:
            os.setsid()
            fence.die_with_parent()
            null = os.open(os.devnull, os.O_RDWR)
            # move the protocol's ends out of the way first: a pipe may have been given a low number
            ends = (to_read, back_write, print_write, bell_write)
            inlet, outlet, printer, bell = (fcntl.fcntl(fd, fcntl.F_DUPFD, 16) for fd in ends)
            for source, target in ((null, 0), (printer, 1), (printer, 2), (inlet, 3), (outlet, 4), (bell, 5)):
                os.dup2(source, target)
            keep = self._hold_library(6) if self._uid >= 0 and not self._init else 6
            kept = self._rules.fd if self._rules is not None else -1
            if kept >= keep:
                os.closerange(keep, kept)
                keep = kept + 1
            if fence.DESCRIPTORS not in self._without:
                os.closerange(keep, 4096)
            for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
                signal.signal(number, signal.SIG_DFL)
            process.prefer_for_oom()
            if self._uid >= 0:
                os.setgroups([])
                os.setgid(self._uid)
                os.setuid(self._uid)
                fence.die_with_parent()  # a change of uid clears it
            if fence.RLIMITS not in self._without:
                fence.set_rlimits(cpu_seconds=cpu_seconds, limits=self._limits)
            os.chdir(self._workdir)
            fence.set_dumpable(True)
            if self._rules is not None:
                self._rules.write([self._workdir])
                self._rules.put_on()
            if fence.SECCOMP not in self._without:
                fence.install_seccomp(self._program)
            gc.enable()
            worker.Worker(3, 4, 5, self._workdir).serve()
            code = 0
        finally:
            os._exit(code)

    def _make_rules(self) -> fence.Landlock | None:
        """Gather the rules that shut off what the file system itself leaves open; None in an engine's container."""
        if fence.LANDLOCK in self._without or (self._init and not self._limits.memory_mib):
            return None
        rules = fence.Landlock()
        rules.run(shown.readable_paths())
        rules.list(shown.standard_library())
        rules.write(["/dev/null"])
        if self._init:  # mounts without an engine can't say `noexec`
            rules.show(["/"])
            rules.write([os.path.dirname(self._workdir), "/dev", "/proc"])
        return rules

    @staticmethod
    def _hold_library(first: int) -> int:
        """Keep the standard library importable after a change of uid, wherever it is; return the first free descriptor.

        A path through our own descriptor needs no right to search the folders above (a home directory, as a rule).
        """
        if sys.platform != "linux":  # where workers get no user of their own
            return first
        for index, entry in enumerate(sys.path):
            if os.path.isdir(entry):
                held = fcntl.fcntl(os.open(entry, os.O_PATH), fcntl.F_DUPFD, 64)
                os.dup2(held, first)
                sys.path[index] = f"/proc/self/fd/{first}"
                for module in list(sys.modules.values()):  # packages that are imported already know the old path
                    inside = getattr(module, "__path__", None)
                    if isinstance(inside, list):
                        inside[:] = [
                            sys.path[index] + path[len(entry) :] if path.startswith(entry + "/") else path
                            for path in inside
                        ]
                first += 1
        sys.path_importer_cache.clear()
        return first
