"""The running worker, as the supervisor sees it."""

from __future__ import annotations

import contextlib
import select
import time


class Running:
    """A worker, its pipes, and what it has used so far."""

    def __init__(self, pid: int, generation: int, to: int, back: int, printed: int, bell: int) -> None:
        self.pid = pid
        self.generation = generation
        self.to: int = to
        self.taken = 0
        """Bytes that it took and the host has not been told of."""
        self.back = back
        self.printed = printed
        self.bell = bell
        """Readable when the worker has written what it has to say for now. It need not be honest: the supervisor looks
        now and then anyway."""
        self.poller = select.poll()
        self.cpu_limit_ns = 0
        self.slack_ns = 0
        """What each process may have cost the kernel beyond that."""
        self.print_limit = 0
        self.status: int | None = None
        self.reaped_ns = 0
        self.seen: dict[int, int] = {}
        self.met: set[int] = set()
        """Every process of it that was seen alive."""
        self.group_start_ns: int | None = None
        self.own_start_ns = 0
        self.oom_start = 0
        self.measured_ns = time.monotonic_ns()

    def watch_inlet(self, full: bool) -> None:  # noqa: FBT001 - the one thing it says
        """Have the poller tell when there is room in the pipe to the worker, or no more."""
        if full:
            self.poller.register(self.to, select.POLLOUT)
        else:
            with contextlib.suppress(KeyError):
                self.poller.unregister(self.to)

    def overspent(self, spent_ns: int) -> bool:
        """Say whether it has spent its CPU budget."""
        return spent_ns > self.cpu_limit_ns + self.slack_ns * max(1, len(self.met))
