"""The seams of the harness: what one part may ask of another."""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from codegen_eval.suite import Suite  # which is made of tasks and their verdicts
    from codegen_eval.verdict import LayerResult  # whose findings name an `EndReason`


class EndReason(StrEnum):
    """Why a worker ended, as told by the supervisor or seen by the host. Never taken from an exit status."""

    CLOSED = "closed"
    """The host ended it: all it asked for was answered."""
    EXITED = "exited"
    """It ended by itself (exit, or an uncaught error in our own worker loop)."""
    KILLED = "killed"
    """A signal that neither host nor supervisor sent ended it."""
    OUT_OF_MEMORY = "out-of-memory"
    """The kernel killed it for memory."""
    CPU = "cpu"
    """Its process tree spent the CPU budget."""
    WALL = "wall"
    """No answer within the wall limit."""
    OUTPUT = "output"
    """It printed, or answered, more than the cap."""
    GARBLED = "garbled"
    """It sent what no honest worker sends."""
    SANDBOX_LOST = "sandbox-lost"
    """The whole sandbox went away after *ready*."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkerLimits:
    """What one worker may use."""

    cpu_seconds: float
    """CPU time of the whole process tree."""
    output_bytes: int = 1 << 20
    """What may be printed on stdout and stderr together."""
    reply_bytes: int = 8 << 20
    """Largest single reply."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkerEnd:
    """How a worker ended and what it used."""

    reason: EndReason
    status: int
    """The raw wait status of the worker. For people, never for verdicts."""
    cpu_seconds: float
    """CPU time of the worker and all it started, reaped or killed."""
    surplus_bytes: int = 0
    """Bytes it sent that nobody had asked for."""
    lingering: bool = False
    """It had started processes that went on after its last answer, until they were killed."""
    up: bool = True
    """It had come up and could be given a solution. Where it hadn't, no solution is to blame."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Exchange:
    """What came back for one request."""

    frames: tuple[bytes, ...]
    """Whole frames of the worker (kind byte and payload), unparsed, oldest first."""
    end: WorkerEnd | None
    """Set where the worker ended before all the frames asked for had come."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SandboxFacts:
    """What a provider says of its sandboxes, for the run record."""

    name: str
    isolated: bool
    """False where the sandbox is no security boundary."""
    python: str
    """Version of the Python that runs solutions."""
    details: tuple[tuple[str, str], ...] = ()
    """Name and value of what else is worth recording: engine, image id, runtime, cgroup version."""


class GuestStream(Protocol):
    """The two-way byte stream to a guest that was just started. Non-blocking; one thread uses it at a time."""

    def fileno(self) -> int:
        """Return a descriptor that `poll` tells readable and writable."""

    def send(self, data: memoryview) -> int:
        """Write some of `data`; return how many bytes went, 0 where it would block.

        Raises:
            OSError: the peer is gone.
        """

    def recv(self) -> bytes | None:
        """Return bytes of the guest's standard output; b"" at its end, None where there are none yet.

        Raises:
            OSError: the peer is gone.
        """

    def close(self) -> None:
        """End the guest and all that runs in its sandbox. Never raises, may be called twice."""


class Sandbox(Protocol):
    """One throwaway place to run one solution in: opened once, never reused."""

    @property
    def workdir(self) -> str:
        """Absolute path of the worker's own directory inside the sandbox."""

    @property
    def python(self) -> str:
        """Version of the Python inside, as `3.11.2`."""

    @property
    def lost(self) -> bool:
        """True once the sandbox is gone: nothing more can run in it."""

    def spawn(self, limits: WorkerLimits) -> None:
        """Start a fresh worker. A worker that still runs is ended first."""

    def exchange(
        self, request: bytes, replies: int, wall_seconds: float, *, total_seconds: float = math.inf
    ) -> Exchange:
        """Send `request`, then collect up to `replies` frames, or one callback frame, or the end.

        `wall_seconds` is the longest wait for each next frame, `total_seconds` for all of them. A worker that ended
        stays ended.
        """

    def end(self) -> WorkerEnd:
        """End the worker and all that it started; return what it used."""

    def close(self) -> None:
        """Remove the sandbox. Never raises, may be called twice."""


class SandboxProvider(Protocol):
    """A way to make sandboxes."""

    @property
    def name(self) -> str:
        """`docker`, `bwrap`, `subprocess`, …"""

    def open(self) -> Sandbox:
        """Return a sandbox whose guest has said *ready*.

        Raises:
            SandboxLostError: this one did not come up.
            SandboxUnavailableError: none will.
        """

    @property
    def not_removed(self) -> tuple[str, ...]:
        """What could not be removed so far; all of it after `close`."""

    def facts(self) -> SandboxFacts:
        """Say what these sandboxes are. Before `close` only."""

    def close(self) -> None:
        """Remove everything this provider made. Never raises, may be called twice."""


class Suites(Protocol):
    """Where a pipeline finds the tests of problems that came with tests of their own. Asked from several threads."""

    def suite(self, problem: str) -> Suite:
        """Return a problem with its tests."""

    def keep(self, suite: Suite, answers: str) -> None:
        """Remember what the canonical solution of a problem answers to its inputs."""


class OutcomeStore(Protocol):
    """Where a pipeline finds the outcomes that are known already and puts new ones."""

    def get_outcome(self, key: str) -> LayerResult | None:
        """Return what a layer said under this key, None where it has not been asked yet."""

    def put_outcome(self, key: str, result: LayerResult) -> None:
        """Keep what a layer said. Never called with ERROR."""


class NoStore:
    """Remember nothing: for runs of a few files."""

    def get_outcome(self, key: str) -> LayerResult | None:
        """Know nothing."""
        del key
        return None

    def put_outcome(self, key: str, result: LayerResult) -> None:
        """Keep nothing."""
