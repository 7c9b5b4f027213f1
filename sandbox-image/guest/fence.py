"""What a worker puts around itself before it runs a solution: prctl, rlimits, seccomp, Landlock."""

from __future__ import annotations

import _thread
import contextlib
import ctypes
import fcntl
import os
import resource
import struct
import sys
import typing

if typing.TYPE_CHECKING:
    from collections.abc import Iterable

    from limits import Limits

DESCRIPTORS, DUMPABLE, LANDLOCK, RLIMITS, SECCOMP, WATCH, ZEROES = FENCES = (
    *("descriptors", "dumpable", "landlock", "rlimits", "seccomp", "watch", "zeroes"),
)
"""What can be left out, to show that an attack works without it."""

_PR_SET_PDEATHSIG = 1
_PR_SET_DUMPABLE = 4
_PR_SET_SECCOMP = 22
_PR_SET_CHILD_SUBREAPER = 36
_PR_SET_NO_NEW_PRIVS = 38

_EPERM = 1
_ENOSYS = 38

_libc = ctypes.CDLL(None, use_errno=True)


def _prctl(option: int, value: int = 0, extra: object = None) -> bool:
    """Call prctl; say whether it worked."""
    if sys.platform != "linux":
        return False
    zero = ctypes.c_ulong(0)
    return bool(_libc.prctl(option, ctypes.c_ulong(value), zero if extra is None else extra, zero, zero) == 0)


def set_dumpable(dumpable: bool) -> bool:  # noqa: FBT001 - mirrors prctl
    """Let, or forbid, same-uid processes to trace this one and to open its /proc files."""
    return _prctl(_PR_SET_DUMPABLE, int(dumpable))


def become_subreaper() -> bool:
    """Adopt the orphans of all descendants."""
    return _prctl(_PR_SET_CHILD_SUBREAPER, 1)


def die_with_parent() -> bool:
    """Be killed when the parent dies."""
    return _prctl(_PR_SET_PDEATHSIG, 9)


_PR_CAPBSET_DROP = 24
_LAST_CAPABILITY = 63


def narrow_capabilities() -> None:
    """Empty the bounding set, where we may: what is held stays, and no program started from here gets any."""
    for capability in range(_LAST_CAPABILITY + 1):
        if not _prctl(_PR_CAPBSET_DROP, capability):
            return


def shut_devices() -> None:
    """Leave to no worker the devices that a kernel of its own gives a sandbox unasked."""
    for path in ("/dev/fuse", "/dev/net/tun"):
        with contextlib.suppress(OSError):
            os.chmod(path, 0o600)


# --- rlimits --------------------------------------------------------------------------------------------------------

_MIB = 1 << 20
_STACK_BYTES = 2 * _MIB
_M_ARENA_MAX = -8


def set_rlimits(*, cpu_seconds: float, limits: Limits) -> None:
    """Set the per-process limits. They back up the group's limits, and stand for them where there is no group."""
    wanted = [
        (resource.RLIMIT_CORE, 0),  # no core files
        (resource.RLIMIT_CPU, int(cpu_seconds) + 2),  # whole seconds: the supervisor's own measure comes first
        (resource.RLIMIT_FSIZE, 32 * _MIB),  # no file larger than the tmpfs of the container
        (resource.RLIMIT_NOFILE, 256),  # descriptors
    ]
    if limits.memory_mib:
        wanted.append((resource.RLIMIT_AS, limits.memory_mib * _MIB))  # no group caps memory here
        _make_threads_small()
    if limits.max_processes:
        wanted.append((resource.RLIMIT_NPROC, limits.max_processes))  # counted per uid and user namespace
    for which, value in wanted:
        hard = resource.getrlimit(which)[1]
        limit = value if hard == resource.RLIM_INFINITY else min(value, hard)
        try:
            resource.setrlimit(which, (limit, limit))
        except (OSError, ValueError):
            continue  # macOS refuses some of them; the attestation tells which bite


def _make_threads_small() -> None:
    """Have threads ask for no more address space than they need: it is what the rlimit counts."""
    _thread.stack_size(_STACK_BYTES)
    with contextlib.suppress(AttributeError):  # another C library
        _libc.mallopt(_M_ARENA_MAX, 1)  # else 64 MiB for each


# --- seccomp --------------------------------------------------------------------------------------------------------

# name -> (x86_64, aarch64); None where the architecture lacks it. Numbers: the kernel's syscall tables.
_DENIED: dict[str, tuple[int | None, int | None]] = {
    "socket": (41, 198),  # no network, AF_VSOCK or AF_ALG; socketpair stays
    "ptrace": (101, 117),
    "process_vm_readv": (310, 270),
    "process_vm_writev": (311, 271),
    "process_madvise": (440, 440),
    "kcmp": (312, 272),
    "pidfd_getfd": (438, 438),
    "pidfd_send_signal": (424, 424),
    "rt_sigqueueinfo": (129, 138),
    "rt_tgsigqueueinfo": (297, 240),
    "io_uring_setup": (425, 425),
    "io_uring_enter": (426, 426),
    "io_uring_register": (427, 427),
    "bpf": (321, 280),
    "perf_event_open": (298, 241),
    "userfaultfd": (323, 282),
    "add_key": (248, 217),
    "request_key": (249, 218),
    "keyctl": (250, 219),
    "mount": (165, 40),
    "umount2": (166, 39),
    "pivot_root": (155, 41),
    "chroot": (161, 51),
    "unshare": (272, 97),
    "setns": (308, 268),
    "open_tree": (428, 428),
    "move_mount": (429, 429),
    "fsopen": (430, 430),
    "fsconfig": (431, 431),
    "fsmount": (432, 432),
    "fspick": (433, 433),
    "mount_setattr": (442, 442),
    "open_by_handle_at": (304, 265),
    "name_to_handle_at": (303, 264),
    "memfd_create": (319, 279),  # would run a program in spite of noexec
    "memfd_secret": (447, 447),
    "execveat": (322, 281),
    "init_module": (175, 105),
    "finit_module": (313, 273),
    "delete_module": (176, 106),
    "kexec_load": (246, 104),
    "kexec_file_load": (320, 294),
    "reboot": (169, 142),
    "swapon": (167, 224),
    "swapoff": (168, 225),
    "acct": (163, 89),
    "quotactl": (179, 60),
    "settimeofday": (164, 170),
    "clock_settime": (227, 112),
    "adjtimex": (159, 171),
    "clock_adjtime": (305, 266),
    "syslog": (103, 116),
    "lookup_dcookie": (212, 18),
    "personality": (135, 92),
    "vhangup": (153, 58),
    "nfsservctl": (180, 42),
    "iopl": (172, None),
    "ioperm": (173, None),
    "modify_ldt": (154, None),
    "uselib": (134, None),
    "mq_open": (240, 180),
    "shmget": (29, 194),  # System V objects outlive their maker
    "msgget": (68, 186),
    "semget": (64, 190),
    "move_pages": (279, 239),
    "migrate_pages": (256, 238),
    "mbind": (237, 235),
    "fanotify_init": (300, 262),
    "setpriority": (141, 140),  # of other processes; it would outlast the worker, as the next ones would
    "ioprio_set": (251, 30),
    "sched_setparam": (142, 118),
    "sched_setscheduler": (144, 119),
    "sched_setaffinity": (203, 122),
    "sched_setattr": (314, 274),
}
_CLONE3 = (435, 435)
_CLONE = (56, 220)
_KILL = (62, 129)
_TKILL = (200, 130)
_TGKILL = (234, 131)
_PRLIMIT64 = (302, 261)
_FCNTL = (72, 25)
_IOCTL = (16, 29)
_SIGACTION = (13, 134)
_MKNOD = (133, None)
_MKNODAT = (259, 33)
_DEVICE = 0o020000  # set in the mode of a device, character or block, and of nothing else
_SIGCHLD = 17  # ignored, it would reap children whose CPU time nobody has added up
_FCNTL_SIGNALS = (8, 10, 15)  # F_SETOWN, F_SETSIG, F_SETOWN_EX: the kernel would send signals that we refuse
_IOCTL_SIGNALS = (0x8901, 0x8902)  # FIOSETOWN, SIOCSPGRP
_NAMESPACE_FLAGS = 0x7E020080  # CLONE_NEW* and CLONE_NEWTIME

_LD_ABS, _JEQ, _JSET, _JGE, _RET = 0x20, 0x15, 0x45, 0x35, 0x06
_ALLOW, _KILL_PROCESS, _ERRNO = 0x7FFF0000, 0x80000000, 0x00050000
_ARCH = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
_X32_BIT = 0x40000000


class _Filter:
    """A BPF program under construction: every rule falls through to the next."""

    def __init__(self) -> None:
        self.code: list[tuple[int, int, int, int]] = []

    def load(self, offset: int) -> None:
        self.code.append((_LD_ABS, 0, 0, offset))

    def give(self, verdict: int) -> None:
        self.code.append((_RET, 0, 0, verdict))

    def when(self, test: int, value: int, verdict: int) -> None:
        """Give `verdict` where the accumulator passes `test`."""
        self.code.append((test, 0, 1, value))
        self.give(verdict)

    def on_argument(self, number: int, rules: list[tuple[int, int, int]], offset: int) -> None:
        """For one system call: test the low half of the argument at `offset`; allow where no rule matches."""
        self.load(0)
        self.code.append((_JEQ, 0, 2 * len(rules) + 2, number))
        self.load(offset)
        for test, value, verdict in rules:
            self.when(test, value & 0xFFFFFFFF, verdict)
        self.give(_ALLOW)


def seccomp_program(machine: str, protected: tuple[int, ...]) -> bytes | None:
    """Assemble the filter, None for an unknown machine. Signals to the `protected` processes are refused."""
    if machine not in _ARCH:
        return None
    column = 0 if machine == "x86_64" else 1
    refuse = _ERRNO | _EPERM
    out = _Filter()
    out.load(4)
    out.code.append((_JEQ, 1, 0, _ARCH[machine]))
    out.give(_KILL_PROCESS)  # another architecture's numbers would slip through the table
    out.load(0)
    if machine == "x86_64":
        out.when(_JGE, _X32_BIT, refuse)
    for numbers in _DENIED.values():
        number = numbers[column]
        if number is not None:
            out.when(_JEQ, number, refuse)
    out.when(_JEQ, _CLONE3[column], _ERRNO | _ENOSYS)  # its flags are behind a pointer; libc falls back to clone
    out.on_argument(_CLONE[column], [(_JSET, _NAMESPACE_FLAGS, refuse)], 16)
    out.on_argument(_FCNTL[column], [(_JEQ, command, refuse) for command in _FCNTL_SIGNALS], 24)
    out.on_argument(_SIGACTION[column], [(_JEQ, _SIGCHLD, refuse)], 16)
    out.on_argument(_IOCTL[column], [(_JEQ, command, refuse) for command in _IOCTL_SIGNALS], 24)
    mknod = _MKNOD[column]
    if mknod is not None:
        out.on_argument(mknod, [(_JSET, _DEVICE, refuse)], 24)
    out.on_argument(_MKNODAT[column], [(_JSET, _DEVICE, refuse)], 32)
    if protected:
        ids = [(_JEQ, pid, refuse) for pid in protected]
        everybody = [(_JEQ, -1, refuse), *((_JEQ, -pid, refuse) for pid in protected)]
        out.on_argument(_KILL[column], [*ids, *everybody], 16)
        out.on_argument(_TKILL[column], ids, 16)
        out.on_argument(_TGKILL[column], ids, 16)
        out.on_argument(_PRLIMIT64[column], ids, 16)
    out.give(_ALLOW)
    return b"".join(struct.pack("=HBBI", *line) for line in out.code)


class _SockFprog(ctypes.Structure):
    _fields_ = (("len", ctypes.c_ushort), ("filter", ctypes.c_void_p))


def own_seccomp_program(protected: tuple[int, ...]) -> bytes | None:
    """Assemble the filter for this machine, None where there is none for it."""
    return seccomp_program(os.uname().machine, protected) if sys.platform == "linux" else None


def install_seccomp(program: bytes | None) -> bool:
    """Stack our own system-call filter on whatever filters there are; say whether it took."""
    if program is None or not _prctl(_PR_SET_NO_NEW_PRIVS, 1):
        return False
    buffer = ctypes.create_string_buffer(program, len(program))
    fprog = _SockFprog(len(program) // 8, ctypes.cast(buffer, ctypes.c_void_p))
    return _prctl(_PR_SET_SECCOMP, 2, ctypes.byref(fprog))


# --- Landlock -------------------------------------------------------------------------------------------------------

_LL_CREATE, _LL_ADD, _LL_RESTRICT = 444, 445, 446
_LL_EXECUTE = 0b1
_LL_LOOK = 0b1100  # read file, read directory
_LL_LIST = 0b1000
_OUT_OF_THE_WAY = 200
"""Of the low descriptors, which a worker sorts anew."""
_LL_ABI1 = (1 << 13) - 1
_LL_REFER, _LL_TRUNCATE = 1 << 13, 1 << 14
_LL_SCOPES = 0b11  # abstract unix sockets, and signals: only to what was started inside
_LL_FILE_ONLY = 0b111 | _LL_TRUNCATE


def landlock_abi() -> int:
    """Return the kernel's Landlock version, 0 where there is none."""
    if sys.platform != "linux":
        return 0
    return max(0, int(_libc.syscall(_LL_CREATE, None, ctypes.c_size_t(0), 1)))


class Landlock:
    """A set of rules for the file system, gathered in one process and put on in its forks."""

    def __init__(self) -> None:
        self._abi = landlock_abi()
        self._handled = _LL_ABI1 | (_LL_REFER if self._abi >= 2 else 0) | (_LL_TRUNCATE if self._abi >= 3 else 0)  # noqa: PLR2004 - versions
        attributes = struct.pack("=Q", self._handled)
        if self._abi >= 6:  # noqa: PLR2004 - version
            attributes = struct.pack("=QQQ", self._handled, 0, _LL_SCOPES)
        made = int(_libc.syscall(_LL_CREATE, attributes, ctypes.c_size_t(len(attributes)), 0)) if self._abi else -1
        self.fd = -1 if made < 0 else fcntl.fcntl(made, fcntl.F_DUPFD_CLOEXEC, _OUT_OF_THE_WAY)
        """The kernel's set, -1 where there is none."""
        if made >= 0:
            os.close(made)

    def show(self, paths: Iterable[str]) -> None:
        """Let these be read and listed, with all that is in them."""
        self._allow(paths, _LL_LOOK)

    def list(self, folders: Iterable[str]) -> None:
        """Let these be listed, and what is in them."""
        self._allow(folders, _LL_LIST)

    def run(self, paths: Iterable[str]) -> None:
        """Let these be read, listed, and programs in them be started."""
        self._allow(paths, _LL_LOOK | _LL_EXECUTE)

    def write(self, paths: Iterable[str]) -> None:
        """Let all be done with these but starting programs."""
        self._allow(paths, self._handled & ~_LL_EXECUTE)

    def _allow(self, paths: Iterable[str], access: int) -> None:
        if self.fd >= 0:
            for path in paths:
                _allow_path(self.fd, path, access)

    def put_on(self) -> bool:
        """Leave only what was allowed to this process and all that it starts; say whether it took. Once only."""
        if self.fd < 0 or not _prctl(_PR_SET_NO_NEW_PRIVS, 1):
            return False
        took = bool(_libc.syscall(_LL_RESTRICT, self.fd, 0) == 0)
        os.close(self.fd)
        return took


def _allow_path(ruleset: int, path: str, access: int) -> None:
    """Add one path to a ruleset; a path that isn't there is left out."""
    if sys.platform != "linux":
        return
    try:
        fd = os.open(path, os.O_PATH | os.O_CLOEXEC)
    except OSError:
        return
    if not os.path.isdir(path):
        access &= _LL_FILE_ONLY
    _libc.syscall(_LL_ADD, ruleset, 1, struct.pack("=Qi", access, fd), 0)
    os.close(fd)
