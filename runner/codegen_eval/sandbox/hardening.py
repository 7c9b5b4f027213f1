"""Policy: every option that a sandbox's container is created with, one reason per line.

The names are docker-py's, so that one table serves the low-level client, its high-level one and testcontainers.
Memory, labels, runtime and the seccomp profile come from the run; the functions add them.
Everything here is pure; `docker.py` does the talking.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TypeAlias

OptionValue: TypeAlias = bool | int | str | tuple[str, ...] | Mapping[str, str] | Mapping[str, int]
"""What an option may be set to."""
Argument: TypeAlias = bool | int | str | list[str] | list[dict[str, str | int]] | dict[str, str] | dict[str, object]
"""What docker-py takes."""
Arguments: TypeAlias = dict[str, Argument]

UID = 65532
"""The user inside. Not 0, and not 65534, which user namespaces use for ids they can't map."""
WORKDIR = "/tmp/work"  # noqa: S108 - a path of the sandbox's own tmpfs; the guest makes it
LABEL_RUN = "dev.evalrun.run"
"""Label: the id of the run that a container belongs to."""
LABEL_OWNER = "dev.evalrun.owner"
"""Label: the process that a container belongs to, as `host:pid:starttime`."""
LABEL_PROVIDER = "dev.evalrun.provider"
"""Label: the provider object that made a container; several may share a run."""
SHARED_MEMORY_MIB = 8
MINIMUM_MEMORY_MIB = 32
"""Below this the guest itself does not come up."""


class Part(StrEnum):
    """Where an option goes."""

    CONTAINER = "container"
    """An argument of docker-py's `create_container`."""
    HOST = "host"
    """An argument of docker-py's `create_host_config`."""


@dataclass(frozen=True, slots=True)
class Option:
    """One option and why it is as it is."""

    part: Part
    name: str
    value: OptionValue
    reason: str


_C, _H = Part.CONTAINER, Part.HOST

# fmt: off
TABLE: tuple[Option, ...] = (
    # who it is
    Option(_C, "user", f"{UID}:{UID}", "no root, and numeric: nothing is looked up in the image"),
    Option(_H, "cap_drop", ("ALL",), "the default set still has NET_RAW, MKNOD, SETUID, DAC_OVERRIDE and SYS_CHROOT"),
    Option(_H, "privileged", False, "would undo all of this"),
    Option(_H, "security_opt", ("no-new-privileges:true",), "setuid programs give nothing; seccomp can be stacked"),
    # what it reaches
    Option(_H, "network_mode", "none", "only a loopback; abstract unix sockets are cut as well"),
    Option(_C, "network_disabled", True, "the engine then skips two processes of its own: half the start-up"),
    Option(_C, "hostname", "sandbox", "the default is a random id, which would show in results"),
    Option(_H, "ipc_mode", "private", "no System V or POSIX objects of others"),
    Option(_H, "cgroupns", "private", "the default with cgroup v1 shows paths of the host"),
    # what it writes
    Option(_H, "read_only", True, "nothing is written outside the tmpfs"),
    Option(_H, "tmpfs", {"/tmp": "rw,noexec,nosuid,nodev,size=32m,mode=1777,nr_inodes=4096"}, "small, counted as memory, runs no programs"),  # noqa: S108, E501 - the sandbox's own; one line per option
    Option(_C, "working_dir", "/tmp", "the one folder it can write to"),  # noqa: S108 - the sandbox's own
    Option(_H, "shm_size", f"{SHARED_MEMORY_MIB}m", "the default of 64m is one more tmpfs counted as memory"),
    Option(_H, "log_config", {"type": "none"}, "a log driver would write what it prints to the engine's disk"),
    # what it uses
    Option(_H, "pids_limit", 64, "a fork bomb ends here; threads count"),
    Option(_H, "nano_cpus", 1_000_000_000, "one core: threads don't buy a solution time"),
    Option(_H, "ulimits", {"nofile": 256, "core": 0, "fsize": 32 << 20, "memlock": 64 << 10, "msgqueue": 0}, "descriptors, core files, file size, locked pages, POSIX queues"),  # noqa: E501 - one line per option
    # how it lives and ends
    Option(_C, "stdin_open", True, "the host speaks to the guest on it; its end ends the guest"),
    Option(_C, "tty", False, "a terminal would merge the streams and allow input to be injected"),
    Option(_H, "init", False, "the guest itself is process 1: nothing inside can kill it"),
    Option(_H, "restart_policy", {"Name": "no"}, "each is used once"),
    Option(_H, "auto_remove", True, "the engine removes it even when we were killed"),
    Option(_C, "stop_timeout", 0, "there is nothing to save"),
    Option(_C, "environment", {
        "HOME": "/",                  # the same for every user inside
        "LANG": "C.UTF-8",            # text is UTF-8 whatever the image says
        "PYTHONHASHSEED": "0",        # the order of sets repeats
        "TZ": "UTC",                  # so do local times
        "OMP_NUM_THREADS": "1",       # numeric libraries start a thread for each core, and threads count as pids
        "OPENBLAS_NUM_THREADS": "1",
        "MKL_NUM_THREADS": "1",
        "NUMEXPR_NUM_THREADS": "1",
    }, "nothing of the host's environment"),
)
# fmt: on


@dataclass(frozen=True, slots=True, kw_only=True)
class Weakening:
    """What is left out of a sandbox to show that an attack works where a limit is off. Never for a run."""

    options: Mapping[str, OptionValue | None] = field(default_factory=dict)
    """Options of the table that are set to something else, None leaves one out; or more options of the host config."""
    seccomp: bool = False
    """The engine's filter is left out."""
    memory: bool = False
    """The memory cap is left out, and that of swap with it."""
    swap: bool = False
    """The cap of memory and swap together is left out."""
    guest: frozenset[str] = frozenset()
    """Fences that workers go without: see `fence.FENCES` in the guest."""


NOTHING = Weakening()
_UNLOCKED = "systempaths=unconfined"


def container_arguments(labels: Mapping[str, str], *, weakening: Weakening = NOTHING) -> Arguments:
    """Return the arguments of `create_container`, its host config aside."""
    arguments = _part(Part.CONTAINER, weakening) | {"labels": dict(labels)}
    if weakening.guest:
        arguments["command"] = ["--without", ",".join(sorted(weakening.guest))]
    return arguments


def host_arguments(*, memory_mib: int, seccomp: str, runtime: str | None, weakening: Weakening = NOTHING) -> Arguments:
    """Return the arguments of `create_host_config`.

    `seccomp` is the profile itself as JSON, not a path: the engine may be on another machine.

    Raises:
        ValueError: `memory_mib` is below what the guest needs.
    """
    if memory_mib < MINIMUM_MEMORY_MIB:
        msg = f"a sandbox needs at least {MINIMUM_MEMORY_MIB} MiB, not {memory_mib}"
        raise ValueError(msg)
    arguments = _part(Part.HOST, weakening)
    if not weakening.memory:
        arguments["mem_limit"] = f"{memory_mib}m"  # a memory bomb ends here
        # equal: no swap on top
        arguments["memswap_limit"] = -1 if weakening.swap else f"{memory_mib}m"
    security = arguments.get("security_opt", [])
    profile = "unconfined" if weakening.seccomp else seccomp  # only the calls that Python needs
    arguments["security_opt"] = [*(security if isinstance(security, list) else []), f"seccomp={profile}"]
    if runtime is not None:
        arguments["runtime"] = runtime
    return arguments


def with_paths(config: Mapping[str, object]) -> Mapping[str, object]:
    """Return a host config as the engine takes it: `systempaths=unconfined` is a word for clients, and undone by them.

    No sandbox says it; a control does, to show the kernel's settings as they would be without the engine's locks.
    """
    security = config.get("SecurityOpt")
    if not isinstance(security, list) or _UNLOCKED not in security:
        return config
    rest = [each for each in security if each != _UNLOCKED]
    return {**config, "SecurityOpt": rest, "MaskedPaths": [], "ReadonlyPaths": []}


def _part(part: Part, weakening: Weakening) -> Arguments:
    """Return the table's arguments of one part."""
    values = {option.name: option.value for option in TABLE if option.part is part}
    elsewhere = {option.name for option in TABLE if option.part is not part}
    changed = {name: value for name, value in weakening.options.items() if name not in elsewhere}
    more = changed if part is Part.HOST else {name: value for name, value in changed.items() if name in values}
    return {name: _argument(name, value) for name, value in {**values, **more}.items() if value is not None}


def _argument(name: str, value: OptionValue) -> Argument:
    """Return a fresh value that docker-py takes for this option."""
    if name == "ulimits" and isinstance(value, Mapping):
        return [{"Name": each, "Soft": limit, "Hard": limit} for each, limit in value.items()]
    if isinstance(value, tuple):
        return list(value)
    if isinstance(value, Mapping):
        return dict(value)
    return value
