"""Laws of reading a control group: both versions tell the same facts in files of their own."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from guest_modules import guest_module

_V1_EVENTS = "oom_kill_disable 0\nunder_oom 0\noom_kill {}\n"
_V2_EVENTS = "low 0\nhigh 0\nmax 12\noom 5\noom_kill {}\noom_group_kill 0\n"
LAYOUTS: dict[str, tuple[dict[str, str], dict[str, str]]] = {
    "v1": (
        {"cpuacct/cpuacct.usage": "1500000\n", "memory/memory.oom_control": _V1_EVENTS.format(0)},
        {"cpuacct/cpuacct.usage": "2500000\n", "memory/memory.oom_control": _V1_EVENTS.format(2)},
    ),
    "v1, with cpu and cpuacct together": (
        {"cpu,cpuacct/cpuacct.usage": "1500000\n", "memory/memory.oom_control": _V1_EVENTS.format(0)},
        {"cpu,cpuacct/cpuacct.usage": "2500000\n", "memory/memory.oom_control": _V1_EVENTS.format(2)},
    ),
    "v2": (
        {"cpu.stat": "usage_usec 1500\nuser_usec 9\nsystem_usec 9\n", "memory.events": _V2_EVENTS.format(0)},
        {"cpu.stat": "usage_usec 2500\nuser_usec 9\nsystem_usec 9\n", "memory.events": _V2_EVENTS.format(2)},
    ),
}


def write(root: Path, files: Mapping[str, str]) -> None:
    """Write the files of a control group, in place as the kernel does."""
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "ascii")


@pytest.mark.parametrize("name", LAYOUTS)
def test_both_versions_tell_the_same(tmp_path: Path, name: str) -> None:
    """CPU time in nanoseconds and what the kernel killed for memory, as they are when they are asked for."""
    before, after = LAYOUTS[name]
    write(tmp_path, before)
    group = guest_module("process").Group(str(tmp_path))
    first = (group.cpu_ns(), group.oom_kills())
    write(tmp_path, after)

    assert first == (1_500_000, 0)
    assert (group.cpu_ns(), group.oom_kills()) == (2_500_000, 2)


@pytest.mark.parametrize(
    "files",
    [
        {},
        {"cpu.stat": "nr_periods 0\n", "memory.events": ""},
        {"cpuacct/cpuacct.usage": "", "memory/memory.oom_control": "oom_kill_disable 0\nunder_oom 0\n"},
    ],
    ids=["no control group", "v2 without the controllers", "v1 of an old kernel"],
)
def test_what_is_not_told_is_not_made_up(tmp_path: Path, files: dict[str, str]) -> None:
    """Where the kernel doesn't tell, CPU time is unknown and nothing was killed."""
    write(tmp_path, files)
    group = guest_module("process").Group(str(tmp_path))

    assert group.cpu_ns() is None
    assert group.oom_kills() == 0
