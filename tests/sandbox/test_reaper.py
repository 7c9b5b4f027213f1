"""Laws of removing what dead runs left behind."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from codegen_eval.errors import SandboxUnavailableError
from codegen_eval.sandbox.engine import Listed
from codegen_eval.sandbox.hardening import LABEL_OWNER
from codegen_eval.sandbox.reaper import Owner, host_id, reap


class FakeEngine:
    """An engine that holds one container for each owner label."""

    def __init__(self, *owners: str, broken: bool = False, removing: bool = False) -> None:
        self.owners = dict(enumerate(owners))
        self.broken = broken
        self.removing = removing

    def containers(self, label: str) -> tuple[Listed, ...]:
        """List all of them."""
        return tuple(
            Listed(id=str(number), labels={label: owner}, removing=self.removing)
            for number, owner in self.owners.items()
        )

    def remove(self, container: str) -> bool:
        """Remove one, unless broken."""
        if self.broken:
            raise SandboxUnavailableError("no engine")
        del self.owners[int(container)]
        return True


@pytest.fixture
def child() -> Iterator[subprocess.Popen[bytes]]:
    """Start a live process that waits for its standard input."""
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as process:
        yield process
        process.kill()


def test_only_the_dead_are_reaped(child: subprocess.Popen[bytes]) -> None:
    """A container stays while its owner lives and goes once its owner was killed."""
    engine = FakeEngine(str(Owner.of(child.pid)), str(Owner.of(os.getpid())))
    while_alive = reap(engine)
    child.kill()
    child.wait()
    after_death = reap(engine)

    assert while_alive == ()
    assert after_death == ("0",)
    assert list(engine.owners) == [1]


def test_what_the_engine_is_removing_is_left_to_it(child: subprocess.Popen[bytes]) -> None:
    """A container of a dead run that is being removed already is neither removed nor counted."""
    engine = FakeEngine(str(Owner.of(child.pid)), removing=True)
    child.kill()
    child.wait()

    assert reap(engine) == ()
    assert list(engine.owners) == [0]


def test_a_zombie_is_dead(child: subprocess.Popen[bytes]) -> None:
    """A process that was killed and not yet waited for is dead."""
    owner = Owner.of(child.pid)
    child.kill()
    os.waitid(os.P_PID, child.pid, os.WEXITED | os.WNOWAIT)

    assert owner.dead


def test_a_reused_pid_is_another_process() -> None:
    """A live process with the pid of the owner, started at another time, does not keep a container."""
    now = Owner.of(os.getpid())

    assert not now.dead
    assert Owner(host=now.host, pid=now.pid, started="1").dead


def test_other_hosts_are_left_alone(child: subprocess.Popen[bytes]) -> None:
    """What another machine, boot or pid namespace owns is never removed, as its life can't be told here."""
    child.kill()
    child.wait()
    engine = FakeEngine(f"{'0' * 16}:{child.pid}:1")

    assert reap(engine) == ()


@given(st.text())
def test_strange_labels_are_left_alone(label: str) -> None:
    """A label that we did not write, whatever it says, removes nothing."""
    assert reap(FakeEngine(label)) == ()


@given(st.integers(1, 2**22), st.integers(0, 2**63))
def test_labels_read_back(pid: int, ticks: int) -> None:
    """A label says which process it means."""
    owner = Owner(host=host_id(), pid=pid, started=f"{ticks:x}")

    assert Owner.parse(str(owner)) == owner


def test_one_that_stays_does_not_stop_the_run(child: subprocess.Popen[bytes]) -> None:
    """A container that can't be removed is left for the next run."""
    owner = str(Owner.of(child.pid))
    child.kill()
    child.wait()

    assert reap(FakeEngine(owner, broken=True)) == ()


def test_the_label_is_the_one_that_is_searched() -> None:
    """Reaping looks for the label that containers are created with."""
    assert LABEL_OWNER == "dev.evalrun.owner"
