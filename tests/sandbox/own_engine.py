"""An engine of the test's own, spoken to over TCP and TLS as a remote one is: it may be ended and started again.

Only root can have one. It shares nothing with the engine of this machine but the kernel: other folders, another
containerd, no bridge and no firewall rules.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import socket
import subprocess
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Self

import docker
import trustme

_API = "1.41"
_UP_SECONDS = 60.0
_DOWN_SECONDS = 60.0


class OwnEngine:
    """`dockerd` on a port of the loopback. Use it in a `with` block."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._exec = folder / "exec"
        self._process: subprocess.Popen[bytes] | None = None
        with socket.create_server(("127.0.0.1", 0)) as free:
            self.address = f"tcp://127.0.0.1:{free.getsockname()[1]}"
        (folder / "settings.json").write_text("{}", "ascii")  # not those of this machine's own
        authority = trustme.CA()
        self._certificates = folder / "tls"
        self._certificates.mkdir()
        authority.cert_pem.write_to_path(self._certificates / "ca.pem")
        for name, issued in (("server", authority.issue_cert("127.0.0.1")), ("", authority.issue_cert("client.test"))):
            stem = f"{name}-" if name else ""
            issued.private_key_pem.write_to_path(self._certificates / f"{stem}key.pem")
            for blob in issued.cert_chain_pems[:1]:
                blob.write_to_path(self._certificates / f"{stem}cert.pem")

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop(signal.SIGTERM)
        self._clear()

    @property
    def environment(self) -> Mapping[str, str]:
        """What a client of this engine has in its environment."""
        return {
            "DOCKER_HOST": self.address,
            "DOCKER_TLS_VERIFY": "1",
            "DOCKER_CERT_PATH": str(self._certificates),
        }

    def start(self) -> None:
        """Start it and wait until it answers."""
        tls = self._certificates
        with (self._folder / "log").open("ab") as log:
            self._process = subprocess.Popen(
                [
                    *("dockerd", "--host", self.address, "--bridge", "none", "--iptables=false", "--ip6tables=false"),
                    *("--data-root", str(self._folder / "data"), "--exec-root", str(self._exec)),
                    *("--pidfile", str(self._folder / "pid"), "--config-file", str(self._folder / "settings.json")),
                    *("--tlsverify", "--tlscacert", str(tls / "ca.pem")),
                    *("--tlscert", str(tls / "server-cert.pem"), "--tlskey", str(tls / "server-key.pem")),
                ],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )
        stop = time.monotonic() + _UP_SECONDS
        while not self._answers():
            ended = self._process.poll()
            if ended is not None or time.monotonic() > stop:
                told = (self._folder / "log").read_text("utf-8", "replace")[-2000:]
                message = f"the engine did not come up ({ended}): {told}"
                raise RuntimeError(message)
            threading.Event().wait(0.1)

    def stop(self, number: signal.Signals) -> None:
        """End it by a signal, and wait until it has ended."""
        process, self._process = self._process, None
        if process is None:
            return
        process.send_signal(number)
        try:
            process.wait(_DOWN_SECONDS)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        if number is signal.SIGKILL:
            self._clear()

    def containers(self) -> list[str]:
        """Return the ids of all its containers."""
        with self.client() as client:
            return [str(each["Id"]) for each in client.containers(all=True)]

    @contextmanager
    def client(self, seconds: int = 20) -> Iterator[docker.APIClient]:
        """Give a client of this engine."""
        tls = self._certificates
        client = docker.APIClient(
            base_url=self.address,
            version=_API,
            timeout=seconds,
            tls=docker.tls.TLSConfig(
                client_cert=(str(tls / "cert.pem"), str(tls / "key.pem")), ca_cert=str(tls / "ca.pem"), verify=True
            ),
        )
        client.trust_env = False  # its own authority, whatever REQUESTS_CA_BUNDLE says
        try:
            yield client
        finally:
            client.close()

    def load(self, image: str) -> None:
        """Take over an image from this machine's own engine."""
        with docker.APIClient() as ours, self.client(seconds=120) as client:
            client.load_image(ours.get_image(image))  # type: ignore[no-untyped-call]  # its stubs leave it out

    def _answers(self) -> bool:
        try:
            with self.client(seconds=5) as client:
                return bool(client.ping())
        except (docker.errors.DockerException, OSError):
            return False

    def _clear(self) -> None:
        """End what an engine that was killed leaves: its containerd, the shims, and their mounts."""
        mark = str(self._exec).encode()
        for entry in Path("/proc").glob("[0-9]*/cmdline"):
            with contextlib.suppress(OSError):
                if mark in entry.read_bytes():
                    os.kill(int(entry.parent.name), signal.SIGKILL)
        for line in reversed(Path("/proc/self/mountinfo").read_text("utf-8").splitlines()):
            place = line.split()[4]
            if place.startswith(f"{self._folder}/"):
                subprocess.run(["umount", "--lazy", place], check=False, capture_output=True)
        shutil.rmtree(self._exec, ignore_errors=True)
        (self._folder / "pid").unlink(missing_ok=True)


def lacking() -> str | None:
    """Say why there can be no engine of one's own here, None where there can."""
    if os.name != "posix" or os.geteuid() != 0:
        return "only root can start an engine"
    return None if shutil.which("dockerd") else "there is no dockerd"
