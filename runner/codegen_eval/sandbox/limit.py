"""What a limit of a sandbox is: what it promises where, how it is tried, and how it is switched off for a control."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import NamedTuple

from codegen_eval.interfaces import EndReason, WorkerLimits
from codegen_eval.sandbox.bait import Bait
from codegen_eval.sandbox.hardening import NOTHING, Weakening

_ORDINARY = WorkerLimits(cpu_seconds=4.0)


class Kind(StrEnum):
    """The sandboxes, as far as their promises differ."""

    DOCKER = "docker"
    GVISOR = "gvisor"
    """Docker with the runtime runsc: a kernel of its own, which is not Linux in every respect."""
    BWRAP = "bwrap"
    SUBPROCESS = "subprocess"


class Need(StrEnum):
    """What a promise depends on. The value is said where it is missing."""

    SWAP = "swap is not limited: a solution may use as much swap as memory"
    SECCOMP = "the engine has no seccomp: only the guest's own filter stands"
    FILTER = "the guest has no system-call filter for this machine"
    LANDLOCK = "this kernel has no Landlock"
    OWN_USER = "only root gives a sandbox another user; this one runs as you"


@dataclass(frozen=True, slots=True, kw_only=True)
class Surroundings:
    """Which sandbox is attested, and what it stands on."""

    kind: Kind
    memory_mib: int
    lacking: frozenset[Need] = frozenset()
    cores: int = 2
    """How many cores the sandbox's machine has, as far as is known."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Trial:
    """What an attempt is made with: the sandbox, and what the host has laid out for it."""

    around: Surroundings
    bait: Bait
    workdir: str


class Seen(NamedTuple):
    """What is concluded from one attempt."""

    bites: bool
    what: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Off:
    """How a limit is switched off, for tests and for the control column of the selftest. Never for a run."""

    weakening: Weakening = NOTHING
    """What a docker sandbox is made without."""
    generous: bool = False
    """The host itself gives the worker more than the attempt needs."""
    host_environment: bool = False
    """The environment of this process goes into the container as well."""

    def weaken(self, environ: Mapping[str, str]) -> Weakening:
        """Return what a docker sandbox is made without."""
        if not self.host_environment:
            return self.weakening
        return Weakening(options={**self.weakening.options, "environment": dict(environ)})


@dataclass(frozen=True, slots=True, kw_only=True)
class Limit:
    """One limit of a sandbox."""

    id: str
    promise: str
    """What is promised, in one sentence."""
    probe: str
    """The function in `corpus/probes` that tries it, without its `probe_`."""
    judge: Callable[[object, Trial], Seen]
    """Decides on what the probe returned and on what the host saw."""
    to_do: str
    """What helps where it does not bite."""
    off: Off | str
    """How it is switched off in Docker, or why that can't be."""
    arguments: Callable[[Trial], tuple[object, ...]] = field(default=lambda _: ())
    ends: frozenset[EndReason] = frozenset()
    """Ends of the worker that show that it bites. Such a limit is tried in a worker of its own."""
    limits: WorkerLimits = _ORDINARY
    wall_seconds: float = 5.0
    needs: frozenset[Need] = frozenset()
    """Without these it is not promised by Docker."""
    exempt: Mapping[Kind, str] = field(default_factory=dict)
    """Sandboxes that don't promise it, and why."""
    subprocess_needs: frozenset[Need] = frozenset({Need.FILTER})
    """Without these it is not promised by the subprocess sandbox."""

    def excuse(self, around: Surroundings) -> str | None:
        """Say why it is not promised here, None where it is."""
        if around.kind in self.exempt:
            return self.exempt[around.kind]
        needs = self.subprocess_needs if around.kind is Kind.SUBPROCESS else self.needs
        missing = sorted(needs & around.lacking)
        return "; ".join(missing) if missing else None
