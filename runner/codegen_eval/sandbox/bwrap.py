"""The `bwrap` sandbox: one bubblewrap for each solution, for Linux machines without an engine and users without rights.

A sandbox is two processes: bubblewrap, which waits, and the guest as process 1 of namespaces of its own. Its limits are
rlimits and the guest's own watch over all its processes, since no control group is asked for.
"""

from __future__ import annotations

import os
import secrets
import shutil
import subprocess
import sys
import threading
import weakref
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Self

from codegen_eval.errors import SandboxLostError, SandboxUnavailableError
from codegen_eval.interfaces import Sandbox, SandboxFacts
from codegen_eval.sandbox.child import UID_COUNT, UID_FIRST, ChildStream, guest_folder, open_to_others, start_child
from codegen_eval.sandbox.confinement import MAX_PROCESSES, bwrap_arguments, environment
from codegen_eval.sandbox.hardening import NOTHING, WORKDIR, Weakening
from codegen_eval.sandbox.interpreter import Interpreter, find_interpreter
from codegen_eval.sandbox.pool import Pool, Prestarted
from codegen_eval.sandbox.refusal import hint_for
from codegen_eval.sandbox.session import GuestSession

_READY_SECONDS = 30.0
_OPEN_SECONDS = 60.0
_CLOSE_SECONDS = 15.0
_START_THREADS = 4
_PROBE_MIB = 256
_NO_GROUP = (
    "no control group: the memory of all processes together is looked at every 20 ms and not capped by the kernel, "
    "and what the kernel itself holds for them (pipes, sockets) is not counted"
)
_COUNTED_APART = (5, 14)
"""Since this Linux a limit on processes counts those of one user namespace, and not all of the user's."""
_NEEDED = ("--unshare-user", "--as-pid-1", "--die-with-parent", "--unshare-cgroup-try")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Prepared:
    """What is found out once."""

    version: str
    options: frozenset[str]
    """What this bubblewrap knows."""
    bwrap: str
    stage: tuple[str, ...]
    """What goes before it where we are root."""
    arguments: tuple[str, ...]
    environment: dict[str, str]
    counted_apart: bool


class BwrapProvider:
    """Makes sandboxes with bubblewrap. Use it in a `with` block.

    `jobs` sandboxes are kept ready; no more than `expected` are started unasked, where that is known.
    """

    name = "bwrap"

    def __init__(
        self, *, memory_mib: int, jobs: int = 1, expected: int | None = None, weakening: Weakening = NOTHING
    ) -> None:
        self._memory_mib = memory_mib
        self._weakening = weakening
        self._pool = Pool(self._start, size=jobs, threads=min(jobs, _START_THREADS), expected=expected)
        self._streams: weakref.WeakSet[ChildStream] = weakref.WeakSet()
        self._preparing = threading.Lock()
        self._prepared: _Prepared | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, exc: BaseException | None, tb: TracebackType | None) -> None:
        self.close()

    def prepare(self) -> None:
        """Start a first sandbox, which stays ready: what is installed need not work.

        Raises:
            SandboxUnavailableError: no sandbox can be had; the message says why.
        """
        prepared = self._prepare()
        try:
            self._pool.python(seconds=_OPEN_SECONDS)
        except SandboxLostError as exc:
            raise self._refusal(prepared) from exc

    def open(self) -> Sandbox:
        """Return a sandbox whose guest has said *ready*."""
        self._prepare()
        return self._pool.open(seconds=_OPEN_SECONDS)

    @property
    def not_removed(self) -> tuple[str, ...]:
        """Nothing: a sandbox ends with its first process, and that one with us."""
        return ()

    def facts(self) -> SandboxFacts:
        """Say what these sandboxes are. Waits for the first one."""
        prepared = self._prepare()
        details = {
            "bubblewrap": prepared.version,
            "limits": "rlimits and the guest's watch, no control group",
            "memory_mib": str(self._memory_mib),
            "max_processes": str(MAX_PROCESSES),
            "warnings": "; ".join(self.warnings),
        }
        return SandboxFacts(
            name=self.name,
            isolated=True,
            python=self._pool.python(seconds=_OPEN_SECONDS),
            details=tuple((key, value) for key, value in details.items() if value),
        )

    @property
    def warnings(self) -> tuple[str, ...]:
        """What these sandboxes lack that a container has."""
        prepared = self._prepare()
        found = [_NO_GROUP]
        if not prepared.counted_apart:
            found.append(
                "the number of processes is looked at every 20 ms and not capped: before Linux 5.14 the kernel counts "
                "all processes of a user together"
            )
        if "--disable-userns" not in prepared.options:
            found.append(f"bubblewrap {prepared.version} can't forbid further user namespaces: the guest's filter does")
        if "--size" not in prepared.options:
            found.append(f"bubblewrap {prepared.version} can't limit /tmp: it is looked at every 20 ms")
        return tuple(found)

    def close(self) -> None:
        """End every sandbox; their users see them as lost."""
        self._pool.close(seconds=_CLOSE_SECONDS)
        for stream in tuple(self._streams):
            stream.hang_up()

    def _prepare(self) -> _Prepared:
        with self._preparing:
            if self._prepared is None:
                self._prepared = self._find_out()
            return self._prepared

    def _find_out(self) -> _Prepared:
        if sys.platform != "linux":
            raise SandboxUnavailableError("bubblewrap is for Linux only", hint="use Docker")
        bwrap = shutil.which("bwrap")
        if bwrap is None:
            raise SandboxUnavailableError(
                "bubblewrap is not installed",
                hint="install the package `bubblewrap`: apt, dnf, pacman and apk have it",
            )
        options = frozenset(_said(bwrap, "--help").split())
        version = _said(bwrap, "--version").removeprefix("bubblewrap ").strip()
        lacking = [option for option in _NEEDED if option not in options]
        if lacking:
            raise SandboxUnavailableError(
                f"bubblewrap {version} is too old: it has no `{lacking[0]}`", hint="install bubblewrap 0.4 or later"
            )
        python, guest = find_interpreter(), guest_folder().resolve()
        root = os.geteuid() == 0
        counted = root or _kernel() >= _COUNTED_APART
        return _Prepared(
            version=version,
            options=options,
            bwrap=bwrap,
            stage=_stage(bwrap, python, guest) if root else (),
            arguments=bwrap_arguments(
                python,
                guest=str(guest),
                memory_mib=self._memory_mib,
                counted_apart=counted,
                knows=options.__contains__,
                weakening=self._weakening,
            ),
            environment=environment(python),
            counted_apart=counted,
        )

    def _command(self, prepared: _Prepared) -> list[str]:
        """Return the command for one sandbox. Root gives each a user of its own, with no rights anywhere."""
        drop: list[str] = []
        if os.geteuid() == 0:
            user = str(UID_FIRST + secrets.randbelow(UID_COUNT))
            drop = [_setpriv(), "--reuid", user, "--regid", user, "--clear-groups"]
        return [*prepared.stage, *drop, prepared.bwrap, *prepared.arguments]

    def _start(self) -> Prestarted:
        """Start one sandbox and wait for its guest. Runs in the pool's threads, and lives no longer than they do."""
        prepared = self._prepare()
        stream = start_child(
            self._command(prepared), cwd=Path("/"), environment=prepared.environment, on_close=lambda: None
        )
        self._streams.add(stream)
        session = GuestSession(stream, workdir=WORKDIR, ready_seconds=_READY_SECONDS)
        return Prestarted(sandbox=session, alive=stream.quiet)

    def _refusal(self, prepared: _Prepared) -> SandboxUnavailableError:
        """Start one more to hear what is wrong."""
        try:
            run = subprocess.run(  # noqa: S603 - as a sandbox is started
                self._command(prepared),
                env=prepared.environment,
                cwd="/",
                stdin=subprocess.DEVNULL,
                capture_output=True,
                timeout=_READY_SECONDS,
                check=False,
            )
        except (OSError, subprocess.TimeoutExpired) as exc:
            return SandboxUnavailableError(f"bubblewrap can't start a sandbox: {exc}")
        lines = run.stderr.decode(errors="replace").strip().splitlines() or ["it said nothing"]
        return SandboxUnavailableError(f"bubblewrap can't start a sandbox: {lines[-1]}", hint=hint_for(lines[-1]))


@dataclass(frozen=True, slots=True, kw_only=True)
class BwrapReport:
    """What `probe_bwrap` found."""

    problem: str | None
    """Why bubblewrap can't be used; None where it can."""
    hint: str | None
    """What to do about it."""
    warnings: tuple[str, ...]
    """What a container has and its sandboxes lack."""


def probe_bwrap() -> BwrapReport:
    """Start a sandbox and end it. Raises nothing."""
    with BwrapProvider(memory_mib=_PROBE_MIB, expected=1) as provider:
        try:
            provider.prepare()
        except SandboxUnavailableError as exc:
            return BwrapReport(problem=exc.message, hint=exc.hint, warnings=())
        return BwrapReport(problem=None, hint=None, warnings=provider.warnings)


def _stage(bwrap: str, python: Interpreter, guest: Path) -> tuple[str, ...]:
    """Return the command that lets a user without rights see files in folders that are closed to it, and only them."""
    closed = [Path(path) for path in (*python.shown, str(guest)) if not open_to_others(Path(path))]
    if not closed:
        return ()
    words = [bwrap, "--dev-bind", "/", "/", "--die-with-parent"]
    made: set[Path] = set()
    for path in closed:
        above = list(reversed(path.parents))
        door = next(part for part in (*above, path) if not part.stat().st_mode & 0o001 or part == path)
        for part in above:
            if part.is_relative_to(door) and part not in made:
                made.add(part)
                words += ["--tmpfs" if part == door else "--dir", str(part)]
        words += ["--ro-bind", str(path), str(path)]
    return tuple(words)


def _setpriv() -> str:
    found = shutil.which("setpriv")
    if found is None:
        raise SandboxUnavailableError(
            "there is no `setpriv`, and as root a sandbox needs it", hint="install the package `util-linux`"
        )
    return found


def _said(*command: str) -> str:
    try:
        return subprocess.run(command, capture_output=True, timeout=10, check=False, text=True).stdout  # noqa: S603 - asks bubblewrap what it is
    except (OSError, subprocess.TimeoutExpired) as exc:
        raise SandboxUnavailableError(f"can't run `{command[0]}`: {exc}") from exc


def _kernel() -> tuple[int, ...]:
    return tuple(int(part) for part in os.uname().release.split("-")[0].split(".")[:2] if part.isdigit())
