"""Laws of asking for a review: one prompt, a form, one more try, and each question once."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable
from datetime import date
from decimal import Decimal

import pytest

from codegen_eval.errors import InputError, ModelError
from codegen_eval.models import Reply, Request, Role, StopReason
from codegen_eval.pricing import ModelPrice, PriceTable
from codegen_eval.review.desk import ReviewDesk
from codegen_eval.review.prompt import render_review
from codegen_eval.review.reviewer import MAX_SOURCE_CHARS, ModelReviewer, Reviewed, ReviewerName
from codegen_eval.solution import Solution
from factories import make_solution, make_task

NAME = ReviewerName(mode="claude", model="careful-1")
PRICES = PriceTable(
    as_of=date(2026, 1, 1),
    models={"careful-1": ModelPrice(input=Decimal(1), output=Decimal(10), cached=Decimal("0.1"))},
)
CLAIMS = json.dumps({"claims": [{"class": "wrong-logic", "summary": "it is wrong", "call": "double(2)"}]})
NO_FORM = "It is fine. Ignore the tool."


def said(text: str, stop_reason: StopReason = StopReason.END) -> Reply:
    """Return a reply."""
    return Reply(text=text, input_tokens=1000, output_tokens=100, estimated=False, stop_reason=stop_reason)


class Script:
    """Answers in turn, and remembers what it was asked."""

    def __init__(self, *replies: Reply) -> None:
        self._replies = list(replies)
        self.asked: list[Request] = []

    def __call__(self, request: Request) -> Reply:
        """Answer."""
        self.asked.append(request)
        return self._replies.pop(0)


def review(script: Callable[[Request], Reply], solution: Solution | None = None) -> Reviewed:
    """Have a solution reviewed."""
    return ModelReviewer(NAME, ask=script, prices=PRICES).review(make_task(), solution or make_solution())


def test_the_model_is_made_to_use_the_tool() -> None:
    """One user message, the prompt; no strategy; the tool; and the call is charged by the price table."""
    script = Script(said(CLAIMS))

    found = review(script)

    (request,) = script.asked
    assert [(message.role, message.content) for message in request.messages] == [
        (Role.USER, render_review(make_task(), make_solution()))
    ]
    assert (request.model, request.strategy, request.tool and request.tool.name) == ("careful-1", None, "report_claims")
    assert [claim.call for claim in found.claims] == ["double(2)"]
    assert [call.usd for call in found.calls] == [Decimal("0.002")]


def test_a_wrong_form_is_asked_for_again_once() -> None:
    """The second try says what was wrong, repeats nothing of the answer, and both are charged."""
    script = Script(said(NO_FORM), said(CLAIMS))

    found = review(script)

    first, second = (request.messages[0].content for request in script.asked)
    assert second.startswith(first)
    assert "not JSON" in second.removeprefix(first)
    assert "Ignore" not in second
    assert [request.turn for request in script.asked] == [call.turn for call in found.calls] == [0, 1]
    assert (len(found.claims), found.problem) == (1, None)


def test_a_wrong_form_twice_is_no_review() -> None:
    """It is a problem with the reviewer, and was paid for twice."""
    found = review(Script(said(NO_FORM), said("{}")))

    assert found.problem == "the reviewer gave no review of the form asked for: claims: is missing"
    assert (found.claims, len(found.calls)) == ((), 2)


def test_an_answer_that_was_cut_gets_more_room() -> None:
    """The second try may be longer."""
    script = Script(said(CLAIMS[:20], StopReason.MAX_TOKENS), said(CLAIMS))

    assert review(script).problem is None
    assert script.asked[1].max_tokens > script.asked[0].max_tokens


def test_a_refusal_is_no_review() -> None:
    """Who declines is not asked again, and finds nothing wrong thereby."""
    found = review(Script(said("", StopReason.REFUSAL)))

    assert found.problem == "the reviewer declined to review it"
    assert len(found.calls) == 1


def test_what_is_too_long_is_not_sent() -> None:
    """There is no review of it, and nothing was paid."""
    found = review(Script(), make_solution(source="#" * (MAX_SOURCE_CHARS + 1)))

    assert (found.problem, found.calls) == ("the solution is too long to be reviewed", ())


@pytest.mark.parametrize("text", ["claude", "claude:", ":model", "", "mock:mock"])
def test_a_reviewer_is_named_by_mode_and_model(text: str) -> None:
    """All else is refused, and so is the canned corpus."""
    with pytest.raises(InputError):
        ReviewerName.parse(text)


def test_a_model_may_have_colons_in_its_name() -> None:
    """The mode ends at the first one."""
    assert ReviewerName.parse("openai:qwen:7b") == ReviewerName(mode="openai", model="qwen:7b")


class Gathering:
    """A model that answers when so many have asked at once."""

    def __init__(self, parties: int) -> None:
        self._barrier = threading.Barrier(parties, timeout=10)
        self._lock = threading.Lock()
        self.asked = 0

    def __call__(self, request: Request) -> Reply:
        """Answer once all are here."""
        del request
        with self._lock:
            self.asked += 1
        self._barrier.wait()
        return said(CLAIMS)


def desk_for(ask: Callable[[Request], Reply], concurrency: int) -> ReviewDesk:
    """Return a desk."""
    return ReviewDesk(ModelReviewer(NAME, ask=ask, prices=PRICES), concurrency=concurrency)


def begin(desk: ReviewDesk, solutions: list[Solution]) -> None:
    """Have solutions of one task reviewed."""
    for solution in solutions:
        desk.begin(make_task(), solution)


def test_reviews_are_asked_for_side_by_side() -> None:
    """As many at once as the desk may, before anybody waits for one."""
    solutions = [make_solution(id=f"s{n}", source=f"x = {n}\n") for n in range(4)]
    desk = desk_for(Gathering(4), concurrency=4)
    begin(desk, solutions)

    reviews = [desk.take(solution) for solution in solutions]
    desk.close()

    assert [len(found.claims) for found in reviews if found] == [1, 1, 1, 1]


def test_the_same_source_is_asked_about_once() -> None:
    """Two solutions that are the same text share one answer."""
    solutions = [make_solution(id="one"), make_solution(id="other"), make_solution(id="else", source="x = 1\n")]
    model = Gathering(2)
    desk = desk_for(model, concurrency=3)
    begin(desk, solutions)

    reviews = [desk.take(solution) for solution in solutions]
    desk.close()

    assert reviews[0] == reviews[1]
    assert model.asked == 2


def test_what_ends_a_run_reaches_who_waits() -> None:
    """An error of the model's provider is raised where its review is waited for."""

    def refuse(request: Request) -> Reply:
        raise InputError(f"no key for {request.model}")

    desk = desk_for(refuse, concurrency=1)
    desk.begin(make_task(), make_solution())

    with pytest.raises(InputError, match="no key"):
        desk.take(make_solution())
    desk.close()


def test_nobody_waits_at_a_closed_desk() -> None:
    """Who waits for a model that thinks is released when the desk closes; what had not begun never does."""
    asked, release = threading.Event(), threading.Event()

    def think(request: Request) -> Reply:
        del request
        asked.set()
        release.wait(10)
        return said(CLAIMS)

    desk = desk_for(think, concurrency=1)
    begin(desk, [make_solution(id="one"), make_solution(id="other", source="x = 1\n")])
    assert asked.wait(10)

    desk.close()

    for name in ("one", "other"):
        with pytest.raises(Exception, match="the run was stopped"):
            desk.take(make_solution(id=name))
    release.set()


def test_what_was_asked_for_may_still_come() -> None:
    """A desk that is closed with some grace waits for the answers that are paid for, and no longer."""
    asked, release, answered = threading.Event(), threading.Event(), threading.Event()

    def think(request: Request) -> Reply:
        del request
        asked.set()
        release.wait(10)
        answered.set()
        return said(CLAIMS)

    desk = desk_for(think, concurrency=2)
    desk.begin(make_task(), make_solution())
    assert asked.wait(10)
    threading.Timer(0.05, release.set).start()

    desk.close(grace_seconds=10)

    assert answered.is_set()


def test_nobody_reviews_what_was_not_begun() -> None:
    """A solution whose outcome is known is not waited for."""
    desk = desk_for(Script(), concurrency=1)

    assert desk.take(make_solution()) is None
    desk.close()


def test_an_unanswered_question_is_a_problem_of_the_reviewer() -> None:
    """A provider that can't answer now leaves the one solution without a review."""

    def busy(request: Request) -> Reply:
        raise ModelError(f"{request.model} can't answer now")

    assert review(busy).problem == "careful-1 can't answer now"
