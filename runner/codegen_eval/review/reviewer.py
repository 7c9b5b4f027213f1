"""Ask an independent model for a review, and ask again where its answer hasn't the form of one.

Two solutions with the same source have the same prompt, so they share one review, which is paid for once.
"""

from __future__ import annotations

import hashlib
import threading
from concurrent.futures import Future
from typing import Protocol

from codegen_eval.errors import InputError, ModelError
from codegen_eval.frozen import Frozen
from codegen_eval.models import Message, Reply, Request, Role, StopReason
from codegen_eval.pricing import PriceTable
from codegen_eval.review.claim import Claim, NotAReviewError, read_review, review_tool
from codegen_eval.review.prompt import render_correction, render_review
from codegen_eval.solution import Call, Solution
from codegen_eval.task import Task

MAX_SOURCE_CHARS = 100_000
"""A longer solution is not sent to a reviewer."""
_MAX_TOKENS = 4096
_MAX_TOKENS_AGAIN = 8192
"""A second try may have been needed because the first was cut."""
_TURNS = 2


class ReviewerName(Frozen):
    """Which model reviews."""

    mode: str
    model: str

    @classmethod
    def parse(cls, text: str) -> ReviewerName:
        """Read `MODE:MODEL`; the model's own name may hold colons.

        Raises:
            InputError: it is not of this form, or names the canned corpus.
        """
        mode, colon, model = text.partition(":")
        if not colon or not mode or not model:
            raise InputError(f"`{text}` is not a reviewer", hint="give `--reviewer MODE:MODEL`, for example `claude:…`")
        if mode == "mock":
            raise InputError("the canned corpus holds no reviews", hint="give `--reviewer` a real model")
        return cls(mode=mode, model=model)

    def __str__(self) -> str:
        return f"{self.mode}:{self.model}"

    def is_model(self, name: str) -> bool:
        """Say whether it goes by this name, too: some providers add a vendor, a region or a date to a model's own."""
        return self.model in name or name in self.model


class Reviewed(Frozen):
    """What came of asking for a review."""

    claims: tuple[Claim, ...] = ()
    left_out: int = 0
    """Claims beyond those that are read."""
    calls: tuple[Call, ...] = ()
    problem: str | None = None
    """Why there is no review; None where there is one."""


class Reviewer(Protocol):
    """A model that reviews. Called from several threads at once."""

    @property
    def identity(self) -> str:
        """What determines its answers beside the prompt; part of the key under which an outcome is kept."""

    def review(self, task: Task, solution: Solution) -> Reviewed:
        """Return what the model claims.

        Raises:
            CodegenEvalError: nobody can be asked any more.
        """


class Ask(Protocol):
    """Where replies come from. Called from several threads at once."""

    def __call__(self, request: Request, /) -> Reply:
        """Answer one request.

        Raises:
            ModelError: no answer can be had.
        """


def review_request(task: Task, model: str, prompt: str, *, turn: int = 0, temperature: float | None = None) -> Request:
    """Return what a reviewer is asked."""
    return Request(
        model=model,
        messages=(Message(role=Role.USER, content=prompt),),
        task=task.id,
        strategy=None,
        turn=turn,
        max_tokens=_MAX_TOKENS_AGAIN if turn else _MAX_TOKENS,
        temperature=temperature,
        tool=review_tool(),
    )


class ModelReviewer:
    """Reviews by one model of a provider."""

    def __init__(self, name: ReviewerName, *, ask: Ask, prices: PriceTable, temperature: float | None = None) -> None:
        self._name = name
        self._ask = ask
        self._prices = prices
        self._temperature = temperature
        self._lock = threading.Lock()
        self._asked: dict[bytes, Future[Reply]] = {}
        """By the digest of what was asked: the same question is not asked twice."""

    @property
    def identity(self) -> str:
        """Provider, model and temperature."""
        return f"{self._name} {self._temperature}"

    def review(self, task: Task, solution: Solution) -> Reviewed:
        """Ask, and ask once more where the answer hasn't the form of a review.

        Where no answer can be had now, that is the problem of this review.

        Raises:
            ModelError: the provider refuses access, or what is asked of it.
            LedgerError, BudgetExhaustedError: as `ask` does.
        """
        if len(solution.source) > MAX_SOURCE_CHARS:
            return Reviewed(problem="the solution is too long to be reviewed")
        prompt = render_review(task, solution)
        calls: list[Call] = []
        problem = ""
        for turn in range(_TURNS):
            asked = prompt if not turn else render_correction(prompt, problem)
            try:
                reply = self._reply(self._request(task, asked, turn))
            except ModelError as exc:
                if exc.exit_code == InputError.exit_code:
                    raise  # access, or what is asked for, is refused: it will be for all
                return Reviewed(calls=tuple(calls), problem=exc.message)
            calls.append(self._call(turn, reply))
            if reply.stop_reason is StopReason.REFUSAL:
                return Reviewed(calls=tuple(calls), problem="the reviewer declined to review it")
            try:
                review, left_out = read_review(reply.text)
            except NotAReviewError as exc:
                problem = "the answer was cut" if reply.stop_reason is StopReason.MAX_TOKENS else str(exc)
                continue
            return Reviewed(claims=review.claims, left_out=left_out, calls=tuple(calls))
        return Reviewed(calls=tuple(calls), problem=f"the reviewer gave no review of the form asked for: {problem}")

    def _request(self, task: Task, prompt: str, turn: int) -> Request:
        return review_request(task, self._name.model, prompt, turn=turn, temperature=self._temperature)

    def _call(self, turn: int, reply: Reply) -> Call:
        usd = self._prices.cost(
            self._name.model, reply.input_tokens, reply.output_tokens, cached_tokens=reply.cached_tokens
        )
        return Call(
            turn=turn,
            input_tokens=reply.input_tokens,
            output_tokens=reply.output_tokens,
            cached_tokens=reply.cached_tokens,
            estimated=reply.estimated,
            usd=usd,
        )

    def _reply(self, request: Request) -> Reply:
        """Return the answer to a request, waiting for it where another thread has asked; an error is not kept."""
        key = hashlib.sha256(repr((request.messages, request.task, request.turn)).encode()).digest()
        with self._lock:
            known = self._asked.get(key)
            coming = self._asked.setdefault(key, Future())
        if known is not None:
            return known.result()
        try:
            reply = self._ask(request)
        except BaseException as exc:
            with self._lock:
                del self._asked[key]
            coming.set_exception(exc)
            raise
        coming.set_result(reply)
        return reply
