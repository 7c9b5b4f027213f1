"""Facts about the processes and the control group of this sandbox."""

from __future__ import annotations

import os

_TICK_NS = 1_000_000_000 // os.sysconf("SC_CLK_TCK")


def read_text(path: str) -> str:
    """Return a small file's text, empty where it can't be read."""
    try:
        with open(path, encoding="ascii", errors="replace") as file:
            return file.read(65536)
    except OSError:
        return ""


def _number_after(text: str, key: str) -> int | None:
    """Return the number on the line that starts with `key`."""
    for line in text.splitlines():
        words = line.split()
        if len(words) > 1 and words[0] == key and words[1].isdigit():
            return int(words[1])
    return None


def group_cpu_ns() -> int | None:
    """Return the CPU time of this control group so far, None where it can't be told."""
    usage = _number_after(read_text("/sys/fs/cgroup/cpu.stat"), "usage_usec")
    if usage is not None:
        return usage * 1000
    for folder in ("cpuacct", "cpu,cpuacct"):
        text = read_text(f"/sys/fs/cgroup/{folder}/cpuacct.usage").strip()
        if text.isdigit():
            return int(text)
    return None


def group_oom_kills() -> int:
    """Return how many processes of this control group the kernel killed for memory."""
    for path in ("/sys/fs/cgroup/memory.events", "/sys/fs/cgroup/memory/memory.oom_control"):
        kills = _number_after(read_text(path), "oom_kill")
        if kills is not None:
            return kills
    return 0


def descendants(root: int) -> list[int]:
    """Return the process ids below `root`, parents before children."""
    found = [root]
    for pid in found:
        for entry in _listdir(f"/proc/{pid}/task"):
            found.extend(int(word) for word in read_text(f"/proc/{pid}/task/{entry}/children").split())
    return found[1:]


def _listdir(path: str) -> list[str]:
    try:
        return os.listdir(path)
    except OSError:
        return []


def cpu_ns(pid: int) -> int:
    """Return the CPU time of a live process and of the children it has waited for."""
    fields = read_text(f"/proc/{pid}/stat").rpartition(")")[2].split()
    return sum(map(int, fields[11:15])) * _TICK_NS if len(fields) > 15 else 0  # noqa: PLR2004 - proc_pid_stat(5)


def parent(pid: int) -> int:
    """Return the parent of a process, 0 where it can't be told."""
    fields = read_text(f"/proc/{pid}/stat").rpartition(")")[2].split()
    return int(fields[1]) if len(fields) > 1 else 0
