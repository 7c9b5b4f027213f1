"""What the host lays out, and no sandbox may reach: listeners, a file, and the facts that tell the host apart."""

from __future__ import annotations

import contextlib
import os
import secrets
import socket
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path

_SHARED = Path("/var/tmp")  # noqa: S108 - a folder that everybody may enter, and no sandbox has


class Bait:
    """Listeners on every address of this host and a file that anybody here can read."""

    def __init__(self, *, listeners: Mapping[str, socket.socket], file: Path, secret: str) -> None:
        self._listeners = listeners
        self.file = file
        """Readable to every user of this host."""
        self.secret = secret
        """What is in that file."""
        self.environ = dict(os.environ)
        self.host_name = socket.gethostname()
        self._changed = file.parent.stat().st_mtime_ns

    def targets(self, *names: str) -> list[list[object]]:
        """Return address and port of the listeners of these names that there are."""
        found = [self._listeners[name].getsockname() for name in names if name in self._listeners]
        return [[address[0], address[1]] for address in found]

    @property
    def abstract(self) -> str:
        """The abstract name that is listened on; empty where there are none."""
        name = self._listeners["abstract"].getsockname() if "abstract" in self._listeners else b""
        return bytes(name).decode("ascii").lstrip("\0")

    def reached(self, *names: str) -> list[str]:
        """Return which of these listeners have been reached since the last look."""
        return [name for name in names if name in self._listeners and _has_visitor(self._listeners[name])]

    @property
    def disturbed(self) -> bool:
        """Somebody wrote in the file's folder, which is open to everybody on this host."""
        return self.file.parent.stat().st_mtime_ns != self._changed


def _has_visitor(listener: socket.socket) -> bool:
    """Take everything that has come; say whether there was anything."""
    found = False
    with contextlib.suppress(OSError):
        while True:
            if listener.type == socket.SOCK_DGRAM:
                listener.recv(512)
            else:
                listener.accept()[0].close()
            found = True
    return found


def _own_address() -> str | None:
    """Return this host's address towards the world, None where it has none. Sends nothing."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sock:
        try:
            sock.connect(("198.51.100.1", 9))
        except OSError:
            return None
        address = str(sock.getsockname()[0])
    return None if address.startswith("127.") else address


@contextlib.contextmanager
def lay_out() -> Iterator[Bait]:
    """Listen, and make the file; all of it ends with the block."""
    places: list[tuple[str, socket.AddressFamily, socket.SocketKind, tuple[str, int] | str]] = [
        ("loopback", socket.AF_INET, socket.SOCK_STREAM, ("127.0.0.1", 0)),
        ("loopback6", socket.AF_INET6, socket.SOCK_STREAM, ("::1", 0)),
        ("names", socket.AF_INET, socket.SOCK_DGRAM, ("127.0.0.1", 0)),
        ("abstract", socket.AF_UNIX, socket.SOCK_STREAM, f"\0evalrun-{secrets.token_hex(8)}"),
    ]
    own = _own_address()
    if own is not None:
        places.append(("own", socket.AF_INET, socket.SOCK_STREAM, (own, 0)))
    shared = _SHARED if _SHARED.is_dir() else Path(tempfile.gettempdir())
    with contextlib.ExitStack() as stack:
        listeners: dict[str, socket.socket] = {}
        for name, family, kind, address in places:
            with contextlib.suppress(OSError):  # no IPv6, or no abstract names as on macOS
                listener = stack.enter_context(socket.socket(family, kind))
                listener.bind(address)
                if kind == socket.SOCK_STREAM:
                    listener.listen(8)
                listener.setblocking(False)
                listeners[name] = listener
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="evalrun-bait-", dir=shared)))
        folder.chmod(0o777)
        secret = secrets.token_hex(16)
        (folder / "secret").write_text(secret, "ascii")
        (folder / "secret").chmod(0o644)
        yield Bait(listeners=listeners, file=folder / "secret", secret=secret)


QUESTION = b"\x12\x34\x01\x00\x00\x01\x00\x00\x00\x00\x00\x00\x07example\x07invalid\x00\x00\x01\x00\x01"
"""A question for a name server: the address of `example.invalid`."""
