"""Laws of the policy of calls: how long it waits, when it gives up, and how many calls it keeps open."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from random import Random
from threading import Barrier, Thread

import pytest
from hypothesis import given
from hypothesis import strategies as st

from codegen_eval.errors import ModelUnavailableError
from codegen_eval.models.claude import ClaudeEndpoint
from codegen_eval.models.concurrency import AdaptiveLimit
from codegen_eval.models.patience import PatientModel, Policy
from models.talk import FORMATS, connect, make_request
from wires import ANTHROPIC, Asked, Fault, HalfStream, Said, Script, Status, WireServer, in_turn

GOOD = Said(text="def f(): ...")


class Clock:
    """A clock that only waits move."""

    def __init__(self) -> None:
        self.now = 0.0
        self.waits: list[float] = []

    def __call__(self) -> float:
        """Return the time."""
        return self.now

    def sleep(self, seconds: float) -> None:
        """Move it."""
        self.waits.append(seconds)
        self.now += seconds


def patient(server: WireServer, clock: Clock, policy: Policy, *, limit: AdaptiveLimit | None = None) -> PatientModel:
    return PatientModel(
        ClaudeEndpoint(environ=server.environment()),
        policy=policy,
        limit=limit or AdaptiveLimit(4),
        clock=clock,
        sleep=clock.sleep,
        random=Random(1),  # noqa: S311 - waits, not secrets
    )


def waits(script: Script, policy: Policy) -> list[float]:
    """Return the waits between the attempts of a call that is never answered, or at last."""
    clock = Clock()
    with WireServer(ANTHROPIC, script) as server:
        try:
            patient(server, clock, policy).complete(make_request())
        except ModelUnavailableError:
            assert len(server.calls) == len(clock.waits) + 1
    return clock.waits


def test_waits_grow_and_differ() -> None:
    """Each wait is between half and all of a time that doubles, up to the longest; two calls never wait in step."""
    policy = Policy(attempts=7, first_wait=timedelta(seconds=2), longest_wait=timedelta(seconds=20))

    waited = waits(in_turn(Status(500)), policy)

    for wait, full in zip(waited, (2, 4, 8, 16, 20, 20), strict=True):
        assert full / 2 <= wait <= full
    assert waited[-1] != waited[-2]


@pytest.mark.parametrize("mode", sorted(FORMATS))
def test_what_a_provider_asks_to_wait_is_waited(mode: str) -> None:
    """`Retry-After` may be seconds or a date; a past date and nonsense leave our own wait."""
    past = format_datetime(datetime(2020, 1, 1, tzinfo=UTC), usegmt=True)
    soon = format_datetime(datetime.now(UTC) + timedelta(seconds=30), usegmt=True)
    faults = [Status(429, retry_after=value) for value in ("17", "0.5", soon, past, "soon", "-5", "nan", "inf")]
    clock = Clock()
    with WireServer(FORMATS[mode], in_turn(*faults, GOOD)) as server:
        policy = Policy(attempts=20, first_wait=timedelta(seconds=1), longest_wait=timedelta(seconds=1))
        connect(mode, server, policy=policy, sleep=clock.sleep).complete(make_request())

    seconds, fraction, date, *others = clock.waits
    assert 17 <= seconds < 18
    assert 0.5 <= fraction < 1
    assert 20 <= date < 32
    assert len(others) == 5
    assert all(wait <= 1.1 for wait in others)


def test_a_wait_that_is_too_long_is_not_waited() -> None:
    """A provider that asks for more than the whole call may take is an error at once, which says so."""
    clock = Clock()
    script = in_turn(Status(429, retry_after="7200"))
    with WireServer(ANTHROPIC, script) as server, pytest.raises(ModelUnavailableError, match="too long") as caught:
        patient(server, clock, Policy(total=timedelta(hours=1))).complete(make_request())

    assert clock.waits == []
    assert caught.value.retry_after == timedelta(hours=2)
    assert len(server.calls) == 1


def test_all_attempts_together_are_bounded_in_time() -> None:
    policy = Policy(attempts=1000, total=timedelta(seconds=100), longest_wait=timedelta(seconds=10))

    assert sum(waits(in_turn(Status(503)), policy)) < 100


@given(seconds=st.floats(1, 100_000))
def test_several_calls_of_the_longest_fit_into_the_time_for_all(seconds: float) -> None:
    """Who allows long calls gets second attempts, and who wants short ones gets as many as ever."""
    policy = Policy.with_call(seconds)

    assert policy.call == timedelta(seconds=seconds)
    assert policy.total >= max(Policy().total, 3 * policy.call)


def test_an_overload_is_told_from_a_fault() -> None:
    """What is raised at last says whether the provider was overloaded."""
    told: dict[Fault, bool] = {}
    for fault in (Status(429), Status(503), Status(529), Status(500), HalfStream()):
        with WireServer(ANTHROPIC, in_turn(fault)) as server, pytest.raises(ModelUnavailableError) as caught:
            patient(server, Clock(), Policy(attempts=1)).complete(make_request())
        told[fault] = caught.value.overloaded

    assert told == {Status(429): True, Status(503): True, Status(529): True, Status(500): False, HalfStream(): False}


def test_a_limit_halves_once_for_each_burst_and_recovers_slowly() -> None:
    """Calls that were open when it fell don't lower it again; it never falls to none, nor rises over the maximum."""
    limit = AdaptiveLimit(8)
    with limit.slot() as first, limit.slot() as second:
        limit.overloaded(first)
        limit.overloaded(second)
    assert limit.limit == 4

    for _ in range(5):
        with limit.slot() as later:
            limit.overloaded(later)
    assert limit.limit == 1

    limit.answered()
    assert limit.limit == 2
    for _ in range(2):
        limit.answered()
    assert limit.limit == 3
    for _ in range(100):
        limit.answered()
    assert limit.limit == 8


def test_no_more_calls_are_open_than_the_limit() -> None:
    """A call waits for a place, and is let in when one is free."""
    limit = AdaptiveLimit(2)
    inside, order = Barrier(3), list[int]()

    def hold(number: int) -> None:
        with limit.slot():
            order.append(number)
            if number < 2:
                inside.wait()

    first = [Thread(target=hold, args=(number,)) for number in range(2)]
    for thread in first:
        thread.start()
    third = Thread(target=hold, args=(2,))
    third.start()
    assert 2 not in order

    inside.wait()
    for thread in [*first, third]:
        thread.join()
    assert sorted(order) == [0, 1, 2]


def test_fewer_calls_are_open_after_an_overload_and_more_again_later() -> None:
    """Across threads: a provider that takes two at once gets all calls answered, and the limit comes back up."""
    limit = AdaptiveLimit(8)
    lowest: list[int] = []

    def script(asked: Asked) -> Said | Fault:
        lowest.append(limit.limit)
        return Status(429) if asked.number <= 8 else GOOD

    with WireServer(ANTHROPIC, script) as server:
        model = patient(server, Clock(), Policy(attempts=20), limit=limit)
        threads = [Thread(target=model.complete, args=(make_request(),)) for _ in range(40)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

        assert len(server.answered) == 40
    assert min(lowest) <= 4
    assert limit.limit > min(lowest)
    assert server.most_at_once <= 8
