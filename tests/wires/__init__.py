"""Real HTTP servers on 127.0.0.1 that speak the wire formats of model providers, answering from a script.

::

    def script(asked: Asked) -> Said | Fault:
        return Said(text="def f(): ...") if asked.number > 1 else Status(429, retry_after="2")

    with WireServer(ANTHROPIC, script) as server:
        server.url        # for `base_url`, or for the variable `server.format.variable` of a child process
        server.calls      # all requests so far, as `Asked`, in the order in which they came
        server.answered   # those that got the whole of a `Said`: what a provider would have charged for

`Asked` is what the client asked for, the same for all formats: `model`, `system`, `messages`, `prompt` (the last
message), `temperature`, `max_tokens`, `tool` (the tool that must be called), `stream`, `number` (from 1), `headers`,
`body`. `Said` is an answer: `text` or `tool` (JSON of the arguments), `stop`, and counts. A fault is one of `Status`,
`Silence`, `Drip`, `Dropped`, `HalfStream`, `Garbage`. A script is called by several threads at once, one for each
connection; `in_turn(a, b, ...)` makes one that says these in turn, and the last for ever; `canned()` says what the
shipped corpus says.

The servers are as strict as the providers are where that matters: without a key they answer 401, and a temperature
that the version of Anthropic's API does not take is answered by 400.

For a child process: `env |= server.environment()` sets the address, a key and all else that the provider needs.
"""

from __future__ import annotations

from wires.anthropic_format import ANTHROPIC
from wires.bedrock_format import BEDROCK
from wires.canned import canned
from wires.openai_format import OPENAI
from wires.script import Asked, Drip, Dropped, Fault, Garbage, HalfStream, Said, Script, Silence, Status, in_turn
from wires.server import KEY, WireServer

__all__ = [
    "ANTHROPIC",
    "BEDROCK",
    "KEY",
    "OPENAI",
    "Asked",
    "Drip",
    "Dropped",
    "Fault",
    "Garbage",
    "HalfStream",
    "Said",
    "Script",
    "Silence",
    "Status",
    "WireServer",
    "canned",
    "in_turn",
]
