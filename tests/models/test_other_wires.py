"""Laws of what only Anthropic or only Bedrock does."""

from __future__ import annotations

import pytest

from codegen_eval.errors import ModelAccessError, ModelRequestError, ModelUnavailableError
from codegen_eval.models.claude import WITH_TEMPERATURE
from models.talk import BRIEF, TOOL, connect, make_request
from wires import ANTHROPIC, BEDROCK, Garbage, Said, Status, WireServer, in_turn

GOOD = Said(text="def f(): ...")


def test_a_temperature_takes_the_version_of_the_api_that_has_one() -> None:
    """Without a temperature the SDK's own version is used."""
    with WireServer(ANTHROPIC, in_turn(GOOD)) as server:
        model = connect("claude", server)
        model.complete(make_request(temperature=0.0))
        model.complete(make_request(temperature=None))

    old, new = (call.headers["anthropic-version"] for call in server.calls)
    assert old == WITH_TEMPERATURE
    assert new > WITH_TEMPERATURE


def test_claude_streams() -> None:
    with WireServer(ANTHROPIC, in_turn(GOOD)) as server:
        connect("claude", server).complete(make_request())

    assert server.calls[0].stream


@pytest.mark.parametrize(
    ("kind", "error", "calls"),
    [
        ("overloaded_error", ModelUnavailableError, BRIEF.attempts),
        ("api_error", ModelUnavailableError, BRIEF.attempts),
        ("authentication_error", ModelAccessError, 1),
        ("invalid_request_error", ModelRequestError, 1),
    ],
)
def test_an_error_in_the_middle_of_a_stream_is_what_its_type_says(
    kind: str, error: type[Exception], calls: int
) -> None:
    """It comes under status 200."""
    body = f'{{"type": "error", "error": {{"type": "{kind}", "message": "so it is"}}}}'
    script = in_turn(Garbage(body=body, event="error"))
    with WireServer(ANTHROPIC, script) as server, pytest.raises(error, match="so it is"):
        connect("claude", server).complete(make_request())

    assert len(server.calls) == calls


@pytest.mark.parametrize(("unknown", "choice"), [(1, {"any": {}}), (2, None)])
def test_a_model_that_can_not_be_made_to_call_a_tool_is_asked_to(unknown: int, choice: object) -> None:
    """Not every model on Bedrock takes each way to ask; what is learnt holds for later calls."""
    refused = Status(400, message="This model doesn't support the toolConfig.toolChoice.tool field.")
    with WireServer(BEDROCK, in_turn(*[refused] * unknown, Said(tool='{"a": 1}'))) as server:
        model = connect("bedrock", server)
        replies = [model.complete(make_request(tool=TOOL)) for _ in range(2)]

    assert [reply.text for reply in replies] == ['{"a": 1}'] * 2
    assert len(server.calls) == unknown + 2
    config = server.calls[-1].body["toolConfig"]
    assert isinstance(config, dict)
    assert config.get("toolChoice") == choice


def test_a_quota_is_waited_for() -> None:
    """It comes under status 400, and passes."""
    fault = Status(400, kind="ServiceQuotaExceededException")
    with WireServer(BEDROCK, in_turn(fault, GOOD)) as server:
        assert connect("bedrock", server).complete(make_request()).text == GOOD.text


def test_an_empty_message_is_refused_before_it_is_sent() -> None:
    """What boto3 itself refuses is the request's fault, and not tried again."""
    with WireServer(BEDROCK, in_turn(GOOD)) as server, pytest.raises(ModelRequestError):
        connect("bedrock", server).complete(make_request(max_tokens=0))

    assert server.calls == ()
