"""Laws of attestation: what is promised bites, and every probe notices where its limit is off."""

from __future__ import annotations

import os
import secrets

import pytest

from codegen_eval.sandbox.attestation import Attested, Outcome
from codegen_eval.sandbox.docker import DockerProvider
from codegen_eval.sandbox.engine import Engine
from codegen_eval.sandbox.limit import Kind, Limit, Off, Surroundings
from codegen_eval.sandbox.limits import LIMITS
from codegen_eval.sandbox.prober import MEMORY_MIB, attest

DOCKER = Surroundings(kind=Kind.DOCKER, memory_mib=MEMORY_MIB)
WITHOUT_OFF: dict[str, str] = {}
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
