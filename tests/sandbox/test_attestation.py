"""Laws of attestation: what is promised bites, and every probe notices where its limit is off."""

from __future__ import annotations

import os
import secrets
import sys
from collections.abc import Mapping
from dataclasses import replace

import pytest

from codegen_eval.errors import SandboxTooWeakError
from codegen_eval.interfaces import EndReason, WorkerLimits
from codegen_eval.sandbox.attestation import Attestation, Attested, Outcome
from codegen_eval.sandbox.bait import lay_out
from codegen_eval.sandbox.docker import DockerProvider
from codegen_eval.sandbox.engine import Engine
from codegen_eval.sandbox.hardening import TABLE
from codegen_eval.sandbox.limit import Kind, Limit, Need, Off, Seen, Surroundings, Trial
from codegen_eval.sandbox.limits import LIMITS
from codegen_eval.sandbox.probe import info_warnings
from codegen_eval.sandbox.prober import MEMORY_MIB, SANDBOXES, attest
from codegen_eval.sandbox.process import ProcessProvider
from codegen_eval.sandbox.survey import look_around
from sandbox.test_probe import GOOD

DOCKER = Surroundings(kind=Kind.DOCKER, memory_mib=MEMORY_MIB)
WITHOUT_OFF: dict[str, str] = {}
"""Limits that can't be switched off, and why a reviewer agreed."""
FREE_FORM: dict[str, type | tuple[type, ...]] = {
    "host-files": str,
    "environment": dict,
}
"""Probes that return whatever they find."""
NO_SUCH_THING = "the kernel has none"


def try_off(limit: Limit, off: Off) -> Attested:
    """Attest one limit in docker sandboxes that are made without it."""
    weakening = off.weaken(os.environ)
    with DockerProvider(run_id=f"test-{secrets.token_hex(6)}", expected=1, weakening=weakening) as provider:
        return attest(provider, DOCKER, limits=(limit,), generous=off.generous).limits[0]


@pytest.mark.docker
@pytest.mark.usefixtures("engine")
@pytest.mark.parametrize("limit", LIMITS, ids=lambda limit: limit.id)
def test_every_probe_notices_that_its_limit_is_off(limit: Limit, monkeypatch: pytest.MonkeyPatch) -> None:
    """With one limit off, the outcome is that it does not bite."""
    monkeypatch.setenv("EVALRUN_TEST_OF_THE_HOST", "a variable that only the host has")
    if isinstance(limit.off, str):
        assert WITHOUT_OFF[limit.id]
        pytest.skip(limit.off)
    seen = try_off(limit, limit.off)

    if seen.seen.startswith(NO_SUCH_THING):
        pytest.skip(f"this {seen.seen}: there is nothing to switch off")
    assert seen.outcome is Outcome.DOES_NOT_BITE, seen.seen
    assert not seen.seen.startswith(("could not be tried", "the probe"))


def test_every_limit_says_what_and_what_to_do() -> None:
    """Ids are unique, and no entry lacks its promise, its help, or a way to switch it off or the reason why not."""
    ids = [limit.id for limit in LIMITS]

    assert len(set(ids)) == len(ids)
    for limit in LIMITS:
        assert limit.promise
        assert limit.to_do
        assert limit.off if isinstance(limit.off, str) else limit.off != Off()


def test_sizes_are_those_of_the_hardening_table() -> None:
    """What is promised of the temporary folder and the limits of processes is what containers are made with."""
    options = {option.name: option.value for option in TABLE}
    tmpfs, ulimits = options["tmpfs"], options["ulimits"]
    assert isinstance(tmpfs, Mapping)
    assert isinstance(ulimits, Mapping)
    promised = {limit.id: limit.promise for limit in LIMITS}

    assert str(tmpfs["/tmp"]) == "rw,noexec,nosuid,nodev,size=32m,mode=1777,nr_inodes=4096"  # noqa: S108 - a key
    assert "32 MiB" in promised["tmpfs-size"]
    assert "4096" in promised["tmpfs-inodes"]
    assert f"{options['pids_limit']} " in promised["pids"]
    assert f"{ulimits['nofile']} " in promised["open-files"]
    assert f"{int(ulimits['fsize']) >> 20} MiB" in promised["file-size"]
    assert ulimits == {"nofile": 256, "core": 0, "fsize": 32 << 20, "memlock": 64 << 10, "msgqueue": 0}


@pytest.mark.docker
@pytest.mark.usefixtures("engine")
def test_all_that_docker_promises_bites() -> None:
    """In a fully hardened container every promised limit bites."""
    with DockerProvider(run_id=f"test-{secrets.token_hex(6)}", expected=SANDBOXES) as provider:
        attestation = attest(provider, look_around(provider, runtime=None))

    assert attestation.broken == ()
    assert attestation.counts()["bites"] > len(LIMITS) / 2


@pytest.mark.docker
def test_all_that_gvisor_promises_bites(engine: Engine) -> None:
    """With the runtime runsc, what is promised there bites, the supervisor's pipes among it."""
    if "runsc" not in engine.info().runtimes:
        pytest.skip("this engine has no runsc")
    with DockerProvider(run_id=f"test-{secrets.token_hex(6)}", expected=SANDBOXES, runtime="runsc") as provider:
        attestation = attest(provider, look_around(provider, runtime="runsc"), runtime="runsc")

    outcomes = {each.limit: each for each in attestation.limits}
    assert attestation.broken == ()
    assert outcomes["supervisor"].outcome is Outcome.BITES
    assert outcomes["tmpfs-inodes"].outcome is Outcome.NOT_AVAILABLE


@pytest.mark.skipif(sys.platform != "linux", reason="its fences are Linux's")
def test_all_that_the_subprocess_sandbox_promises_bites() -> None:
    """What an ordinary process can be kept from, this one is; the rest is said not to be available, and why."""
    provider = ProcessProvider(memory_mib=MEMORY_MIB)
    attestation = attest(provider, look_around(provider, runtime=None))
    outcomes = {each.limit: each for each in attestation.limits}

    assert attestation.broken == ()
    assert outcomes["network"].outcome is Outcome.BITES
    assert outcomes["interfaces"].outcome is Outcome.NOT_AVAILABLE
    assert outcomes["interfaces"].seen


@pytest.mark.skipif(sys.platform != "linux", reason="its fences are Linux's")
@pytest.mark.parametrize(
    ("fence", "broken"),
    [
        ("seccomp", {"network", "dns", "loopback", "system-v-ipc"}),
        ("rlimits", {"open-files", "file-size", "memory"}),
    ],
)
def test_a_fence_of_the_subprocess_sandbox_that_is_missing_is_noticed(fence: str, broken: set[str]) -> None:
    """Without the filter the host's listeners are reached, and they say so; without rlimits more is had."""
    provider = ProcessProvider(memory_mib=MEMORY_MIB, without=frozenset({fence}))
    attestation = attest(provider, look_around(provider, runtime=None))

    assert broken <= {each.limit for each in attestation.broken}


@pytest.mark.slow
@pytest.mark.parametrize("ends", [frozenset(), frozenset({EndReason.OUT_OF_MEMORY})], ids=["together", "alone"])
@pytest.mark.parametrize("probe", ["sleep", "spin"])
def test_a_probe_that_runs_out_of_time_gets_more(probe: str, ends: frozenset[EndReason]) -> None:
    """What was not tried on a loaded machine is tried again, for longer, whatever ran out; then it counts."""
    slow = replace(
        next(limit for limit in LIMITS if limit.id == "wall-clock"),
        probe=probe,
        arguments=lambda _: (0.7,),
        judge=lambda value, _: Seen(bites=value == "done", what="it was tried"),
        ends=ends,
        limits=WorkerLimits(cpu_seconds=0.4),
        wall_seconds=0.5 if probe == "sleep" else 5.0,
    )
    endless = replace(slow, id="endless", probe="sleep", arguments=lambda _: (60,), wall_seconds=0.1)
    limits = (replace(slow, id="first"), endless, replace(slow, id="last"))
    around = Surroundings(kind=Kind.SUBPROCESS, memory_mib=MEMORY_MIB)
    seen = attest(ProcessProvider(memory_mib=MEMORY_MIB), around, limits=limits).limits

    assert [each.outcome for each in seen] == [Outcome.BITES, Outcome.DOES_NOT_BITE, Outcome.BITES]
    assert seen[1].seen == "could not be tried: the worker ended: wall"


def test_what_an_engine_lacks_is_not_promised_and_said_in_the_same_words() -> None:
    """Without swap accounting the swap limit is not available, in doctor's own words, with what to do."""
    around = Surroundings(kind=Kind.DOCKER, memory_mib=MEMORY_MIB, lacking=frozenset({Need.SWAP}))
    swap = next(limit for limit in LIMITS if limit.id == "swap")
    attested = attest(ProcessProvider(memory_mib=MEMORY_MIB), around, limits=(swap,)).limits[0]

    assert attested.outcome is Outcome.NOT_AVAILABLE
    assert attested.seen in info_warnings(replace(GOOD, swap_limit=False))
    assert attested.to_do == swap.to_do


@pytest.mark.parametrize("limit", LIMITS, ids=lambda limit: limit.id)
@pytest.mark.parametrize("value", [None, "x" * 100, [], {}, {"a": 1}, {"found": 1, "made": {}}, [[1]], -1, True])
def test_what_no_probe_returns_shows_nothing(limit: Limit, value: object) -> None:
    """A reply of another form than the probe's never counts as a limit that bites."""
    with lay_out() as bait:
        trial = Trial(around=DOCKER, bait=bait, workdir="/work")
        if limit.id in FREE_FORM and isinstance(value, FREE_FORM[limit.id]):
            pytest.skip("any such value is of the probe's form")

        assert not limit.judge(value, trial).bites


def test_a_broken_promise_is_an_error_that_names_it() -> None:
    """Broken limits are named with what to do; a sound attestation asks for nothing."""
    good = Attested(limit="a", outcome=Outcome.BITES, seen="")
    bad = Attested(limit="b", outcome=Outcome.DOES_NOT_BITE, seen="3 of 3 came through", to_do="mend it")
    Attestation(sandbox="docker", memory_mib=1, limits=(good,)).require()

    with pytest.raises(SandboxTooWeakError, match=r"`b` \(3 of 3 came through\) does not bite") as caught:
        Attestation(sandbox="docker", memory_mib=1, limits=(good, bad)).require()
    assert "mend it" in str(caught.value.hint)
    assert caught.value.exit_code == 3
