"""The fallback sandbox: the guest as an ordinary process. It is no security boundary.

What can be had without an engine is used: an empty environment, a session and directory of its own, rlimits, the
stacked seccomp filter, Landlock where the kernel has it, and another uid when started as root.
"""

from __future__ import annotations

import contextlib
import os
import secrets
import shutil
import signal
import socket
import stat
import subprocess
import sys
import tempfile
import weakref
from pathlib import Path

from codegen_eval.errors import SandboxUnavailableError
from codegen_eval.interfaces import SandboxFacts
from codegen_eval.resources import resource_root
from codegen_eval.sandbox.session import GuestSession

_READY_SECONDS = 30.0
_UID_FIRST, _UID_COUNT = 0x4000_0000, 0x1000_0000
"""User ids that no account has: one at random for each sandbox, so that sandboxes can't signal each other."""
_ENVIRONMENT = {"LANG": "C.UTF-8", "PYTHONHASHSEED": "0", "TZ": "UTC"}


def _scratch() -> str:
    """Return a folder for temporary files that another user can get to.

    Raises:
        SandboxUnavailableError: there is none.
    """
    for name in (tempfile.gettempdir(), "/tmp", "/var/tmp"):  # noqa: S108 - only to make private folders in
        place = Path(name).resolve()
        if place.is_dir() and all(part.stat().st_mode & stat.S_IXOTH for part in (place, *place.parents)):
            return str(place)
    raise SandboxUnavailableError(
        f"no user but root can enter `{tempfile.gettempdir()}`, and a sandbox has a user of its own",
        hint="set TMPDIR to a folder with mode 755 all the way up",
    )


class ProcessStream:
    """The stream to a guest that runs as a child process, over one socket pair."""

    def __init__(self, process: subprocess.Popen[bytes], sock: socket.socket, folder: Path) -> None:
        self._process = process
        self._socket = sock
        self._folder = folder

    def fileno(self) -> int:
        """Return the descriptor to poll."""
        return self._socket.fileno()

    def send(self, data: memoryview) -> int:
        """Write some of `data`."""
        try:
            return self._socket.send(data)
        except BlockingIOError:
            return 0

    def recv(self) -> bytes | None:
        """Return bytes of the guest, b"" at the end, None where it would block."""
        try:
            return self._socket.recv(1 << 17)
        except BlockingIOError:
            return None
        except ConnectionResetError:
            return b""

    def hang_up(self) -> None:
        """Tell the supervisor to end everything. For use from another thread than the stream's."""
        with contextlib.suppress(OSError):
            self._socket.shutdown(socket.SHUT_WR)

    def close(self) -> None:
        """Hang up, which makes the supervisor kill everything; kill the supervisor where it doesn't."""
        self._socket.close()
        try:
            self._process.wait(timeout=5)
        except subprocess.TimeoutExpired:
            os.killpg(self._process.pid, signal.SIGKILL)
            self._process.wait()
        try:
            shutil.rmtree(self._folder, ignore_errors=True)
        except RecursionError:  # a tree deeper than our stack, left by a guest that was killed
            subprocess.run(["rm", "-rf", "--", str(self._folder)], check=False)  # noqa: S603, S607 - our own folder


class ProcessProvider:
    """Make sandboxes that are plain child processes."""

    name = "subprocess"

    def __init__(self, *, memory_mib: int, without: frozenset[str] = frozenset()) -> None:
        """Workers go `without` some fences only where an attack is to be shown to work without them."""
        self._memory_mib = memory_mib
        self._without = without
        self._guest = resource_root() / "sandbox-image" / "guest"
        self._streams: weakref.WeakSet[ProcessStream] = weakref.WeakSet()

    def open(self) -> GuestSession:
        """Start a guest and wait until it is ready.

        Raises:
            SandboxLostError: it did not say so.
            SandboxUnavailableError: it could not be started, or has no place to be in.
        """
        folder = Path(tempfile.mkdtemp(prefix="evalrun-", dir=_scratch() if os.geteuid() == 0 else None))
        workdir = folder / "work"
        ours, theirs = socket.socketpair()
        ours.setblocking(False)
        argv = [sys.executable, "-I", "-S", "-B", "-X", "utf8", str(self._guest)]
        argv += ["--workdir", str(workdir), "--memory-mib", str(self._memory_mib)]
        if self._without:
            argv += ["--without", ",".join(sorted(self._without))]
        if os.geteuid() == 0:
            argv += ["--uid", str(_UID_FIRST + secrets.randbelow(_UID_COUNT))]
            folder.chmod(0o711)
        try:
            process = subprocess.Popen(  # noqa: S603 - our own guest
                argv,
                stdin=theirs.fileno(),
                stdout=theirs.fileno(),
                stderr=subprocess.DEVNULL,
                cwd=folder,
                env=_ENVIRONMENT,
                start_new_session=True,
            )
        except OSError as exc:
            ours.close()
            shutil.rmtree(folder, ignore_errors=True)
            raise SandboxUnavailableError(f"can't start `{sys.executable}`: {exc}") from exc
        finally:
            theirs.close()
        stream = ProcessStream(process, ours, folder)
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
