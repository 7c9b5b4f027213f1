"""Laws of replies that are of no form: they are errors that are tried again, whatever they hold."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from codegen_eval.errors import ModelError, ModelUnavailableError
from codegen_eval.models import Model, Reply, Request
from codegen_eval.models.fault import MAX_QUOTED, Access, quote
from codegen_eval.models.patience import MAX_REPLY_CHARS, Policy
from codegen_eval.models.reading import MAX_TOKENS_COUNTED, count, field, items, retry_after, text
from models.talk import FORMATS, TOOL, connect, make_request
from wires import Asked, Garbage, Said, WireServer, in_turn

WORDS = st.sampled_from(
    (
        *("type", "message", "usage", "content", "delta", "text", "index", "content_block", "stop_reason", "error"),
        *("input_tokens", "output_tokens", "choices", "finish_reason", "tool_calls", "function", "arguments", "name"),
        *("output", "stopReason", "toolUse", "input", "message_start", "message_stop", "message_delta", "tool_use"),
        *("content_block_start", "content_block_delta", "text_delta", "end_turn", "stop"),
    )
)
LEAVES = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | WORDS | st.text(max_size=5)
VALUES = st.recursive(
    LEAVES, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(WORDS, inner, max_size=5), max_leaves=15
)
BODIES = VALUES.map(json.dumps) | st.sampled_from(["[" * 100_000, '{"a": 1', "", "\ud800", "null"])


@pytest.fixture(scope="module", params=sorted(FORMATS))
def mouth(request: pytest.FixtureRequest) -> Iterator[tuple[Model, list[Garbage]]]:
    """Give a model whose server says what stands last in a list."""
    said: list[Garbage] = []

    def script(_asked: Asked) -> Garbage:
        return said[-1]

    with WireServer(FORMATS[request.param], script) as server:
        yield connect(request.param, server, policy=Policy(attempts=1)), said


@pytest.mark.slow
@settings(max_examples=60, suppress_health_check=[HealthCheck.too_slow])
@given(body=BODIES, event=WORDS, tool=st.booleans())
def test_no_reply_breaks_us(mouth: tuple[Model, list[Garbage]], body: str, event: str, *, tool: bool) -> None:
    """Whatever comes under status 200 is a reply or an error that says what it is."""
    model, said = mouth
    said.append(Garbage(body=body.encode("utf-8", "replace").decode("utf-8"), event=event))

    try:
        told: Reply | ModelError = model.complete(make_request(tool=TOOL if tool else None))
    except ModelError as exc:
        told = exc
    assert isinstance(told, Reply) or told.message.isprintable()


@pytest.mark.parametrize("mode", sorted(FORMATS))
def test_a_reply_without_end_is_none(mode: str) -> None:
    """One that is longer than anybody asked for is not kept."""
    endless = Said(text="x" * (MAX_REPLY_CHARS + 1))
    with WireServer(FORMATS[mode], in_turn(endless)) as server, pytest.raises(ModelUnavailableError, match="longer"):
        connect(mode, server).complete(make_request())


@pytest.mark.parametrize("mode", ["claude", "openai"])
@pytest.mark.parametrize("endless", ["x" * (2 << 20), "x\ndata: " * 20_000, ("x" * 1000 + "\n\ndata: ") * 70_000])
def test_a_response_without_end_is_cut_off(mode: str, endless: str) -> None:
    """Neither a line nor an event nor a stream that never ends is read to its end."""
    with WireServer(FORMATS[mode], in_turn(Garbage(body=endless))) as server, pytest.raises(ModelUnavailableError):
        connect(mode, server, policy=Policy(attempts=1)).complete(make_request())


@given(value=VALUES, path=st.lists(WORDS, max_size=3))
def test_what_is_read_is_of_its_type(value: object, path: list[str]) -> None:
    """Any path into any value gives a text, a number of tokens or a list, and no exception."""
    found = count(value, *path)

    assert isinstance(text(value, *path), str)
    assert found is None or 0 <= found <= MAX_TOKENS_COUNTED
    assert isinstance(items(value, *path), list | tuple)
    assert path or field(value) is value


@given(value=st.text(max_size=40), date=st.none() | st.text(max_size=40))
def test_what_is_asked_to_wait_is_a_time_or_none(value: str, date: str | None) -> None:
    found = retry_after({"retry-after": value} | ({"date": date} if date else {}))

    assert found is None or found.total_seconds() >= 0


@given(said=st.text(), secret=st.text(min_size=8, max_size=40))
def test_what_is_quoted_is_one_short_line_without_the_key(said: str, secret: str) -> None:
    access = Access(name="X", hint="", secrets=(secret,))

    quoted = quote(f"{said}{secret}{said}", access, make_request())

    assert secret not in quoted
    assert quoted.isprintable()
    assert len(quoted) <= MAX_QUOTED + 1


SECRET = "gatewaysecret0123456789abcdefghijklmnop"


@pytest.mark.parametrize("blank", [" ", "\t", "\u00a0", "\u200b", "\x00"])
@pytest.mark.parametrize("before", [0, 250, 290, 5960, 5990, 6003, 200_000])
def test_no_part_of_a_key_is_left_where_an_answer_is_cut(before: int, blank: str) -> None:
    """Wherever it stands behind what takes no room, and with what is not shown in the middle of it."""
    access = Access(name="X", hint="", secrets=(SECRET,))
    said = blank * before + (SECRET if blank.isspace() else SECRET[:9] + blank + SECRET[9:]) + "x" * 400

    quoted = quote(said, access, make_request())

    assert [SECRET[at : at + 8] for at in range(len(SECRET) - 7) if SECRET[at : at + 8] in quoted] == []


@pytest.mark.parametrize(
    "key",
    [
        "sk-ant-api03-abcdefghijklmnop",
        "sk-proj-abc_def-ghi",
        "AKIAIOSFODNN7EXAMPLE",
        "Bearer abc.def.ghi",
        "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2ln",
    ],
)
def test_what_looks_like_a_key_is_not_quoted(key: str) -> None:
    """Also where it is not the one that we hold."""
    asked: Request = make_request()

    assert key not in quote(f"Incorrect API key provided: {key}.", Access(name="X", hint=""), asked)
