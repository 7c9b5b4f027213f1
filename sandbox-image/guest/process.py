"""Facts about the processes and the control group of this sandbox."""

from __future__ import annotations

import os

_PAGE = os.sysconf("SC_PAGE_SIZE")
_TICK_NS = 1_000_000_000 // os.sysconf("SC_CLK_TCK")


def read_text(path: str) -> str:
    """Return a small file's text, empty where it can't be read."""
    try:
        fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return ""
    try:
        return os.read(fd, 65536).decode("ascii", "replace")
    except OSError:
        return ""
    finally:
        os.close(fd)


def _number_after(text: str, key: str) -> int | None:
    """Return the number on the line that starts with `key`."""
    for line in text.splitlines():
        words = line.split()
        if len(words) > 1 and words[0] == key and words[1].isdigit():
            return int(words[1])
    return None


def prefer_for_oom() -> None:
    """Have the kernel end this process first when memory runs out."""
    try:
        fd = os.open("/proc/self/oom_score_adj", os.O_WRONLY | os.O_CLOEXEC)
        os.write(fd, b"1000")
    except OSError:
        return  # the kernel then picks by size, which is the worker as a rule
    os.close(fd)


class Group:
    """What this control group has used so far, from files that are opened once."""

    def __init__(self, root: str = "/sys/fs/cgroup") -> None:
        self._usage_key, self._usage = _first(
            ("usage_usec", f"{root}/cpu.stat"),
            ("", f"{root}/cpuacct/cpuacct.usage"),
            ("", f"{root}/cpu,cpuacct/cpuacct.usage"),
        )
        _, self._events = _first(
            ("oom_kill", f"{root}/memory.events"),
            ("oom_kill", f"{root}/memory/memory.oom_control"),
        )

    def cpu_ns(self) -> int | None:
        """Return the CPU time of the group, None where it can't be told."""
        text = _reread(self._usage)
        if self._usage_key:
            usage = _number_after(text, self._usage_key)
            return None if usage is None else usage * 1000
        text = text.strip()
        return int(text) if text.isdigit() else None

    def oom_kills(self) -> int:
        """Return how many processes of the group the kernel killed for memory."""
        return _number_after(_reread(self._events), "oom_kill") or 0


def _first(*files: tuple[str, str]) -> tuple[str, int]:
    """Open the first of some files that is there and has its key; return the key and the descriptor, or -1."""
    for key, path in files:
        try:
            fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
        except OSError:
            continue
        if not key or _number_after(_reread(fd), key) is not None:
            return key, fd
        os.close(fd)
    return "", -1


def _reread(fd: int) -> str:
    """Return the text of an open file of the kernel's, from its start."""
    try:
        return os.pread(fd, 4096, 0).decode("ascii", "replace")
    except OSError:
        return ""


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


def runs(pid: int) -> bool:
    """Say whether a process is there, and more than what its parent has not collected yet.

    Its first thread may have ended while others go on.
    """
    stats = (read_text(f"/proc/{pid}/task/{task}/stat") for task in _listdir(f"/proc/{pid}/task"))
    states = (stat.rpartition(")")[2].split()[:1] for stat in stats)
    return any(state and state[0] not in {"Z", "X"} for state in states)


def threads(pid: int) -> int:
    """Return how many threads a process has, 0 where it is gone."""
    fields = read_text(f"/proc/{pid}/stat").rpartition(")")[2].split()
    return int(fields[17]) if len(fields) > 17 else 0  # noqa: PLR2004 - proc_pid_stat(5)


def resident(pid: int) -> int:
    """Return the bytes of memory that a live process has, pages that it shares included."""
    fields = read_text(f"/proc/{pid}/statm").split()
    return int(fields[1]) * _PAGE if len(fields) > 1 else 0


def proportional(pid: int) -> int:
    """Return the same, with its part only of what is shared; all of it for a process that lets nobody look."""
    told = _number_after(read_text(f"/proc/{pid}/smaps_rollup"), "Pss:")
    return resident(pid) if told is None else told * 1024


def parent(pid: int) -> int:
    """Return the parent of a process, 0 where it can't be told."""
    fields = read_text(f"/proc/{pid}/stat").rpartition(")")[2].split()
    return int(fields[1]) if len(fields) > 1 else 0
