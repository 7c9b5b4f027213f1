"""Laws of starting sandboxes ahead of their use."""

from __future__ import annotations

import math
import threading
from collections.abc import Callable, Iterator

import pytest

from codegen_eval.errors import SandboxLostError, SandboxUnavailableError
from codegen_eval.interfaces import EndReason, Exchange, Sandbox, WorkerEnd, WorkerLimits
from codegen_eval.sandbox.pool import Pool, Prestarted


class FakeSandbox:
    """A sandbox that runs nothing."""

    workdir = "/tmp/work"  # noqa: S108 - never used
    python = "3.11.2"

    def __init__(self) -> None:
        self.closed = False

    @property
    def lost(self) -> bool:
        """Say whether it was closed."""
        return self.closed

    def spawn(self, limits: WorkerLimits) -> None:
        """Do nothing."""

    def exchange(
        self, request: bytes, replies: int, wall_seconds: float, *, total_seconds: float = math.inf
    ) -> Exchange:
        """Answer nothing."""
        raise AssertionError((request, replies, wall_seconds, total_seconds))  # nobody asks

    def end(self) -> WorkerEnd:
        """Say that it is over."""
        return WorkerEnd(reason=EndReason.CLOSED, status=0, cpu_seconds=0)

    def close(self) -> None:
        """Note it."""
        self.closed = True


class Starter:
    """Counts starts; fails those that it was told to."""

    def __init__(self, *failing: int, alive: Callable[[int], bool] = lambda _: True) -> None:
        self.failing = failing
        self.alive = alive
        self.made: list[Sandbox] = []
        self.count = 0
        self.lock = threading.Lock()

    def __call__(self) -> Prestarted:
        """Start, or fail."""
        with self.lock:
            self.count += 1
            number = self.count
            if number in self.failing:
                raise SandboxLostError(f"start {number} failed")
            sandbox = FakeSandbox()
            self.made.append(sandbox)
        return Prestarted(sandbox=sandbox, alive=lambda: self.alive(number))


@pytest.fixture
def pools() -> Iterator[Callable[..., Pool]]:
    """Make pools that are closed at the end."""
    made: list[Pool] = []

    def make(starter: Starter, *, size: int = 2, expected: int | None = None) -> Pool:
        made.append(Pool(starter, size=size, threads=size, expected=expected))
        return made[-1]

    yield make
    for pool in made:
        pool.close(seconds=10)


def test_each_is_used_once(pools: Callable[..., Pool]) -> None:
    """No two opens give the same sandbox."""
    pool = pools(Starter())

    assert len({id(pool.open(seconds=10)) for _ in range(20)}) == 20


def test_a_failure_surfaces_once_and_starts_go_on(pools: Callable[..., Pool]) -> None:
    """A failed start is raised by one open; the next one gets a sandbox."""
    pool = pools(Starter(1), size=1)
    with pytest.raises(SandboxLostError, match="start 1"):
        pool.open(seconds=10)

    assert pool.open(seconds=10).python == "3.11.2"


def test_a_broken_engine_is_not_asked_in_a_loop(pools: Callable[..., Pool]) -> None:
    """Failed starts wait to be collected: at most one for each place in the pool, and one for each open."""
    starter = Starter(*range(1, 1000))
    pool = pools(starter, size=2)
    for _ in range(5):
        with pytest.raises(SandboxLostError):
            pool.open(seconds=10)
    pool.close(seconds=10)

    assert starter.count <= 5 + 2


def test_no_more_than_expected_are_started(pools: Callable[..., Pool]) -> None:
    """A pool that knows how many will be wanted starts no more."""
    starter = Starter()
    pool = pools(starter, size=4, expected=3)
    for _ in range(3):
        pool.open(seconds=10)
    pool.close(seconds=10)

    assert starter.count == 3


def test_more_than_expected_are_started_on_demand(pools: Callable[..., Pool]) -> None:
    """Being wrong about the number wanted costs time and nothing else."""
    pool = pools(Starter(), expected=1)

    assert len({id(pool.open(seconds=10)) for _ in range(3)}) == 3


def test_one_that_died_while_it_waited_is_replaced(pools: Callable[..., Pool]) -> None:
    """A sandbox that was lost before its use is closed and never handed out."""
    starter = Starter(alive=lambda number: number != 1)
    pool = pools(starter, size=1)
    sandbox = pool.open(seconds=10)

    assert sandbox is not starter.made[0]
    assert starter.made[0].lost


def test_who_asks_for_the_python_is_told_although_others_take_every_sandbox(pools: Callable[..., Pool]) -> None:
    """The version is known once a sandbox came up, also to a thread that never saw one waiting."""
    pool = pools(Starter(), size=1, expected=1)
    told: list[str] = []
    asking = threading.Thread(target=lambda: told.append(pool.python(seconds=10)))
    with pool._changed:
        asking.start()
        pool.open(seconds=10)
    asking.join(10)

    assert told == ["3.11.2"]


def test_asking_for_the_python_takes_no_sandbox(pools: Callable[..., Pool]) -> None:
    """The version is told by a sandbox that stays ready."""
    starter = Starter()
    pool = pools(starter, size=1, expected=1)

    assert pool.python(seconds=10) == "3.11.2"
    assert pool.open(seconds=10) is starter.made[0]


def test_close_closes_what_nobody_used(pools: Callable[..., Pool]) -> None:
    """Closing a pool closes what is ready, what is being started, and not what was handed out."""
    starter = Starter()
    pool = pools(starter, size=3)
    taken = pool.open(seconds=10)
    pool.close(seconds=10)

    assert [sandbox for sandbox in starter.made if not sandbox.lost] == [taken]
    with pytest.raises(SandboxUnavailableError, match="closed"):
        pool.open(seconds=10)


def test_a_start_that_hangs_costs_one_deadline(pools: Callable[..., Pool]) -> None:
    """`open` gives up at its deadline, `close` at its own."""
    release = threading.Event()

    class Hanging(Starter):
        def __call__(self) -> Prestarted:
            """Wait for the word."""
            release.wait()
            return super().__call__()

    pool = pools(Hanging(), size=1)
    with pytest.raises(SandboxUnavailableError, match="in time"):
        pool.open(seconds=0.01)
    pool.close(seconds=0.01)
    release.set()
