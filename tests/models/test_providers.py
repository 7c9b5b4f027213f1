"""Laws of all providers, over real HTTP: what is asked arrives, and what is answered comes back whole or not at all."""

from __future__ import annotations

import json
from datetime import timedelta
from threading import Thread
from time import monotonic

import pytest

from codegen_eval.errors import ModelAccessError, ModelError, ModelRequestError, ModelUnavailableError
from codegen_eval.models import Lost, Reply, StopReason
from codegen_eval.models.patience import Policy
from codegen_eval.models.provider import make_model
from codegen_eval.solution import Strategy
from codegen_eval.tokens import estimate_tokens
from models.talk import BRIEF, FORMATS, TOOL, connect, make_request
from wires import KEY, Drip, Dropped, Fault, Garbage, HalfStream, Said, Silence, Status, WireServer, in_turn

GOOD = Said(text="def f():\n    return 'ü'\n", input_tokens=40, output_tokens=9, cached_tokens=5)

pytestmark = pytest.mark.parametrize("mode", sorted(FORMATS))


def test_what_is_asked_arrives(mode: str) -> None:
    """Model, system prompt, turns, limit and temperature are what the server sees, the system prompt in its place."""
    request = make_request(temperature=0.5, max_tokens=123)
    with WireServer(FORMATS[mode], in_turn(GOOD)) as server:
        connect(mode, server).complete(request)

    asked = server.calls[0]
    assert (asked.model, asked.system, asked.max_tokens) == (request.model, "You write Python.", 123)
    assert (asked.temperature, asked.tool) == (0.5, None)
    assert asked.messages == (("user", "Write `e`."), ("assistant", "def e(): ..."), ("user", "Write `f`."))


@pytest.mark.parametrize("temperature", [None, 0.0, 1.0])
def test_a_temperature_is_sent_if_there_is_one(mode: str, temperature: float | None) -> None:
    """None leaves it to the model: nothing is sent. Zero is a temperature."""
    with WireServer(FORMATS[mode], in_turn(GOOD)) as server:
        connect(mode, server).complete(make_request(temperature=temperature))

    assert server.calls[0].temperature == temperature


def test_what_is_answered_comes_back(mode: str) -> None:
    """The text is whole, and the counts are the provider's, with cached tokens apart."""
    with WireServer(FORMATS[mode], in_turn(GOOD)) as server:
        reply = connect(mode, server).complete(make_request())

    assert reply == Reply(text=GOOD.text, input_tokens=40, output_tokens=9, cached_tokens=5, estimated=False)
    assert len(server.answered) == 1


def test_missing_counts_are_estimated_and_labelled(mode: str) -> None:
    with WireServer(FORMATS[mode], in_turn(Said(text="some words", counted=False))) as server:
        reply = connect(mode, server).complete(make_request())

    assert reply.estimated
    assert reply.output_tokens == estimate_tokens("some words")
    assert reply.input_tokens > 0


@pytest.mark.parametrize(
    ("said", "stop"),
    [
        (Said(text="def f(", stop="max_tokens"), StopReason.MAX_TOKENS),
        (Said(text="", stop="max_tokens"), StopReason.MAX_TOKENS),
        (Said(text="I won't.", stop="refusal"), StopReason.REFUSAL),
        (Said(text="", stop="filter"), StopReason.REFUSAL),
        (Said(text="well", stop="other"), StopReason.OTHER),
    ],
)
def test_why_a_reply_ended_is_told(mode: str, said: Said, stop: StopReason) -> None:
    """A cut reply and a refusal are replies, empty or not: the solution's outcome, and no error."""
    with WireServer(FORMATS[mode], in_turn(said)) as server:
        reply = connect(mode, server).complete(make_request())

    assert (reply.text, reply.stop_reason) == (said.text, stop)
    assert len(server.calls) == 1


def test_a_tools_arguments_are_the_reply(mode: str) -> None:
    """The model is made to call the tool; what it calls it with is the reply's text."""
    arguments = '{"claims": [{"class": "off-by-one", "input": [1, "ü"]}]}'
    with WireServer(FORMATS[mode], in_turn(Said(tool=arguments))) as server:
        reply = connect(mode, server).complete(make_request(tool=TOOL))

    assert json.loads(reply.text) == json.loads(arguments)
    assert reply.stop_reason is StopReason.END
    assert server.calls[0].tool == TOOL.name


@pytest.mark.slow
@pytest.mark.parametrize(
    "fault",
    [
        pytest.param(Status(408), id="408"),
        pytest.param(Status(409), id="409"),
        pytest.param(Status(429), id="429"),
        pytest.param(Status(429, retry_after="3"), id="429-after"),
        pytest.param(Status(500), id="500"),
        pytest.param(Status(502), id="502"),
        pytest.param(Status(503), id="503"),
        pytest.param(Status(529), id="529"),
        pytest.param(Dropped(), id="dropped-before"),
        pytest.param(Dropped(said=GOOD, part=0.5), id="dropped-within"),
        pytest.param(Dropped(said=GOOD, part=0.95), id="dropped-late"),
        pytest.param(HalfStream(said=GOOD), id="half-stream"),
        pytest.param(Garbage(), id="no-json"),
        pytest.param(Garbage(body="{}"), id="empty-object"),
        pytest.param(Garbage(body="42"), id="number"),
        pytest.param(Garbage(body='{"type": "message_start", "message": 3, "choices": 3, "output": 3}'), id="types"),
        pytest.param(Said(text=""), id="empty"),
        pytest.param(Said(text=" \n"), id="blank"),
    ],
)
def test_what_may_pass_is_asked_again(mode: str, fault: Said | Fault) -> None:
    """After one fault of this kind the next attempt's answer is the reply, and nothing of the first is in it."""
    waits: list[float] = []
    with WireServer(FORMATS[mode], in_turn(fault, GOOD)) as server:
        reply = connect(mode, server, sleep=waits.append).complete(make_request())

    assert reply.text == GOOD.text
    assert len(server.calls) == 2
    assert len(waits) == 1


@pytest.mark.parametrize("fault", [Status(429), Status(500), HalfStream(), Dropped()])
def test_attempts_are_bounded(mode: str, fault: Fault) -> None:
    """A fault that stays is an error of the environment, after as many attempts as the policy gives and no more."""
    with WireServer(FORMATS[mode], in_turn(fault)) as server, pytest.raises(ModelUnavailableError) as caught:
        connect(mode, server).complete(make_request())

    assert len(server.calls) == BRIEF.attempts
    assert "after 3 attempts" in caught.value.message
    assert caught.value.exit_code == 3


def test_a_model_that_says_nothing_time_and_again_is_taken_at_its_word(mode: str) -> None:
    """Whole and empty answers are paid for: after some of them the empty reply is the outcome, and no error."""
    with WireServer(FORMATS[mode], in_turn(Said(text=""))) as server:
        reply = connect(mode, server, policy=Policy(attempts=8, answers=3)).complete(make_request())

    assert reply.text == ""
    assert len(server.answered) == 3
    assert reply.lost == 2 * (Lost(input_tokens=11, output_tokens=7),)


@pytest.mark.parametrize(
    ("fault", "error"),
    [
        (Status(401), ModelAccessError),
        (Status(403), ModelAccessError),
        (Status(400), ModelRequestError),
        (Status(404), ModelRequestError),
        (Status(413), ModelRequestError),
        (Status(422), ModelRequestError),
    ],
)
def test_what_will_not_pass_is_asked_once(mode: str, fault: Status, error: type[Exception]) -> None:
    """A refused key or request is the user's to mend, and says how; asking again would not help."""
    with WireServer(FORMATS[mode], in_turn(fault)) as server, pytest.raises(error) as caught:
        connect(mode, server).complete(make_request())

    assert len(server.calls) == 1
    assert isinstance(caught.value, ModelAccessError | ModelRequestError)
    assert caught.value.exit_code == 2
    assert caught.value.hint


@pytest.mark.parametrize(("strategy", "option"), [(Strategy.BARE, "`--temperature"), (None, "`--reviewer-temperature")])
def test_a_refused_temperature_says_how_to_leave_it_out(mode: str, strategy: Strategy | None, option: str) -> None:
    """With the option of who was asked: a model for a solution, or a reviewer."""
    refused = Status(400, message="`temperature` is deprecated for this model.")
    with WireServer(FORMATS[mode], in_turn(refused)) as server, pytest.raises(ModelRequestError) as caught:
        connect(mode, server).complete(make_request(temperature=0.0, strategy=strategy))

    assert f"{option} none`" in str(caught.value.hint)


@pytest.mark.slow
@pytest.mark.parametrize("fault", [Silence(), Drip(said=GOOD), Drip(said=GOOD, headers=True)])
def test_a_deadline_holds(mode: str, fault: Fault) -> None:
    """A server that is silent, or sends a byte now and then, holds a call no longer than the policy gives."""
    policy = Policy(attempts=2, call=timedelta(seconds=0.5))
    with WireServer(FORMATS[mode], in_turn(fault)) as server:
        model = connect(mode, server, policy=policy)
        start = monotonic()
        with pytest.raises(ModelUnavailableError):
            model.complete(make_request())
        took = monotonic() - start

    assert len(server.calls) == 2
    assert took < 5


def test_no_error_tells_a_key_or_a_prompt(mode: str) -> None:
    """What a provider says is quoted without the key that it repeats and without the prompt, in one short line."""
    prompt = "Write a function that is a secret of ours."
    said = f"bad key {KEY} or {KEY[::-1]} in:\n{prompt}\n\x1b[31m" + "x" * 9000
    for status in (400, 401, 403, 500):
        script = in_turn(Status(status, message=said))
        with WireServer(FORMATS[mode], script) as server, pytest.raises(ModelError) as caught:
            connect(mode, server).complete(make_request(prompt=prompt))
        told = f"{caught.value.message} {caught.value.hint}"
        assert KEY not in told
        assert KEY[::-1] not in told or mode != "bedrock"
        assert prompt not in told
        assert told.isprintable()
        assert len(told) < 700


def test_a_wrong_key_is_refused(mode: str) -> None:
    """The server repeats the key that it was given; the error does not."""
    wrong = "sk-test-this-is-not-the-key"
    with WireServer(FORMATS[mode], in_turn(GOOD)) as server:
        environ = {name: wrong if value == KEY else value for name, value in server.environment().items()}
        model = make_model(mode, environ=environ, policy=BRIEF, sleep=lambda _: None)
        with pytest.raises(ModelAccessError) as caught:
            model.complete(make_request())

    assert wrong not in f"{caught.value.message} {caught.value.hint}"
    assert server.calls == ()


def test_nobody_at_the_address_is_an_error_of_the_environment(mode: str) -> None:
    with WireServer(FORMATS[mode], in_turn(GOOD)) as server:
        model = connect(mode, server)
    with pytest.raises(ModelUnavailableError, match="nobody answers"):
        model.complete(make_request())


def test_many_threads_share_a_model(mode: str) -> None:
    """Each gets the answer to its own question, and no more calls are open at once than was asked for."""
    replies: dict[int, str] = {}
    with WireServer(FORMATS[mode], lambda asked: Said(text=f"to: {asked.prompt}")) as server:
        model = connect(mode, server, concurrency=3)

        def ask(number: int) -> None:
            replies[number] = model.complete(make_request(prompt=f"question {number}")).text

        threads = [Thread(target=ask, args=(number,)) for number in range(12)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

    assert replies == {number: f"to: question {number}" for number in range(12)}
    assert server.most_at_once <= 3


def test_what_a_model_says_in_place_of_the_tool_is_its_reply(mode: str) -> None:
    with WireServer(FORMATS[mode], in_turn(Said(text="I think it is fine."))) as server:
        reply = connect(mode, server).complete(make_request(tool=TOOL))

    assert reply.text == "I think it is fine."
    assert len(server.calls) == 1
