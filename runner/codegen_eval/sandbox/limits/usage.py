"""Limits of what a solution uses up."""

from __future__ import annotations

from codegen_eval.interfaces import EndReason, WorkerLimits
from codegen_eval.sandbox.evidence import at_most, never, refused, unreadable
from codegen_eval.sandbox.hardening import Weakening
from codegen_eval.sandbox.limit import Kind, Limit, Need, Off, Seen, Trial

_MIB = 1 << 20
_MORE_MIB = 64
"""How far beyond the cap is tried."""
_PIDS, _DESCRIPTORS, _FILE_MIB = 64, 256, 32
_CORES = 4
"""Processes that compute at once."""
_CORE_SHARE = 1.5
"""CPU seconds in a second that are still one core: a quota is handed out in pieces of 0.1 s."""
_RLIMITS = frozenset({"rlimits"})
_ULIMITS = {"nofile": 256, "core": 0, "fsize": 32 << 20, "memlock": 64 << 10, "msgqueue": 0}
_UNENFORCED = "use an engine that enforces it: rootless ones need cgroup v2 and delegation of cpu, memory and pids"
_OURS = "tell us: this one is kept by evalrun itself"
_NO_GROUP = "no control group is its own"


def _ulimits_without(name: str) -> Off:
    """Switch one limit of processes off: that of the engine, and the guest's own."""
    left = {each: value for each, value in _ULIMITS.items() if each != name}
    return Off(weakening=Weakening(options={"ulimits": left}, guest=_RLIMITS))


def _judge_memory(value: object, trial: Trial) -> Seen:
    return at_most(trial.around.memory_mib, "MiB")(value, trial)


def _judge_swap(value: object, trial: Trial) -> Seen:
    """Go by the control group: whether memory was swapped out can't be told from inside."""
    del trial
    match value:
        case {"memory": str(memory), "memory and swap": str(both)} if memory.isdigit() and both.isdigit():
            return Seen(bites=int(both) <= int(memory), what=f"memory and swap together: {int(both) // _MIB} MiB")
        case {"swap": str(swap)} if swap:
            return Seen(bites=swap == "0", what=f"swap: {swap} bytes")
        case {"machine": str(machine)} if machine.split()[1:2] == ["0"]:
            return Seen(bites=True, what="the machine has no swap")
        case {"machine": str(machine)}:
            return Seen(
                bites=False, what=f"nothing says that it is limited; {machine or 'how much there is, is unknown'}"
            )
        case _:
            return unreadable(value)


def _judge_cores(value: object, trial: Trial) -> Seen:
    del trial
    match value:
        case {"cpu": float(cpu), "wall": float(wall), "quota": None | float() as quota} if wall > 0:
            share = cpu / wall
            bites = share <= _CORE_SHARE and (quota is None or quota <= 1)
            said = "" if quota is None else f", quota {quota:g}"
            return Seen(bites=bites, what=f"{_CORES} processes got {share:.1f} cores{said}")
        case _:
            return unreadable(value)


def _judge_core(value: object, trial: Trial) -> Seen:
    del trial
    match value:
        case {"limit": [int(soft), int(hard)], "raise": str(raised), "made": list(made), "pattern": str(pattern)}:
            if made or raised == "done" or soft or hard:
                return Seen(bites=False, what=f"limit {soft}, {len(made)} core files")
            piped = "; crashes are told to a program of the machine" if pattern.startswith("|") else ""
            return Seen(bites=True, what=f"limit 0, no core file{piped}")
        case _:
            return unreadable(value)


USAGE: tuple[Limit, ...] = (
    Limit(
        id="pids",
        promise=f"no more than {_PIDS} processes and threads",
        probe="threads",
        arguments=lambda _: (3 * _PIDS,),
        judge=at_most(_PIDS, "threads"),
        to_do=_UNENFORCED,
        off=Off(weakening=Weakening(options={"pids_limit": None})),
        exempt={
            Kind.GVISOR: "gVisor counts no threads of its own; a bomb ends the sandbox, which the solution answers for"
        },
        subprocess_needs=frozenset({Need.OWN_USER}),
    ),
    Limit(
        id="open-files",
        promise=f"no more than {_DESCRIPTORS} descriptors",
        probe="open_files",
        arguments=lambda _: (4 * _DESCRIPTORS,),
        judge=at_most(_DESCRIPTORS, "descriptors"),
        to_do=_OURS,
        off=_ulimits_without("nofile"),
        subprocess_needs=frozenset(),
    ),
    Limit(
        id="file-size",
        promise=f"no file is larger than {_FILE_MIB} MiB",
        probe="file_size",
        arguments=lambda trial: (trial.workdir, (_FILE_MIB + 1) * _MIB),
        judge=refused,
        to_do=_OURS,
        off=_ulimits_without("fsize"),
        subprocess_needs=frozenset(),
    ),
    Limit(
        id="core-files",
        promise="a crash leaves no core file",
        probe="core",
        arguments=lambda trial: (trial.workdir,),
        judge=_judge_core,
        to_do=_OURS,
        off=_ulimits_without("core"),
        subprocess_needs=frozenset(),
    ),
    Limit(
        id="swap",
        promise="no swap on top of memory",
        probe="swap",
        judge=_judge_swap,
        to_do="start the kernel with `swapaccount=1`, or turn swap off",
        off=Off(weakening=Weakening(swap=True)),
        needs=frozenset({Need.SWAP}),
        exempt={
            Kind.GVISOR: "nothing inside gVisor tells; the engine limits gVisor itself",
            Kind.BWRAP: _NO_GROUP,
            Kind.SUBPROCESS: _NO_GROUP,
        },
    ),
    Limit(
        id="cpu",
        promise="one core, however many processes compute",
        probe="cores",
        arguments=lambda _: (_CORES, 0.5),
        judge=_judge_cores,
        to_do=_UNENFORCED,
        off=Off(weakening=Weakening(options={"nano_cpus": None})),
        exempt={
            Kind.GVISOR: "gVisor counts waiting as computing; the engine limits gVisor itself",
            Kind.BWRAP: _NO_GROUP,
            Kind.SUBPROCESS: _NO_GROUP,
        },
    ),
    Limit(
        id="cpu-budget",
        promise="a worker that has spent its CPU time is ended",
        probe="spin",
        arguments=lambda _: (0.9,),
        judge=never("0.9 CPU seconds were had on a budget of 0.3"),
        ends=frozenset({EndReason.CPU}),
        limits=WorkerLimits(cpu_seconds=0.3),
        to_do=_OURS,
        off=Off(generous=True),
        subprocess_needs=frozenset(),
    ),
    Limit(
        id="wall-clock",
        promise="a worker that sleeps is ended by the host",
        probe="sleep",
        arguments=lambda _: (1.5,),
        judge=never("it slept for 1.5 s, allowed 0.3"),
        ends=frozenset({EndReason.WALL}),
        wall_seconds=0.3,
        to_do=_OURS,
        off=Off(generous=True),
        subprocess_needs=frozenset(),
    ),
    Limit(
        id="output-size",
        promise="a worker that prints without end is ended",
        probe="print",
        arguments=lambda _: (4 * _MIB,),
        judge=never("4 MiB were printed, allowed 1"),
        ends=frozenset({EndReason.OUTPUT}),
        to_do=_OURS,
        off=Off(generous=True),
        subprocess_needs=frozenset(),
    ),
    Limit(
        id="reply-size",
        promise="a reply that is too large is not taken",
        probe="reply",
        arguments=lambda _: (2 * _MIB,),
        judge=lambda value, _: Seen(bites=False, what="2 MiB were taken, allowed 1") if value else unreadable(value),
        ends=frozenset({EndReason.GARBLED}),
        limits=WorkerLimits(cpu_seconds=4.0, reply_bytes=_MIB),
        to_do=_OURS,
        off=Off(generous=True),
        subprocess_needs=frozenset(),
    ),
    Limit(
        id="memory",
        promise="memory beyond the cap ends the worker",
        probe="memory",
        arguments=lambda trial: (trial.around.memory_mib + _MORE_MIB,),
        judge=_judge_memory,
        ends=frozenset({EndReason.OUT_OF_MEMORY, EndReason.SANDBOX_LOST}),
        to_do=_UNENFORCED,
        off=Off(weakening=Weakening(memory=True)),
        subprocess_needs=frozenset(),
    ),
)
"""Memory last: it may take the sandbox with it."""
