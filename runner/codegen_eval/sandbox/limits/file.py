"""Limits of what a solution writes and reads."""

from __future__ import annotations

from codegen_eval.sandbox.evidence import at_most, attempts, judge_attempts, refused, unreadable
from codegen_eval.sandbox.hardening import SHARED_MEMORY_MIB, Weakening
from codegen_eval.sandbox.limit import Kind, Limit, Need, Off, Seen, Trial

_MIB = 1 << 20
_TMPFS_MIB = 32
_INODES = 4096
_SHARED_MEMORY = "/dev/shm"  # noqa: S108 - the sandbox's own
_TEMPORARY = "/tmp"  # noqa: S108 - the sandbox's own

_FOLDERS = (
    *("/", "/bin", "/boot", "/etc", "/home", "/lib", "/media", "/mnt", "/opt", "/opt/guest", "/root", "/run", "/srv"),
    *("/run/lock", "/usr", "/usr/lib", "/usr/local", "/var", "/var/lib", "/var/lock", "/var/tmp"),  # noqa: S108 - to try
    *("/dev", "/dev/mqueue", "/proc", "/sys", "/sys/fs/cgroup"),
)
_FILES = (
    *("/etc/passwd", "/etc/hosts", "/etc/resolv.conf", "/opt/guest/supervisor.py", "/proc/sysrq-trigger"),
    *("/proc/sys/kernel/core_pattern", "/proc/sys/kernel/hostname", "/sys/fs/cgroup/memory/memory.limit_in_bytes"),
    *("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/cgroup.procs", "/sys/fs/cgroup/release_agent"),
)


def _tmpfs(options: str) -> Off:
    """Switch one option of the tmpfs off by giving the others."""
    return Off(weakening=Weakening(options={"tmpfs": {_TEMPORARY: f"rw,nosuid,nodev,{options}"}}))


def _judge_write(value: object, trial: Trial) -> Seen:
    told = attempts(value)
    if told is None:
        return unreadable(value)
    root = told.get("root", "")
    also = ["somebody wrote in a folder of the host"] if trial.bait.disturbed else []
    if trial.around.kind is Kind.DOCKER and root != "read-only":
        also.append("the root is mounted writable")
    return judge_attempts({name: result for name, result in told.items() if name != "root"}, also=also)


def _judge_read(value: object, trial: Trial) -> Seen:
    if not isinstance(value, str):
        return unreadable(value)
    seen = trial.bait.secret in value
    return Seen(bites=not seen, what="it read a file of the host" if seen else "a file of the host is not there for it")


FILES: tuple[Limit, ...] = (
    Limit(
        id="root-file-system",
        promise="nothing is written but its own folder, the temporary one and shared memory",
        probe="write",
        arguments=lambda trial: ([*_FOLDERS, str(trial.bait.file.parent)], list(_FILES)),
        judge=_judge_write,
        to_do="use a storage driver and a runtime that can mount a container's root read-only",
        off=Off(weakening=Weakening(options={"read_only": False})),
        subprocess_needs=frozenset({Need.LANDLOCK}),
    ),
    Limit(
        id="host-files",
        promise="files of the host are not read",
        probe="read",
        arguments=lambda trial: (str(trial.bait.file),),
        judge=_judge_read,
        to_do="look for mounts that the engine adds to every container",
        off=Off(weakening=Weakening(options={"binds": ("/var/tmp:/var/tmp:ro",)})),  # noqa: S108 - where the bait is
        subprocess_needs=frozenset({Need.LANDLOCK}),
    ),
    Limit(
        id="tmpfs-size",
        promise=f"the temporary folder holds {_TMPFS_MIB} MiB",
        probe="fill",
        arguments=lambda trial: (trial.workdir, (_TMPFS_MIB + 16) * _MIB),
        judge=at_most(_TMPFS_MIB * _MIB, "MiB", divisor=_MIB),
        to_do="use a runtime whose tmpfs knows `size` (gVisor: later than 2020)",
        off=_tmpfs(f"noexec,mode=1777,nr_inodes={_INODES}"),
        exempt={Kind.SUBPROCESS: "its folder is on the machine's disk; one file is limited, their number is not"},
    ),
    Limit(
        id="shared-memory-size",
        promise=f"shared memory holds {SHARED_MEMORY_MIB} MiB",
        probe="fill",
        arguments=lambda _: (_SHARED_MEMORY, 2 * SHARED_MEMORY_MIB * _MIB),
        judge=at_most(SHARED_MEMORY_MIB * _MIB, "MiB", divisor=_MIB),
        to_do="use a runtime that knows `--shm-size`",
        off=Off(weakening=Weakening(options={"shm_size": None})),
        exempt={Kind.SUBPROCESS: "where it can write there at all, it is the machine's own"},
    ),
    Limit(
        id="tmpfs-noexec",
        promise="no program is run from where it can write, or from memory",
        probe="execute",
        arguments=lambda trial: (trial.workdir,),
        judge=refused,
        to_do="use a runtime whose tmpfs knows `noexec`",
        off=_tmpfs(f"exec,size={_TMPFS_MIB}m,mode=1777,nr_inodes={_INODES}"),
        exempt={Kind.SUBPROCESS: "its folder is on the machine's disk", Kind.BWRAP: "its tmpfs knows no `noexec`"},
    ),
    Limit(
        id="tmpfs-inodes",
        promise=f"the temporary folder holds {_INODES} files",
        probe="inodes",
        arguments=lambda trial: (trial.workdir, _INODES + 500),
        judge=at_most(_INODES, "files"),
        to_do="use a runtime whose tmpfs knows `nr_inodes`",
        off=_tmpfs(f"noexec,size={_TMPFS_MIB}m,mode=1777"),
        exempt={
            Kind.GVISOR: "its tmpfs ignores `nr_inodes`; what files take is counted as memory",
            Kind.BWRAP: "its tmpfs knows no `nr_inodes`",
            Kind.SUBPROCESS: "its folder is on the machine's disk",
        },
    ),
)
"""Sizes and modes of the temporary folder are those of the hardening table; a test compares them."""
