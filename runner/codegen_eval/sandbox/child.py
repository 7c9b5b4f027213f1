"""A guest that is a child process of ours, spoken to over one socket pair."""

from __future__ import annotations

import compileall
import contextlib
import os
import signal
import socket
import stat
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from codegen_eval.errors import SandboxUnavailableError
from codegen_eval.resources import resource_root

UID_FIRST, UID_COUNT = 0x4000_0000, 0x1000_0000
"""User ids that no account has: one at random for each sandbox, so that sandboxes can't signal each other."""


def guest_folder() -> Path:
    """Return the folder of the guest's sources, with bytecode beside them where it can be written.

    Sandboxes only ever read it, so without this each of them would compile the guest again.
    """
    folder = resource_root() / "sandbox-image" / "guest"
    if not sys.dont_write_bytecode:
        compileall.compile_dir(folder, quiet=2)
    return folder


def open_to_others(path: Path) -> bool:
    """Say whether a user who is nobody special can get to a path and read it."""
    wanted = stat.S_IROTH | (stat.S_IXOTH if path.is_dir() else 0)
    return path.stat().st_mode & wanted == wanted and all(part.stat().st_mode & stat.S_IXOTH for part in path.parents)


class ChildStream:
    """A `GuestStream` to a child process, over our end of a socket pair. `on_close` is called once, at the end."""

    def __init__(
        self, process: subprocess.Popen[bytes], sock: socket.socket, on_close: Callable[[], None], own_uid: int | None
    ) -> None:
        self._own_uid = own_uid
        self._process = process
        self._socket = sock
        self._on_close: Callable[[], None] | None = on_close
        sock.setblocking(False)

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

    def quiet(self) -> bool:
        """Say that the guest is there and says nothing, as an idle one does."""
        try:
            self._socket.recv(1, socket.MSG_PEEK)
        except BlockingIOError:
            return True
        except OSError:
            return False
        return False

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
            if self._own_uid is not None:  # what its workers started has nobody else to end it
                kill = [sys.executable, "-I", "-S", "-c", "import os; os.kill(-1, 9)"]
                subprocess.run(kill, check=False, user=self._own_uid, group=self._own_uid, extra_groups=[])  # noqa: S603 - of one user, ours for this sandbox
        on_close, self._on_close = self._on_close, None
        if on_close is not None:
            on_close()


def start_child(
    argv: Sequence[str],
    *,
    cwd: Path,
    environment: Mapping[str, str],
    on_close: Callable[[], None],
    own_uid: int | None = None,
) -> ChildStream:
    """Start a guest in a session of its own, with nothing of ours but one end of a socket pair.

    `own_uid` is a user that only its workers are.

    Raises:
        SandboxUnavailableError: it could not be started; `on_close` has been called.
    """
    ours, theirs = socket.socketpair()
    try:
        process = subprocess.Popen(  # noqa: S603 - our own guest
            argv,
            stdin=theirs.fileno(),
            stdout=theirs.fileno(),
            stderr=subprocess.DEVNULL,
            cwd=cwd,
            env=environment,
            start_new_session=True,
        )
    except OSError as exc:
        ours.close()
        on_close()
        raise SandboxUnavailableError(f"can't start `{argv[0]}`: {exc}") from exc
    finally:
        theirs.close()
    return ChildStream(process, ours, on_close, own_uid)
