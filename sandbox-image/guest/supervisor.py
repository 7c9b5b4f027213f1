"""The supervisor: forks a worker for each generation, relays bytes it never parses, reports how workers end.

It is PID 1 of a container, or an ordinary process that adopts orphans. It is also the zygote: a worker is a fork of it
and inherits its memory, so nothing that came from a worker or went to one is ever kept in a Python object here:
bytes pass through two preallocated buffers that are zeroed before each fork.
"""

from __future__ import annotations

import contextlib
import errno
import fcntl
import gc
import json
import os
import select
import signal
import sys
import time

import fence
import folder
import nest
import process
import watch
import wire
from inlet import Inlet
from limits import Limits
from running import Running

_BUFFER = 1 << 16
_TICK_MS = 20
_IDLE_SECONDS = 900.0
"""Without a word from the host for so long, it is gone (a remote engine may not notice)."""
_F_SETPIPE_SZ = 1031
_PIPE_BYTES = 1 << 20
_HANGUP_SECONDS = 0.0005
_LINGER_SECONDS = 0.1
"""How long a process may outlive the last answer of the worker that started it."""


class Supervisor:
    """Serve one host on standard input and output until it hangs up."""

    def __init__(self, *, workdir: str, uid: int, limits: Limits, without: frozenset[str]) -> None:
        self._without = without
        self._uid = uid
        self._init = os.getpid() == 1
        self._place = folder.Workplace(workdir, uid=uid, init=self._init)
        self._group = process.Group()
        self._nest = nest.Nest(workdir=workdir, uid=uid, limits=limits, without=without)
        places = {os.path.dirname(workdir): 32, folder.SHARED_MEMORY: 8} if self._init else {}
        self._slack_ns = limits.cpu_slack_ms * 1_000_000
        self._watch = watch.Watch(Limits() if fence.WATCH in without else limits, places)
        self._host = 0
        self._out = 1
        self._header = bytearray(wire.HEADER.size)
        self._inlet = Inlet()
        self._inbound = bytearray(wire.CHUNK)
        self._outbound = bytearray(_BUFFER)
        self._used_in = self._used_out = 0
        """How much of each buffer may hold something: what is zeroed before a fork."""
        self._worker: Running | None = None

    # --- life -------------------------------------------------------------------------------------------------------

    def serve(self) -> None:
        """Say *ready*, then obey frames until end of file."""
        if fence.DUMPABLE not in self._without:
            fence.set_dumpable(False)
        if self._uid >= 0:
            fence.narrow_capabilities()
            if self._init:
                fence.shut_devices()
        if not self._init:
            fence.become_subreaper()
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, signal.SIG_IGN)
        self._place.renew()
        gc.freeze()
        gc.disable()  # nothing here is cyclic, and a collection would touch, so copy, every page after a fork
        facts = {
            "protocol": wire.PROTOCOL,
            "python": ".".join(map(str, sys.version_info[:3])),
            "init": self._init,
            "group_cpu": self._init and self._group.cpu_ns() is not None,
            "landlock": fence.landlock_abi(),
        }
        self._say(wire.READY, 0, json.dumps(facts).encode())
        try:
            while self._turn():
                pass
        finally:
            if self._worker is not None:
                self._end_all(self._worker)
            self._place.remove()

    def _turn(self) -> bool:
        """Wait for one event and handle it; False at end of file."""
        running = self._worker
        if running is None:
            poller = select.poll()
            poller.register(self._host, select.POLLIN)
            ready = dict(poller.poll(_IDLE_SECONDS * 1000))
        else:
            ready = dict(running.poller.poll(_TICK_MS))
        if not ready and running is None:
            return False
        if running is not None:
            if running.printed in ready:
                self._drop_printed(running)
            if self._worker is running and running.to in ready:
                self._feed(running)
            if self._worker is running and (running.bell in ready or not ready):
                self._answer_bell(running)
            if self._worker is running:
                self._look_after(running)
        return self._obey() if self._host in ready else True

    # --- from the host ----------------------------------------------------------------------------------------------

    def _obey(self) -> bool:
        """Read one header and do what it says; False at end of file."""
        if not self._read_exactly(memoryview(self._header)):
            return False
        kind, generation, length = wire.HEADER.unpack(self._header)
        running = self._worker
        current = running is not None and running.generation == generation
        if kind == wire.SPAWN:
            payload = bytearray(wire.SPAWN_PAYLOAD.size)
            if not self._read_exactly(memoryview(payload)):
                return False
            cpu_seconds, print_limit = wire.SPAWN_PAYLOAD.unpack(payload)
            if running is not None:
                self._finish(running, wire.CLOSED)
            self._spawn(generation, cpu_seconds, print_limit)
        elif kind == wire.TO_WORKER:
            return self._relay_to(length, generation)
        elif kind == wire.END and current and running is not None:
            self._finish(running, wire.CLOSED)
        return True

    def _read_exactly(self, into: memoryview) -> bool:
        """Fill `into` from the host; False at end of file."""
        done = 0
        while done < len(into):
            count = os.readv(self._host, [into[done:]])
            if not count:
                return False
            done += count
        return True

    def _relay_to(self, length: int, generation: int) -> bool:
        """Keep `length` bytes for the worker of this generation, or drop them; False at end of file."""
        running = self._worker
        if length > wire.CHUNK:
            return False
        if running is None or running.generation != generation:
            self._used_in = max(self._used_in, length)
            return self._read_exactly(memoryview(self._inbound)[:length])
        if not self._inlet.take(self._host, length):
            return False
        self._feed(running)
        return True

    def _feed(self, running: Running) -> None:
        """Give the worker what it takes now of what waits for it, and tell the host how much that was."""
        try:
            running.taken += self._inlet.feed(running.to) if running.to >= 0 else self._inlet.drop()
        except OSError:  # it reads no more
            running.watch_inlet(False)
            os.close(running.to)
            running.to = -1
            running.taken += self._inlet.drop()
        if running.to >= 0:
            running.watch_inlet(self._inlet.waiting > 0)
        if running.taken > wire.WINDOW // 2:
            self._say(wire.TAKEN, running.generation, wire.TAKEN_PAYLOAD.pack(running.taken))
            running.taken = 0

    # --- from the worker --------------------------------------------------------------------------------------------

    def _relay_back(self, running: Running) -> bool:
        """Pass one chunk of the worker's bytes to the host, unparsed; False where there was none."""
        view = memoryview(self._outbound)
        try:
            count = os.readv(running.back, [view])
        except BlockingIOError:
            return False
        if not count:
            return False
        self._used_out = max(self._used_out, count)
        self._say(wire.FROM_WORKER, running.generation, view[:count])
        return True

    def _answer_bell(self, running: Running) -> None:
        """Pass on what the worker has written, up to a pipe full."""
        with contextlib.suppress(BlockingIOError):
            count = os.readv(running.bell, [self._outbound])
            self._used_out = max(self._used_out, count)
            if not count:  # it ends, or has hung up: then this would be readable for ever
                time.sleep(_HANGUP_SECONDS)
        for _ in range(_PIPE_BYTES // _BUFFER):
            if not self._relay_back(running):
                break

    def _drop_printed(self, running: Running) -> None:
        """Throw away what was printed, and count it."""
        try:
            count = os.readv(running.printed, [self._outbound])
        except BlockingIOError:
            return
        if not count:
            running.poller.unregister(running.printed)
        self._used_out = max(self._used_out, count)
        running.print_limit -= count
        if running.print_limit < 0:
            self._finish(running, wire.OUTPUT)

    def _say(self, kind: int, generation: int, payload: bytes | memoryview) -> None:
        """Write one frame to the host, whole."""
        parts = [memoryview(wire.HEADER.pack(kind, generation, len(payload))), memoryview(payload)]
        while parts:
            count = os.writev(self._out, parts)
            while parts and count >= len(parts[0]):
                count -= len(parts.pop(0))
            if parts:
                parts[0] = parts[0][count:]

    # --- the worker's life ------------------------------------------------------------------------------------------

    def _spawn(self, generation: int, cpu_seconds: float, print_limit: int) -> None:
        """Fork a worker behind fresh pipes."""
        if fence.ZEROES not in self._without:
            self._inlet.zero()
            self._inbound[: self._used_in] = bytes(self._used_in)
            self._outbound[: self._used_out] = bytes(self._used_out)
            self._used_in = self._used_out = 0
        to_read, to = os.pipe()
        back, back_write = os.pipe()
        printed, print_write = os.pipe()
        bell, bell_write = os.pipe()
        for fd in (to, back):
            try:
                fcntl.fcntl(fd, _F_SETPIPE_SZ, _PIPE_BYTES)
            except OSError:
                break  # the user's pipe budget is spent: slower, not wrong
        own_start, group_start, oom = time.process_time_ns(), self._group.cpu_ns(), self._group.oom_kills()
        pid = os.fork()
        if not pid:
            self._nest.become_worker(to_read, back_write, print_write, bell_write, cpu_seconds=cpu_seconds)
        for fd in (to_read, back_write, print_write, bell_write):
            os.close(fd)
        for fd in (to, back, printed, bell):
            os.set_blocking(fd, False)
        running = Running(pid, generation, to, back, printed, bell)
        running.cpu_limit_ns, running.slack_ns = int(cpu_seconds * 1e9), self._slack_ns
        running.print_limit = print_limit
        for fd in (self._host, bell, printed):
            running.poller.register(fd, select.POLLIN)
        running.own_start_ns, running.oom_start = own_start, oom
        running.group_start_ns = group_start if self._init else None
        self._worker = running

    def _look_after(self, running: Running) -> None:
        """Reap, add up CPU time, and end a worker that is over."""
        self._reap(running)
        if running.status is not None:
            reason = wire.KILLED if os.WIFSIGNALED(running.status) else wire.EXITED
            self._finish(running, reason)
        elif time.monotonic_ns() - running.measured_ns > _TICK_MS * 1_000_000:
            others = self._others()
            if running.overspent(self._spent(running, others)):
                self._finish(running, wire.CPU)
            elif self._watch.overdrawn(others):
                self._finish(running, wire.OUT_OF_MEMORY)
            running.measured_ns = time.monotonic_ns()

    def _reap(self, running: Running, *, wait: bool = False) -> bool:
        """Collect every child that is gone, waiting for the first if asked to; say whether any child is left."""
        flags = 0 if wait else os.WNOHANG
        while True:
            try:
                pid, status, usage = os.wait4(-1, flags)
            except ChildProcessError:
                return False
            if not pid:
                return True
            flags = os.WNOHANG
            running.reaped_ns += int((usage.ru_utime + usage.ru_stime) * 1e9)
            running.seen.pop(pid, None)
            if pid == running.pid:
                running.status = status

    def _spent(self, running: Running, others: list[int]) -> int:
        """Return the CPU nanoseconds of the worker and everything it started; `others` are those that live."""
        running.met.update(others)
        now = {pid: process.cpu_ns(pid) for pid in others}
        # who is gone was reaped here, or by a parent whose own figure holds it since
        running.seen = {pid: max(running.seen.get(pid, 0), spent) for pid, spent in now.items() if spent}
        spent = running.reaped_ns + sum(running.seen.values())
        group = self._group.cpu_ns() if running.group_start_ns is not None else None
        if group is not None and running.group_start_ns is not None:
            own = time.process_time_ns() - running.own_start_ns
            spent = max(spent, group - running.group_start_ns - own)
        return spent

    def _others(self) -> list[int]:
        """Return the ids of the processes in this sandbox other than this one."""
        if self._init:
            return [int(name) for name in os.listdir("/proc") if name.isdigit() and name != "1"]
        return process.descendants(os.getpid())

    def _finish(self, running: Running, reason: int) -> None:
        """Kill the worker and all it started, pass on its last bytes, empty its directory, report."""
        self._worker = None
        others = self._others()
        spent = self._spent(running, others)
        left = reason == wire.CLOSED and self._leaves(running, others)
        self._end_all(running)
        while self._relay_back(running):
            pass
        for fd in (running.to, running.back, running.printed, running.bell):
            if fd >= 0:
                os.close(fd)
        spent = max(spent, self._spent(running, []))
        if reason in {wire.KILLED, wire.EXITED} and self._group.oom_kills() > running.oom_start:
            reason = wire.OUT_OF_MEMORY
        if reason in {wire.KILLED, wire.EXITED} and running.overspent(spent):
            reason = wire.CPU
        self._place.renew()
        payload = wire.ENDED_PAYLOAD.pack(reason, running.status or 0, spent, left)
        self._say(wire.ENDED, running.generation, payload)

    def _leaves(self, running: Running, others: list[int]) -> bool:
        """Say whether the worker has started processes that don't end of themselves when it ends."""
        if any(pid != running.pid for pid in others) and running.status is None:
            os.kill(running.pid, signal.SIGKILL)  # some only wait for that, as those that tidy up after it
        stop = time.monotonic() + _LINGER_SECONDS
        while any(pid != running.pid and process.runs(pid) for pid in others):
            if time.monotonic() > stop:
                return True
            time.sleep(_LINGER_SECONDS / 20)
            self._reap(running)
            others = self._others()
        return False

    def _end_all(self, running: Running) -> None:
        """Kill the worker and all it started; return when nothing of it is left."""
        if self._init:
            self._kill_others()
            left = self._reap(running, wait=True)
        else:
            # its orphans become our children: where it leaves none, it left nothing behind
            if running.status is None:
                os.kill(running.pid, signal.SIGKILL)  # it may have no group yet
            with contextlib.suppress(ProcessLookupError):
                os.killpg(running.pid, signal.SIGKILL)
            left = self._reap(running, wait=running.status is None)
        while left:
            self._kill_others()
            left = self._reap(running, wait=True)

    def _kill_others(self) -> None:
        """Kill every other process of this sandbox."""
        if self._init:
            with contextlib.suppress(ProcessLookupError):
                os.kill(-1, signal.SIGKILL)
            return
        if self._uid >= 0:
            self._kill_uid()
        for pid in process.descendants(os.getpid()):
            try:
                os.kill(pid, signal.SIGKILL)
            except OSError as exc:
                if exc.errno not in {errno.ESRCH, errno.EPERM}:
                    raise

    def _kill_uid(self) -> None:
        """Kill everything that runs as the sandbox's own uid: none can outrun it by forking."""
        pid = os.fork()
        if not pid:
            try:
                os.setgid(self._uid)
                os.setuid(self._uid)
                os.kill(-1, signal.SIGKILL)  # spares only this process itself
            finally:
                os._exit(0)
        os.waitpid(pid, 0)
