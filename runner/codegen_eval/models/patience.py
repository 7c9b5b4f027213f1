"""The policy of all calls: deadlines, retries with growing waits, fewer calls at once on overload, strict answers.

What comes out is a whole `Reply` or an exception; half an answer is neither kept nor shown.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from random import Random

import structlog

from codegen_eval.errors import ModelUnavailableError
from codegen_eval.events import Event
from codegen_eval.models import Lost, Reply, Request, StopReason
from codegen_eval.models.concurrency import AdaptiveLimit
from codegen_eval.models.endpoint import Answer, Endpoint
from codegen_eval.models.fault import asked
from codegen_eval.tokens import estimate_message_tokens, estimate_tokens

CALL_SECONDS = 600.0
"""For one attempt, unless told otherwise."""
_TOTAL_SECONDS = 1800.0
_LEAST_CALLS = 3
"""Attempts that fit into the time for all of them, however long one may take."""
MAX_REPLY_CHARS = 2_000_000
"""Of a longer reply nothing is kept."""

_UNFINISHED = frozenset({StopReason.MAX_TOKENS, StopReason.REFUSAL})
"""A reply that stopped so may be empty, or may lack the tool's call."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Policy:
    """How long a call may take, and how often it is tried."""

    attempts: int = 8
    """Of one call, the first included."""
    answers: int = 3
    """Attempts that may come back whole and yet of no use, as empty ones: each of them is paid for."""
    call: timedelta = timedelta(seconds=CALL_SECONDS)
    """For one attempt, from the connection to the last byte."""
    total: timedelta = timedelta(seconds=_TOTAL_SECONDS)
    """For all attempts and the waits between them, without waits for a place among the calls that are open at once."""
    first_wait: timedelta = timedelta(seconds=1)
    """Before the second attempt, at most; each further one waits up to twice as long."""
    longest_wait: timedelta = timedelta(seconds=60)
    """Where the provider does not ask for more."""

    @classmethod
    def with_call(cls, seconds: float) -> Policy:
        """Return the usual policy with this time for one attempt, and no less than three times that for all."""
        call = timedelta(seconds=seconds)
        return cls(call=call, total=max(timedelta(seconds=_TOTAL_SECONDS), _LEAST_CALLS * call))


class PatientModel:
    """A `Model` made of an `Endpoint` and a policy.

    `sleep` may be an event's `wait`, so that a run that is stopped need not sit out a long wait.
    """

    def __init__(
        self,
        endpoint: Endpoint,
        *,
        policy: Policy | None = None,
        limit: AdaptiveLimit,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], object] = time.sleep,
        random: Random | None = None,
    ) -> None:
        self._endpoint = endpoint
        self._policy = policy or Policy()
        self._limit = limit
        self._clock = clock
        self._sleep = sleep
        self._random = random or Random()  # noqa: S311 - spreads waits, guards nothing

    @property
    def provider(self) -> str:
        """The endpoint's."""
        return self._endpoint.provider

    @property
    def address(self) -> str | None:
        """The endpoint's."""
        return self._endpoint.address

    def complete(self, request: Request) -> Reply:
        """Answer one request.

        Raises:
            ModelAccessError, ModelRequestError: no call like this one will be answered.
            ModelUnavailableError: no answer could be had in the time and the attempts that the policy gives.
        """
        total = self._policy.total.total_seconds()
        spent = 0.0
        useless = 0
        lost: list[Lost] = []
        attempt = 1
        while True:
            with self._limit.slot() as epoch:
                start = self._clock()
                try:
                    answer = self._endpoint.ask(request, seconds=min(total - spent, self._policy.call.total_seconds()))
                    self._limit.answered()
                    useless += 1
                    lost += _counted(answer)
                    reply = judge(answer, request, last=useless >= self._policy.answers)
                    return reply.model_copy(update={"lost": tuple(lost[:-1] if _counted(answer) else lost)})
                except ModelUnavailableError as exc:
                    failure = exc
                    if exc.overloaded:
                        self._limit.overloaded(epoch)
            wait = self._wait(attempt, failure.retry_after)
            spent += self._clock() - start + wait
            late = spent >= total
            if attempt >= self._policy.attempts or useless >= self._policy.answers or late:
                raise _given_up(request, failure, attempt, wait if late else None) from failure
            structlog.get_logger().warning(
                Event.CALL_FAILED, provider=self.provider, attempt=attempt, wait=round(wait, 1), error=failure.message
            )
            self._sleep(wait)
            attempt += 1

    def _wait(self, attempt: int, asked: timedelta | None) -> float:
        """Return a random wait between half and all of the grown one, and never less than the provider asks for."""
        grown = min(self._policy.longest_wait, self._policy.first_wait * (1 << min(attempt - 1, 20))).total_seconds()
        wait = grown * self._random.uniform(0.5, 1)
        return wait if asked is None else asked.total_seconds() + wait / 10


def judge(answer: Answer, request: Request, *, last: bool = False) -> Reply:
    """Return the reply that an answer is. The last attempt's may be empty: it is what the model has to say.

    Raises:
        ModelUnavailableError: it is empty, or too long. Whether it has the form of the tool, who asked must look: an
            answer in another form was paid for like any other.
    """
    body = answer.text
    if request.tool is not None:
        body = answer.text if answer.arguments is None else answer.arguments
    if len(body) > MAX_REPLY_CHARS:
        raise ModelUnavailableError(f"the reply is longer than {MAX_REPLY_CHARS} characters")
    if not (body.strip() or last) and answer.stop not in _UNFINISHED:
        raise ModelUnavailableError("the reply is empty")
    counted = answer.input_tokens is not None and answer.output_tokens is not None
    asked = estimate_message_tokens(message.content for message in request.messages)
    return Reply(
        text=body,
        input_tokens=answer.input_tokens if answer.input_tokens is not None else asked,
        output_tokens=answer.output_tokens if answer.output_tokens is not None else estimate_tokens(body),
        cached_tokens=answer.cached_tokens if answer.input_tokens is not None else 0,
        estimated=not counted,
        stop_reason=answer.stop,
    )


def _counted(answer: Answer) -> list[Lost]:
    """Return the provider's counts of an answer, if there are some."""
    if answer.input_tokens is None or answer.output_tokens is None:
        return []
    counts = (answer.input_tokens, answer.output_tokens, answer.cached_tokens)
    return [Lost(input_tokens=counts[0], output_tokens=counts[1], cached_tokens=counts[2])]


def _given_up(request: Request, exc: ModelUnavailableError, attempts: int, wait: float | None) -> ModelUnavailableError:
    times = "attempt" if attempts == 1 else "attempts"
    late = "" if wait is None else f"; the next one would have to wait {wait:.0f} s, which is too long"
    return ModelUnavailableError(
        f"{exc.message} ({asked(request)}, after {attempts} {times}{late})",
        hint=exc.hint or "what was answered is kept",
        overloaded=exc.overloaded,
        retry_after=exc.retry_after,
    )
