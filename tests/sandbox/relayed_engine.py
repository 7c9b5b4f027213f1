"""The real engine on a TCP port, as a remote one would be, behind a relay that may change what is asked of it."""

from __future__ import annotations

import contextlib
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager

ENGINE = "/var/run/docker.sock"


def _relay(source: socket.socket, target: socket.socket, wanted: bytes, instead: bytes) -> None:
    """Copy bytes one way until either end is gone. Requests are small, so none is cut where it matters."""
    with contextlib.suppress(OSError):
        while data := source.recv(1 << 20):
            target.sendall(data.replace(wanted, instead))
    with contextlib.suppress(OSError):
        target.shutdown(socket.SHUT_WR)


@contextmanager
def engine_over_tcp(wanted: bytes = b"", instead: bytes = b"") -> Iterator[str]:
    """Give the address of an engine that takes some bytes of a request for others, as many of them."""
    assert len(wanted) == len(instead)
    with contextlib.ExitStack() as stack:
        listener = stack.enter_context(socket.create_server(("127.0.0.1", 0)))

        def serve() -> None:
            while True:
                try:
                    ours, _ = listener.accept()
                except OSError:
                    return
                theirs = stack.enter_context(socket.socket(socket.AF_UNIX))
                stack.enter_context(ours)
                theirs.connect(ENGINE)
                threading.Thread(target=_relay, args=(ours, theirs, wanted, instead), daemon=True).start()
                threading.Thread(target=_relay, args=(theirs, ours, b"", b""), daemon=True).start()

        server = threading.Thread(target=serve, daemon=True)
        server.start()
        yield f"tcp://127.0.0.1:{listener.getsockname()[1]}"
        listener.shutdown(socket.SHUT_RDWR)
        server.join()
