"""The host's side of the attacks: what they would reach, and whether anything of them is seen there.

Everything is made here and bound to addresses of this machine: listeners, a folder with a secret in it and one that
everybody may write to. An attack is told by its token.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import secrets
import select
import shutil
import socket
import sys
import tempfile
import threading
import time
from collections.abc import Iterable
from pathlib import Path
from types import TracebackType
from typing import Self

from codegen_eval.attack import Effect
from codegen_eval.patience import MOST

CANARY = "EVALRUN_CANARY"
"""The environment variable that holds the secret while attacks run."""
_LEFT_IN = ("/tmp", "/dev/shm", "/var/tmp", "/run/lock", "/dev/mqueue")  # noqa: S108 - where leftovers are looked for
_GRACE_SECONDS = 15.0
"""How long after its sandbox was closed a process may still be there: a container is removed in the background."""
_LOOK_SECONDS = 1.0
_IPC_RMID = 0
_COMPUTES = 0.75
"""Of the wall limit: more than a CPU budget is, and what each process may cost more where starting one is dear."""
_WAITS = 1.5 * MOST
"""Of the wall limit: longer than it ever is, also where the machine is loaded and a solution is given more time."""


class Lookout:
    """Wait for marks of attacks. Use it in a `with` block."""

    def __init__(self, count: int, *, wall_seconds: float = 2.0, waits: float = _WAITS) -> None:
        """Attacks have this wall limit: some wait for so many times that, or compute for more than a CPU budget."""
        self._wall_seconds = wall_seconds
        self._waits = waits
        run = secrets.token_hex(4)
        self.tokens = tuple(f"er{run}{number:03}" for number in range(count))
        """One for each attack, short enough for the name of a process."""
        self._secret = f"{CANARY}={secrets.token_hex(12)}"
        self._socket_name = f"evalrun-{secrets.token_hex(8)}"
        self._first_key = 0x45520000 + secrets.randbelow(1 << 20) * 1024
        self._seen: dict[str, set[Effect]] = {token: set() for token in self.tokens}
        self._ended: dict[str, float] = {}
        self._lock = threading.Lock()
        self._stop = threading.Event()
        self._sockets: dict[socket.socket, Effect] = {}
        self._hosts: list[str] = []
        self._port = 0
        self._folder = Path()
        self._threads: list[threading.Thread] = []

    def __enter__(self) -> Self:
        self._folder = Path(tempfile.mkdtemp(prefix="evalrun-canary-", dir="/tmp"))
        self._folder.chmod(0o755)
        (self._folder / "secret").write_text(self._secret, encoding="ascii")
        (self._folder / "drop").mkdir()
        (self._folder / "drop").chmod(0o1777)
        os.environ[CANARY] = self._secret.partition("=")[2]
        self._listen()
        for target in (self._wait_for_marks, self._watch_processes):
            self._threads.append(threading.Thread(target=target, name="lookout", daemon=True))
            self._threads[-1].start()
        return self

    def __exit__(self, kind: type[BaseException] | None, exc: BaseException | None, tb: TracebackType | None) -> None:
        self._stop.set()
        for thread in self._threads:
            thread.join(timeout=5)
        for sock in self._sockets:
            sock.close()
        os.environ.pop(CANARY, None)
        self._remove_leftovers()
        shutil.rmtree(self._folder, ignore_errors=True)

    def values(self, token: str) -> dict[str, str]:
        """Return what the placeholders in the source of an attack stand for."""
        return {
            "TOKEN": token,
            "HOSTS": " ".join(self._hosts),
            "PORT": str(self._port),
            "SOCKET": self._socket_name,
            "FOLDER": str(self._folder),
            "KEY": str(self._key(token)),
            "COMPUTE": f"{_COMPUTES * self._wall_seconds:.3f}",
            "WAIT": f"{self._waits * self._wall_seconds:.3f}",
        }

    def secret_values(self, token: str) -> dict[str, str]:
        """Return the values that no attack is told, beside those that it is."""
        secret = self._secret.partition("=")[2]
        return self.values(token) | {"SECRET": secret, "HOSTNAME": socket.gethostname()}

    def note_end(self, token: str) -> None:
        """Note that the sandbox of an attack was closed: from now on nothing of it may be there."""
        with self._lock:
            self._ended[token] = time.monotonic()

    def seen(self, token: str) -> frozenset[Effect]:
        """Return which marks of an attack were seen so far."""
        with self._lock:
            return frozenset(self._seen[token])

    def look_back(self) -> None:
        """Look for everything that is left, giving the kernel a moment to end it."""
        stop = time.monotonic() + _GRACE_SECONDS
        while (alive := self._alive()) and time.monotonic() < stop:
            self._stop.wait(0.2)
        for token in alive:
            self._mark(token, Effect.PROCESS)
        for path in self._leftovers():
            self._mark_all(path.name, Effect.LEFTOVER)
        for path in (self._folder / "drop").iterdir():
            self._mark_all(path.name, Effect.FILE)
        for token in self._segments():
            self._mark(token, Effect.SEGMENT)

    # --- marks ------------------------------------------------------------------------------------------------------

    def _mark(self, token: str, effect: Effect) -> None:
        with self._lock:
            self._seen[token].add(effect)

    def _mark_all(self, text: str, effect: Effect) -> None:
        for token in self.tokens:
            if token in text:
                self._mark(token, effect)

    def _listen(self) -> None:
        """Listen on the loopback and on the address by which this machine speaks to others, on one port."""
        first = socket.create_server(("127.0.0.1", 0))
        self._port = first.getsockname()[1]
        self._sockets[first] = Effect.TCP
        self._hosts.append("127.0.0.1")
        datagrams = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        datagrams.bind(("127.0.0.1", self._port))
        self._sockets[datagrams] = Effect.UDP
        with contextlib.suppress(OSError):
            address = _own_address()
            self._sockets[socket.create_server((address, self._port))] = Effect.TCP
            self._hosts.append(address)
        if sys.platform == "linux":
            abstract = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
            abstract.bind(f"\0{self._socket_name}")
            abstract.listen()
            self._sockets[abstract] = Effect.ABSTRACT

    def _wait_for_marks(self) -> None:
        """Read a token from whoever comes."""
        while not self._stop.is_set():
            for sock in select.select(list(self._sockets), [], [], 0.2)[0]:
                effect = self._sockets[sock]
                with contextlib.suppress(OSError):
                    if effect is Effect.UDP:
                        data = sock.recv(1024)
                    else:
                        peer, _ = sock.accept()
                        with peer:
                            peer.settimeout(0.5)
                            data = peer.recv(1024)
                    self._mark_all(data.decode("ascii", "replace"), effect)

    # --- what lingers -----------------------------------------------------------------------------------------------

    def _watch_processes(self) -> None:
        """Look now and then for processes of attacks whose sandbox is closed: they end by themselves some time."""
        while not self._stop.wait(_LOOK_SECONDS):
            alive = self._alive()
            with self._lock:
                late = [t for t in alive if time.monotonic() - self._ended.get(t, time.monotonic()) > _GRACE_SECONDS]
            for token in late:
                self._mark(token, Effect.PROCESS)

    def _alive(self) -> set[str]:
        """Return the tokens that are names of processes."""
        found: set[str] = set()
        for path in Path("/proc").glob("[0-9]*/comm"):
            with contextlib.suppress(OSError):
                found.add(path.read_text(encoding="ascii", errors="replace").strip())
        return found.intersection(self.tokens)

    def _leftovers(self) -> Iterable[Path]:
        """Yield files that have a token in their name."""
        run = self.tokens[0][:-3] if self.tokens else "\0"
        for folder in map(Path, _LEFT_IN):
            with contextlib.suppress(OSError):
                yield from (path for path in folder.iterdir() if run in path.name)

    def _key(self, token: str) -> int:
        return self._first_key + int(token[-3:])

    def _segments(self) -> list[str]:
        """Return the tokens whose System V segment is there."""
        try:
            lines = Path("/proc/sysvipc/shm").read_text(encoding="ascii").splitlines()[1:]
        except OSError:
            return []
        keys = {int(line.split()[0]): int(line.split()[1]) for line in lines}
        found = [token for token in self.tokens if self._key(token) in keys]
        for token in found:
            ctypes.CDLL(None).shmctl(keys[self._key(token)], _IPC_RMID, None)
        return found

    def _remove_leftovers(self) -> None:
        self._segments()
        for path in list(self._leftovers()):
            with contextlib.suppress(OSError):
                path.unlink()


def _own_address() -> str:
    """Return the address by which this machine would speak to others. Sends nothing."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sock:
        sock.connect(("192.0.2.1", 9))
        return str(sock.getsockname()[0])
