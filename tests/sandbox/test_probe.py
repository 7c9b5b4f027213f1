"""Laws of deciding whether an engine may be used."""

from __future__ import annotations

from dataclasses import replace

import pytest

from codegen_eval.sandbox.engine import Info
from codegen_eval.sandbox.probe import info_hint, info_problem, info_warnings

GOOD = Info(
    version="28.2.2",
    api="1.50",
    architecture="x86_64",
    cgroup="2",
    cgroup_driver="systemd",
    default_runtime="runc",
    runtimes=("runc", "runsc"),
    runc="1.2.8",
    memory_limit=True,
    swap_limit=True,
    pids_limit=True,
    cpu_limit=True,
    seccomp=True,
    rootless=False,
    warnings=(),
)


@pytest.mark.parametrize("runtime", [None, "runc", "runsc"])
def test_a_sound_engine_is_used_without_complaint(runtime: str | None) -> None:
    """An engine that enforces everything has no problem and no warning."""
    assert info_problem(GOOD, runtime) is None
    assert info_warnings(GOOD) == ()


@pytest.mark.parametrize(
    ("info", "word"),
    [
        (replace(GOOD, memory_limit=False), "memory"),
        (replace(GOOD, pids_limit=False), "process"),
        (replace(GOOD, cpu_limit=False), "CPU"),
        (replace(GOOD, runtimes=("runc",)), "runsc"),
    ],
)
def test_an_engine_that_enforces_less_is_refused(info: Info, word: str) -> None:
    """A limit that the engine would ignore, as a rootless one may, or a runtime that it lacks, is a problem."""
    assert word in (info_problem(info, "runsc") or "")


@pytest.mark.parametrize(
    ("info", "word"),
    [
        (replace(GOOD, swap_limit=False), "swap"),
        (replace(GOOD, seccomp=False), "seccomp"),
        (replace(GOOD, version="19.3.1"), "20.10"),
        (replace(GOOD, runc="1.1.5+ds1"), "CVE-2024-21626"),
        (replace(GOOD, warnings=("WARNING: something",)), "something"),
    ],
)
def test_what_is_weaker_is_told_and_used(info: Info, word: str) -> None:
    """What only weakens one of several fences is a warning."""
    assert info_problem(info, None) is None
    assert word in " ".join(info_warnings(info))


def test_an_engine_that_tells_no_version_of_runc_is_not_accused() -> None:
    """Nothing is said of what is not known."""
    assert info_warnings(replace(GOOD, runc="")) == ()


WITHOUT_CGROUPS = replace(
    GOOD,
    version="20.10.24",
    cgroup="1",
    cgroup_driver="none",
    runc="",
    memory_limit=False,
    swap_limit=False,
    pids_limit=False,
    cpu_limit=False,
    rootless=True,
    warnings=("WARNING: Running in rootless-mode without cgroups.",),
)
"""What a rootless engine says of itself where its user was delegated nothing."""


def test_a_rootless_engine_is_used_where_it_was_delegated_the_limits() -> None:
    """Rootless is no fault; without cgroups all limits are named, and what to do about it."""
    assert info_problem(replace(GOOD, rootless=True), None) is None
    problem = info_problem(WITHOUT_CGROUPS, None) or ""
    assert [word in problem for word in ("memory", "process", "CPU")] == [True] * 3
    assert "delegate" in info_hint(WITHOUT_CGROUPS)
    assert "delegate" not in info_hint(replace(WITHOUT_CGROUPS, rootless=False))
    assert "rootless-mode" in " ".join(info_warnings(WITHOUT_CGROUPS))
