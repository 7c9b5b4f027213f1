"""Laws of servers that know only part of OpenAI's format: what they say they don't know is left out, and no more."""

from __future__ import annotations

import pytest

from codegen_eval.errors import ModelAccessError, ModelRequestError
from codegen_eval.models import StopReason
from codegen_eval.models.provider import make_model
from models.talk import BRIEF, TOOL, connect, make_request
from wires import OPENAI, Said, Status, WireServer, in_turn
from wires.openai_format import OpenAIFormat

GOOD = Said(text="def f(): ...")
ARGUMENTS = Said(tool='{"claims": []}')


def test_a_server_without_tools_is_given_the_schema() -> None:
    """The reply keeps to the tool's schema as its text. What was learnt holds for later calls."""
    with WireServer(OpenAIFormat(tools=False), in_turn(ARGUMENTS)) as server:
        model = connect("openai", server)
        replies = [model.complete(make_request(tool=TOOL)) for _ in range(2)]

    assert [reply.text for reply in replies] == ['{"claims": []}'] * 2
    assert ["tools" in call.body for call in server.calls] == [False, False]
    assert [call.tool for call in server.calls] == [TOOL.name, TOOL.name]


def test_a_server_that_passes_over_tools_is_given_the_schema_next_time() -> None:
    """An answer in words is what it is; who asks again gets one in the other form."""
    with WireServer(OPENAI, in_turn(Said(text="It is fine."), ARGUMENTS)) as server:
        model = connect("openai", server)
        replies = [model.complete(make_request(tool=TOOL)).text for _ in range(2)]

    assert replies == ["It is fine.", '{"claims": []}']
    assert ["tools" in call.body for call in server.calls] == [True, False]


def test_a_server_that_knows_neither_says_so() -> None:
    wire = OpenAIFormat(tools=False, schemas=False)
    with WireServer(wire, in_turn(ARGUMENTS)) as server, pytest.raises(ModelRequestError, match="response_format"):
        connect("openai", server).complete(make_request(tool=TOOL))


def test_a_server_that_can_not_stream_is_asked_for_the_whole() -> None:
    with WireServer(OpenAIFormat(streams=False), in_turn(GOOD)) as server:
        reply = connect("openai", server).complete(make_request())

    assert (reply.text, reply.estimated) == (GOOD.text, False)
    assert not server.calls[0].stream


@pytest.mark.parametrize("streams", [True, False])
def test_a_server_with_the_newer_name_of_the_limit_gets_it(streams: bool) -> None:  # noqa: FBT001 - a parameter
    wire = OpenAIFormat(max_tokens="max_completion_tokens", streams=streams)
    with WireServer(wire, in_turn(GOOD)) as server:
        connect("openai", server).complete(make_request(max_tokens=77))

    assert server.calls[0].max_tokens == 77


def test_a_server_that_can_not_stream_answers_in_tools_as_well() -> None:
    with WireServer(OpenAIFormat(streams=False), in_turn(ARGUMENTS)) as server:
        reply = connect("openai", server).complete(make_request(tool=TOOL))

    assert reply.text == '{"claims": []}'


def test_another_refusal_is_one() -> None:
    """A refusal that names no parameter of ours changes nothing, and is the user's to mend."""
    script = in_turn(Status(400, message="context length exceeded"))
    with WireServer(OPENAI, script) as server, pytest.raises(ModelRequestError, match="context length"):
        connect("openai", server).complete(make_request())

    assert len(server.calls) == 1


def test_a_local_server_needs_no_key() -> None:
    with WireServer(OpenAIFormat(key=None), in_turn(GOOD)) as server:
        reply = make_model("openai", base_url=f"{server.url}/v1", environ={}, policy=BRIEF).complete(make_request())

    assert reply.text == GOOD.text


def test_an_exhausted_account_is_no_overload() -> None:
    """It comes under status 429, and waiting would not help."""
    script = in_turn(Status(429, kind="insufficient_quota"))
    with WireServer(OPENAI, script) as server, pytest.raises(ModelAccessError):
        connect("openai", server).complete(make_request())

    assert len(server.calls) == 1


def test_a_prompt_that_a_filter_stops_is_refused() -> None:
    """Gateways refuse it by a status and not by a reply; it is the solution's outcome all the same."""
    with WireServer(OPENAI, in_turn(Status(400, kind="content_filter"))) as server:
        reply = connect("openai", server).complete(make_request())

    assert (reply.text, reply.stop_reason) == ("", StopReason.REFUSAL)
