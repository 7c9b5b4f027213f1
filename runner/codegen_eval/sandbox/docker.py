"""The `docker` sandbox: one hardened container for each solution, spoken to over its attached stream.

A container's life: create, attach, start, *ready*, one solution, stream closed, removed. Starting happens ahead of use
in the pool's threads and removing behind it in the remover's, so a run waits for neither. Nothing is mounted and
nothing is read from the engine's machine, so a remote engine works the same.
"""

from __future__ import annotations

import json
import os
import secrets
import threading
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Self

import structlog

from codegen_eval.errors import EnvironmentFaultError, SandboxUnavailableError
from codegen_eval.interfaces import Sandbox, SandboxFacts
from codegen_eval.resources import resource_root
from codegen_eval.sandbox import gvisor
from codegen_eval.sandbox.engine import Engine, Info
from codegen_eval.sandbox.hardening import (
    LABEL_OWNER,
    LABEL_PROVIDER,
    LABEL_RUN,
    NOTHING,
    WORKDIR,
    Arguments,
    Weakening,
    container_arguments,
    host_arguments,
)
from codegen_eval.sandbox.image import SandboxImage, base_image, ensure_image
from codegen_eval.sandbox.pool import Pool, Prestarted
from codegen_eval.sandbox.probe import info_hint, info_problem, info_warnings
from codegen_eval.sandbox.reaper import Owner, reap
from codegen_eval.sandbox.remover import Remover
from codegen_eval.sandbox.session import GuestSession
from codegen_eval.sandbox.stream import DockerStream

log = structlog.get_logger()

_START_THREADS = 4
"""Starting is work for the engine's CPU: more threads than this gain nothing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DockerTimeouts:
    """How long each thing may take, in seconds."""

    call: float = 20.0
    """One call to the engine."""
    ready: float = 30.0
    """From start to *ready*."""
    open: float = 120.0
    """`open`, all in all, once the image is there."""
    image: float = 600.0
    """Pulling and building the image."""
    close: float = 30.0
    """`close`, all in all."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Prepared:
    """What is found out once."""

    image: SandboxImage
    info: Info
    container: Arguments
    host: Arguments


class DockerProvider:
    """Makes sandboxes that are containers. Use it in a `with` block.

    `jobs` sandboxes are kept ready; no more than `expected` are started unasked, where that is known.
    """

    def __init__(
        self,
        *,
        run_id: str,
        memory_mib: int = 256,
        jobs: int = 1,
        runtime: str | None = None,
        expected: int | None = None,
        timeouts: DockerTimeouts | None = None,
        folder: Path | None = None,
        weakening: Weakening = NOTHING,
    ) -> None:
        self._run_id = run_id
        self._token = secrets.token_hex(8)
        self._memory_mib = memory_mib
        self._runtime = runtime
        self._timeouts = timeouts or DockerTimeouts()
        self._weakening = weakening
        self._folder = folder or resource_root() / "sandbox-image"
        self._engine = Engine(seconds=self._timeouts.call)
        self._remover = Remover(self._engine)
        self._pool = Pool(self._start, size=jobs, threads=min(jobs, _START_THREADS), expected=expected)
        self._streams: set[DockerStream] = set()
        self._preparing = threading.Lock()
        self._prepared: _Prepared | None = None
        self._closed = False

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, exc: BaseException | None, tb: TracebackType | None) -> None:
        self.close()

    @property
    def name(self) -> str:
        """The word on the command line."""
        return "docker"

    def prepare(self) -> None:
        """Reach the engine, build the image where needed, and begin to start sandboxes.

        Raises:
            SandboxUnavailableError: no sandbox can be had; the message says why.
        """
        self._prepare()
        self._pool.warm()

    def open(self) -> Sandbox:
        """Return a sandbox whose guest has said *ready*."""
        self._prepare()
        return self._pool.open(seconds=self._timeouts.open)

    def facts(self) -> SandboxFacts:
        """Say what these sandboxes are. Waits for the first one."""
        prepared = self._prepare()
        info = prepared.info
        details = {
            "engine": info.version,
            "api": info.api,
            "cgroup": info.cgroup,
            "runtime": self._runtime or info.default_runtime,
            "runc": info.runc,
            "architecture": info.architecture,
            "base_image": prepared.image.base,
            "image": prepared.image.tag,
            "image_id": prepared.image.id,
            "memory_mib": str(self._memory_mib),
            "rootless": str(info.rootless).lower(),
            "warnings": "; ".join(info_warnings(info)),
            "not_removed": " ".join(self._remover.remaining),
        }
        return SandboxFacts(
            name=self.name,
            isolated=True,
            python=self._pool.python(seconds=self._timeouts.open),
            details=tuple((key, value) for key, value in details.items() if value),
        )

    def close(self) -> None:
        """Remove every container of this provider, within the deadline for it."""
        if self._closed:
            return
        self._closed = True
        self._pool.close(seconds=self._timeouts.close / 2)
        for stream in tuple(self._streams):
            stream.close()
        self._sweep()
        remaining = self._remover.close(seconds=self._timeouts.close / 2)
        if remaining:
            log.error("sandboxes_not_removed", containers=remaining, label=f"{LABEL_RUN}={self._run_id}")
        self._engine.close()

    def _forget(self, container: str, stream: DockerStream) -> None:
        """Have a container removed whose stream was closed."""
        self._streams.discard(stream)
        self._remover.submit(container)

    def _sweep(self) -> None:
        """Have removed what the engine created although the call for it timed out."""
        if self._prepared is None:
            return
        try:
            for container in self._engine.containers(f"{LABEL_PROVIDER}={self._token}"):
                self._remover.submit(container.id)
        except EnvironmentFaultError as exc:
            log.warning("sweep_failed", error=exc.message)

    @property
    def not_removed(self) -> tuple[str, ...]:
        """The ids of the containers that could not be removed."""
        return self._remover.remaining

    def _prepare(self) -> _Prepared:
        with self._preparing:
            if self._prepared is None:
                self._prepared = self._find_out()
            return self._prepared

    def _find_out(self) -> _Prepared:
        info = self._engine.info()
        problem = info_problem(info, self._runtime)
        if problem is not None:
            raise SandboxUnavailableError(problem, hint=info_hint(info))
        image = ensure_image(self._engine, self._folder, base=base_image(), seconds=self._timeouts.image)
        reaped = reap(self._engine)
        if reaped:
            log.info("dead_sandboxes_removed", count=len(reaped))
        labels = {
            LABEL_RUN: self._run_id,
            LABEL_OWNER: str(Owner.of(os.getpid())),
            LABEL_PROVIDER: self._token,
        }
        profile = json.loads((self._folder / "seccomp.json").read_text(encoding="utf-8"))
        container = container_arguments(labels, weakening=self._weakening)
        host = host_arguments(
            memory_mib=self._memory_mib,
            seccomp=json.dumps(profile, separators=(",", ":")),
            runtime=self._runtime,
            weakening=self._weakening,
        )
        if gvisor.is_gvisor(self._runtime or info.default_runtime):
            container = gvisor.adapt_container(container, self._memory_mib)
            host = gvisor.adapt_host(host, self._memory_mib)
        return _Prepared(image=image, info=info, container=container, host=host)

    def _start(self) -> Prestarted:
        """Start one container and wait for its guest. Runs in the pool's threads."""
        prepared = self._prepare()
        container = self._engine.create(
            prepared.image.id,
            name=f"evalrun-{secrets.token_hex(8)}",
            container=prepared.container,
            host=prepared.host,
        )
        try:
            attached = self._engine.attach(container)
            stream = DockerStream(attached, on_close=lambda: self._forget(container, stream))
        except EnvironmentFaultError:
            self._remover.submit(container)
            raise
        self._streams.add(stream)
        try:
            self._engine.start(container)
        except EnvironmentFaultError:
            stream.close()
            raise
        session = GuestSession(stream, workdir=WORKDIR, ready_seconds=self._timeouts.ready)
        return Prestarted(sandbox=session, alive=stream.quiet)
