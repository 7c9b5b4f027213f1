"""Trying the limits of a sandbox on this machine, with a trusted solution that does what untrusted ones might.

What the probe says is never believed further than it has to be: where a limit ends a worker the supervisor and the host
tell how it ended, and what must not be reached listens on the host.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Self

from codegen_eval.interfaces import EndReason, Sandbox, SandboxProvider, WorkerLimits
from codegen_eval.judge.candidate import Call, Candidate
from codegen_eval.judge.values import FromCandidate, NotLoadedError, TamperingError, WorkerEndedError, WorkerNotUpError
from codegen_eval.resources import resource_root
from codegen_eval.sandbox.attestation import Attestation, Attested, Outcome
from codegen_eval.sandbox.bait import Bait, lay_out
from codegen_eval.sandbox.limit import Limit, Seen, Surroundings, Trial
from codegen_eval.sandbox.limits import LIMITS

MEMORY_MIB = 256
"""The memory cap that is tried: enough for every probe, little enough to be had and touched in a moment."""
SANDBOXES = 2
"""How many are taken, as a rule: trying the memory cap may cost one."""
_FILES = ("attempt", "reach", "file", "usage", "right", "kernel")
"""Of `corpus/probes`, what they share first."""
_GENEROUS = WorkerLimits(cpu_seconds=30.0, output_bytes=1 << 30, reply_bytes=64 << 20)
_GENEROUS_SECONDS = 30.0
_PATIENCE = 8.0
"""How much more time a probe gets that ran out of it: on a loaded machine it may not have come to its attempt."""
_OUT_OF_TIME = frozenset({EndReason.WALL, EndReason.CPU})
_GONE = (WorkerEndedError, WorkerNotUpError, TamperingError, NotLoadedError)


def attest(
    provider: SandboxProvider,
    around: Surroundings,
    *,
    runtime: str | None = None,
    limits: Sequence[Limit] = LIMITS,
    generous: bool = False,
) -> Attestation:
    """Try each limit in the provider's sandboxes; with `generous`, the host's own limits are far away.

    Raises:
        SandboxUnavailableError, SandboxLostError: no sandbox to try them in.
    """
    excuses = {limit.id: limit.excuse(around) for limit in limits}
    promised = [limit for limit in limits if excuses[limit.id] is None]
    with lay_out() as bait, _Prober(provider, around, bait, generous=generous) as prober:
        seen = dict(prober.try_all(promised))
    return Attestation(
        sandbox=provider.name,
        runtime=runtime,
        python=provider.facts().python,
        memory_mib=around.memory_mib,
        limits=tuple(_attested(limit, around, excuses[limit.id], seen.get(limit.id)) for limit in limits),
    )


def _attested(limit: Limit, around: Surroundings, excuse: str | None, seen: Seen | None) -> Attested:
    if excuse is not None:
        mendable = around.kind not in limit.exempt
        return Attested(
            limit=limit.id, outcome=Outcome.NOT_AVAILABLE, seen=excuse, to_do=limit.to_do if mendable else None
        )
    if seen is None or not seen.bites:
        what = seen.what if seen is not None else "it was not tried"
        return Attested(limit=limit.id, outcome=Outcome.DOES_NOT_BITE, seen=what, to_do=limit.to_do)
    return Attested(limit=limit.id, outcome=Outcome.BITES, seen=seen.what)


class _Prober:
    """Tries limits, one worker for all that leave it alive and one for each that ends it."""

    def __init__(self, provider: SandboxProvider, around: Surroundings, bait: Bait, *, generous: bool) -> None:
        self._provider = provider
        self._around = around
        self._bait = bait
        self._generous = generous
        self._source = _source()
        self._sandbox: Sandbox | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._sandbox is not None:
            self._sandbox.close()

    def try_all(self, limits: Sequence[Limit]) -> Iterator[tuple[str, Seen]]:
        """Yield what was seen of each limit."""
        together = [limit for limit in limits if not limit.ends]
        while together:
            tried = list(self._try_together(together))
            for limit, seen in zip(together, tried, strict=False):
                yield limit.id, seen or self._try_alone(limit, patience=_PATIENCE)
            together = together[len(tried) :]
        for limit in limits:
            if limit.ends:
                yield limit.id, self._try_alone(limit)

    def _try_together(self, limits: Sequence[Limit]) -> Iterator[Seen | None]:
        """Try limits in one worker until it is gone, and say what was seen of each.

        The one that was being tried then is the last: None where time had run out.
        """
        candidate, trial = self._load(limits[0])
        waiting = iter(limits)
        current = next(waiting)
        try:
            for reply in candidate.stream([self._call(limit, trial) for limit in limits], at_once=1):
                yield _judge(current, trial, reply.error if reply.error is not None else reply.value)
                following = next(waiting, None)
                if following is None:
                    return
                current = following
        except _GONE as exc:
            yield None if _ran_out_of_time(candidate) else _not_tried(candidate, exc)

    def _try_alone(self, limit: Limit, *, patience: float = 1.0) -> Seen:
        """Try a limit in a worker of its own, and once more with more time where that ran out before it was seen."""
        candidate, trial = self._load(limit, patience=patience)
        try:
            reply = candidate.batch([self._call(limit, trial)])[0]
        except _GONE as exc:
            if candidate.ended is not None and candidate.ended.reason in limit.ends:
                return Seen(bites=True, what=f"the worker was ended: {candidate.ended.reason.value}")
            if _ran_out_of_time(candidate) and patience == 1:
                return self._try_alone(limit, patience=_PATIENCE)
            return _not_tried(candidate, exc)
        return _judge(limit, trial, reply.error if reply.error is not None else reply.value)

    def _load(self, limit: Limit, *, patience: float = 1.0) -> tuple[Candidate, Trial]:
        """Start a worker for a limit, in a fresh sandbox where the last one is gone. What is tried stays as it is."""
        if self._sandbox is None or self._sandbox.lost:
            if self._sandbox is not None:
                self._sandbox.close()
            self._sandbox = self._provider.open()
        given = _GENEROUS if self._generous else limit.limits
        wall = _GENEROUS_SECONDS if self._generous else limit.wall_seconds
        if EndReason.WALL not in limit.ends:
            wall *= patience
        if EndReason.CPU not in limit.ends:
            given = replace(given, cpu_seconds=given.cpu_seconds * patience)
        candidate = Candidate(self._sandbox, "probe", wall_seconds=wall)
        candidate.load(self._source, given)
        return candidate, Trial(around=self._around, bait=self._bait, workdir=candidate.workdir)

    @staticmethod
    def _call(limit: Limit, trial: Trial) -> Call:
        return Call(args=(limit.probe, *limit.arguments(trial)))


def _source() -> str:
    """Return the trusted solution: one source, written in several files."""
    folder = resource_root() / "corpus" / "probes"
    return "\n\n".join((folder / f"{name}.py").read_text(encoding="utf-8") for name in _FILES)


def _judge(limit: Limit, trial: Trial, value: object) -> Seen:
    if isinstance(value, FromCandidate):
        return Seen(bites=False, what=f"the probe failed: {value.class_name}: {value.text}")
    return limit.judge(value, trial)


def _ran_out_of_time(candidate: Candidate) -> bool:
    return candidate.ended is not None and candidate.ended.reason in _OUT_OF_TIME


def _not_tried(candidate: Candidate, exc: BaseException) -> Seen:
    return Seen(bites=False, what=f"could not be tried: {_why(candidate, exc)}")


def _why(candidate: Candidate, exc: BaseException) -> str:
    ended = candidate.ended
    return f"the worker ended: {ended.reason.value}" if ended is not None else str(exc)
