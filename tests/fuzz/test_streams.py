"""Laws of the readers of hostile bytes: whatever a guest says, it is an answer, an end or tampering, in bounded time.

`EVALRUN_FUZZ=100000 pytest tests/fuzz` asks more examples of each law; `benchmarks/fuzz.py` runs the same targets by
the million.
"""

from __future__ import annotations

import os

import pytest
from hypothesis import example, given, settings, target
from hypothesis import strategies as st

from codegen_eval.errors import SandboxLostError
from codegen_eval.sandbox import wire
from codegen_eval.sandbox.session import GuestSession
from fuzz_mutation import Mutator
from fuzz_seed import conversation_seeds, reply_seeds, seeds_of, stream_seeds
from fuzz_target import (
    TARGETS,
    WORKDIR,
    HungUp,
    answer,
    ended,
    fuzz_conversation,
    fuzz_reply,
    fuzz_stream,
    ready,
    said,
)

MANY = settings(max_examples=int(os.environ.get("EVALRUN_FUZZ", "200")))

headers = st.builds(
    wire.HEADER.pack, st.integers(0, 5), st.integers(0, 3), st.sampled_from([0, 1, 8, 13, 1 << 17, (1 << 32) - 1])
)
words = st.sampled_from([wire.UP, *map(answer, reply_seeds())]) | st.binary(max_size=40).map(answer) | st.binary()
frames = (
    st.builds(said, st.integers(0, 4), st.integers(0, 3), words)
    | st.builds(lambda told: said(wire.FROM_WORKER, 1, b"".join(told)), st.lists(words, max_size=5))
    | st.builds(ended, st.integers(0, 3), st.integers(0, 255), st.integers(0, 1 << 63))
    | headers
    | st.binary(max_size=30)
)
streams = st.builds(
    lambda plan, told: bytes([plan]) + b"".join(told), st.integers(0, 255), st.lists(frames, max_size=8)
)


@MANY
@given(streams)
@example(b"\0" + said(wire.ENDED, 1, wire.ENDED_PAYLOAD.pack(200, 0, 0, False)))
@example(b"\0" + said(wire.ENDED, 1, b"short"))
@example(b"\xff" + said(wire.READY, 0, b"[" * 4000))
def test_any_stream_of_a_guest_ends_within_what_was_asked(data: bytes) -> None:
    """Frames in any order and form: nothing is raised, no more comes back than was asked for, and none is too long."""
    outcome = fuzz_stream(data)
    target(len(data) if outcome == "frames" else 0, label="bytes of a stream that was answered from")


@pytest.mark.parametrize("number", range(0, 160, 23))
def test_a_stream_may_end_at_every_byte(number: int) -> None:
    """An honest conversation that is cut anywhere is an answer less and an end, and nothing is raised."""
    whole = stream_seeds()[number]

    outcomes = {fuzz_stream(whole[:length]) for length in range(len(whole) + 1)}

    assert outcomes <= {"frames", "lost", "no ready"}


@MANY
@given(
    st.binary(max_size=200)
    | st.sampled_from(reply_seeds()).flatmap(lambda seed: st.binary(max_size=4).map(seed.__add__))
)
@example(b'{"r":' + b'{"t":"e","c":"","n":"","v":' * 390 + b"1" + b"}" * 391)
@example(b'{"r":' + b"[" * 398 + b"]" * 398 + b"}")
def test_any_bytes_are_a_reply_or_tampering(data: bytes) -> None:
    """No bytes of a worker raise anything else, however they are nested."""
    fuzz_reply(data)


@MANY
@given(st.integers(0, 1 << 40), st.sampled_from(sorted(TARGETS)))
def test_mutants_of_honest_words_break_no_law(seed: int, name: str) -> None:
    """What looks almost right is read as strictly as noise."""
    mutator = Mutator(seeds_of(name), seed)

    for _ in range(10):
        TARGETS[name](mutator.make())


def test_a_worker_that_calls_back_with_what_can_not_be_sent_is_answered() -> None:
    """A test's function that hands a solution's own object back gives the solution an exception."""
    member = b'{"t":"e","c":"E","n":"A","v":1}'
    told = (b'{"id":0,"r":null}', b'{"id":1,"r":1,"a":[1]}', b'{"id":2,"cb":0,"args":[' + member + b"]}")

    assert fuzz_conversation(b"\n".join((*told, b'{"id":2,"r":1}'))) == "replies"


def test_honest_words_are_understood() -> None:
    """The seeds reach what they are meant to reach: else nothing would be fuzzed."""
    assert {fuzz_stream(seed) for seed in stream_seeds()} == {"frames", "lost"}
    assert {fuzz_reply(seed) for seed in reply_seeds()} == {"a value"}
    assert "replies" in {fuzz_conversation(seed) for seed in conversation_seeds()}


@pytest.mark.parametrize(
    "greeting",
    [
        ready(protocol=99),
        ready(python="3.11"),
        ready(python="\u0663.\u0661.\u0662"),
        said(wire.READY, 0, b"[]"),
        said(wire.READY, 0, b"[" * 4000),
        said(wire.ENDED, 0, b""),
    ],
)
def test_a_guest_that_is_not_understood_is_hung_up_on(greeting: bytes) -> None:
    """Without a proper *ready* there is no sandbox, and the stream to it is closed."""
    stream = HungUp(greeting, b"")

    with pytest.raises(SandboxLostError):
        GuestSession(stream, workdir=WORKDIR, ready_seconds=1)

    assert stream.fileno() == -1
