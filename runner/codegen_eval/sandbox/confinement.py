"""Policy: every argument that bubblewrap is started with, one reason per line.

Order counts: bubblewrap builds the file system as it reads. Everything here is pure; `bwrap.py` starts the processes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from codegen_eval.sandbox.hardening import NOTHING, SHARED_MEMORY_MIB, TABLE, UID, WORKDIR, Weakening
from codegen_eval.sandbox.interpreter import Interpreter

GUEST = "/opt/guest"
"""Where the guest is, inside."""
MAX_PROCESSES = 64
"""As in a container; threads count."""
TEMPORARY_MIB = 32
_MIB = 1 << 20


@dataclass(frozen=True, slots=True)
class Argument:
    """One argument of bubblewrap with its words, and why it is there."""

    name: str
    words: tuple[str, ...]
    reason: str
    newer: tuple[str, ...] = ()
    """Words in front that an older bubblewrap doesn't know, and goes without."""


# fmt: off
NAMESPACES: tuple[Argument, ...] = (
    # who it is
    Argument("user", ("--unshare-user",), "rights inside are no rights outside; processes are counted apart"),
    Argument("uid", ("--uid", str(UID)), "no root, and no account of this machine"),
    Argument("gid", ("--gid", str(UID)), "the same for the group"),
    Argument("disable_userns", (), "no further ones: a way to much of the kernel", ("--disable-userns",)),
    Argument("cap_drop", ("--cap-drop", "ALL"), "no capability, not even over its own namespaces"),
    # what it reaches
    Argument("net", ("--unshare-net",), "only a loopback; abstract unix sockets are cut as well"),
    Argument("pid", ("--unshare-pid",), "it sees no process but its own"),
    Argument("ipc", ("--unshare-ipc",), "no System V or POSIX objects of others"),
    Argument("uts", ("--unshare-uts",), "for a host name of its own"),
    Argument("hostname", ("--hostname", "sandbox"), "the real one would show in results"),
    Argument("cgroup", ("--unshare-cgroup-try",), "paths of control groups name users and services"),
    # how it lives and ends
    Argument("as_pid_1", ("--as-pid-1",), "the guest itself is process 1: nothing inside can kill it, and with it all ends"),  # noqa: E501 - one line per argument
    Argument("die_with_parent", ("--die-with-parent",), "it ends even where we are killed"),
    Argument("new_session", ("--new-session",), "no terminal of ours to put input into"),
    Argument("clearenv", (), "nothing of the host's environment", ("--clearenv",)),
)
"""Before what is shown of this machine's files."""
FILES: tuple[Argument, ...] = (
    Argument("proc", ("--proc", "/proc"), "of its own processes only"),
    Argument("dev", ("--dev", "/dev"), "null, zero, full, random, urandom, tty, and nothing of the machine's"),
    Argument("shm", ("--tmpfs", "/dev/shm"), "locks of `multiprocessing` live there", ("--size", str(SHARED_MEMORY_MIB * _MIB))),  # noqa: E501, S108 - one line per argument; its own
    Argument("dev_read_only", ("--remount-ro", "/dev"), "no note there for the next worker"),
    Argument("tmp", ("--tmpfs", "/tmp"), "the one folder it can write to, and small: it is memory", ("--size", str(TEMPORARY_MIB * _MIB))),  # noqa: E501, S108 - one line per argument; its own
    Argument("chdir", ("--chdir", "/tmp"), "our folder doesn't exist inside"),  # noqa: S108 - its own
    Argument("root_read_only", ("--remount-ro", "/"), "nothing is written elsewhere"),
)
"""Behind it."""
# fmt: on

ENVIRONMENT: dict[str, str] = next(
    {name: str(text) for name, text in option.value.items()}
    for option in TABLE
    if option.name == "environment" and isinstance(option.value, Mapping)
)
"""The same as in a container."""


def bwrap_arguments(
    python: Interpreter,
    *,
    guest: str,
    memory_mib: int,
    counted_apart: bool,
    knows: Callable[[str], bool],
    weakening: Weakening = NOTHING,
) -> tuple[str, ...]:
    """Return the command behind `bwrap`: its arguments, and what it starts.

    `knows` says whether this bubblewrap has an option. `counted_apart` says whether the kernel can count
    a sandbox's processes, and so limit them.
    """
    words: list[str] = []
    words += _kept(NAMESPACES, knows, weakening)
    if knows("--setenv"):
        for name, text in environment(python).items():
            words += ["--setenv", name, text]
    for path in python.shown:
        words += ["--ro-bind", path, path]
    for path in python.packages:
        words += ["--tmpfs", path, "--remount-ro", path]  # a container has the standard library alone, too
    for path, target in python.links:
        words += ["--symlink", target, path]
    words += ["--ro-bind", guest, GUEST]
    words += _kept(FILES, knows, weakening)
    words += [python.program, "-I", "-S", "-B", "-X", "utf8", GUEST]
    words += ["--workdir", WORKDIR, "--memory-mib", str(memory_mib)]
    words += ["--max-processes" if counted_apart else "--watch-processes", str(MAX_PROCESSES)]
    if weakening.guest:
        words += ["--without", ",".join(sorted(weakening.guest))]
    return tuple(words)


def environment(python: Interpreter) -> dict[str, str]:
    """Return what a guest finds in its environment."""
    return ENVIRONMENT | dict(python.environment)


def _kept(arguments: tuple[Argument, ...], knows: Callable[[str], bool], weakening: Weakening) -> Iterator[str]:
    """Return the words of what no test leaves out."""
    for argument in arguments:
        if argument.name in weakening.options and weakening.options[argument.name] is None:
            continue
        if argument.newer and knows(argument.newer[0]):
            yield from argument.newer
        yield from argument.words
