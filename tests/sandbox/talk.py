"""Words to a worker, for tests that speak the protocol themselves."""

from __future__ import annotations

import json

from codegen_eval.interfaces import Exchange, Sandbox, WorkerLimits
from codegen_eval.judge.candidate import pack


def load(source: str) -> bytes:
    """Frame the message that loads a solution."""
    return pack({"id": 0, "op": "load", "source": source})


def call(number: int, *args: object) -> bytes:
    """Frame one call of `f`."""
    return pack({"id": number, "op": "call", "target": "f", "args": list(args)})


def ask(sandbox: Sandbox, source: str, *args: object, cpu: float = 5.0, wall: float = 5.0) -> Exchange:
    """Load a solution in a fresh worker and call its `f` once."""
    sandbox.spawn(WorkerLimits(cpu_seconds=cpu))
    return sandbox.exchange(load(source) + call(1, *args), 2, wall)


def answer(exchange: Exchange) -> object:
    """Return what the call returned, or the name of what it raised."""
    reply = json.loads(exchange.frames[1])
    return reply["e"]["t"] if "e" in reply else reply["r"]
