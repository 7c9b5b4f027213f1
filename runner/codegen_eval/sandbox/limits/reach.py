"""Limits of what a solution reaches: the network, sockets of the host, processes and facts of the machine."""

from __future__ import annotations

from codegen_eval.sandbox.bait import QUESTION
from codegen_eval.sandbox.evidence import attempts, judge_attempts, listed, unreached, unreadable
from codegen_eval.sandbox.hardening import OptionValue, Weakening
from codegen_eval.sandbox.limit import Kind, Limit, Off, Seen, Trial

_HOST_NETWORK: dict[str, OptionValue | None] = {"network_mode": "host", "network_disabled": False}
_NO_FILTERS = frozenset({"seccomp"})
_NETWORK_OFF = Off(weakening=Weakening(options=_HOST_NETWORK, seccomp=True, guest=_NO_FILTERS))
_SHARED = "it shares the machine's own"
_UNCUT = "use an engine or runtime that gives containers a network namespace of their own"

_INITIAL = {
    "ipc": "ipc:[4026531839]",
    "pid": "pid:[4026531836]",
    "uts": "uts:[4026531838]",
}
"""The namespaces that Linux starts with have fixed numbers."""
_INITIAL_CGROUP = "cgroup:[4026531835]"
_COMMON = frozenset(
    {"HOME", "LANG", "LC_ALL", "LC_CTYPE", "PATH", "TERM", "TZ", "PYTHONHASHSEED", "OMP_NUM_THREADS"}
    | {"OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMEXPR_NUM_THREADS"}
)
"""Variables that are the same in most places, or that a sandbox sets itself."""


def _judge_network(value: object, trial: Trial) -> Seen:
    """Count a route as reaching out: a datagram socket can be connected only where there is one."""
    told = attempts(value)
    if told is None:
        return unreadable(value)
    also = [f"the host's listener `{name}` was reached" for name in trial.bait.reached("own")]
    return judge_attempts(told, also=also)


def _judge_interfaces(value: object, trial: Trial) -> Seen:
    del trial
    match value:
        case {"interfaces": list(names), "routes": list(routes)}:
            others = sorted({str(name) for name in names} - {"lo"})
            if not others and not routes:
                return Seen(bites=True, what=f"interfaces: {listed(sorted(map(str, names))) or 'none'}; no route")
            return Seen(bites=False, what=f"interfaces: {listed(others) or 'lo'}; {len(routes)} routes")
        case _:
            return unreadable(value)


def _judge_processes(value: object, trial: Trial) -> Seen:
    del trial
    match value:
        case {"others": int(count)}:
            return Seen(bites=count == 0, what=f"{count or 'no'} other processes in sight")
        case _:
            return unreadable(value)


def _judge_environment(value: object, trial: Trial) -> Seen:
    if not isinstance(value, dict):
        return unreadable(value)
    ours = trial.bait.environ
    shared = sorted(
        str(name) for name, text in value.items() if name not in _COMMON and text and ours.get(name) == text
    )
    if shared:
        return Seen(bites=False, what=f"variables of the host: {listed(shared)}")
    return Seen(bites=True, what=f"{len(value)} variables, none of them the host's")


def _judge_host_name(value: object, trial: Trial) -> Seen:
    if not isinstance(value, str):
        return unreadable(value)
    ours = value == "sandbox" or (trial.around.kind is Kind.BWRAP and value != trial.bait.host_name)
    return Seen(bites=ours, what=f"it is called `{value}`" if ours else "it sees another name than its own")


def _judge_namespaces(value: object, trial: Trial) -> Seen:
    del trial
    if not isinstance(value, dict) or not value.get("pid"):
        return unreadable(value)
    shared = sorted(name for name, link in _INITIAL.items() if value.get(name) == link)
    told = sorted(name for name in _INITIAL if value.get(name))
    return Seen(
        bites=not shared, what=f"the machine's own: {listed(shared)}" if shared else f"of its own: {listed(told)}"
    )


def _judge_paths(value: object, trial: Trial) -> Seen:
    del trial
    if not isinstance(value, dict) or not isinstance(value.get("paths"), str):
        return unreadable(value)
    deep = sorted({path for line in value["paths"].split() if (path := line.rpartition(":")[2]) not in {"/", ""}})
    if value.get("cgroup") == _INITIAL_CGROUP or deep:
        return Seen(bites=False, what=f"paths of the machine are seen: {listed(deep) or 'its root'}")
    return Seen(bites=True, what="only its own root is seen")


REACH: tuple[Limit, ...] = (
    Limit(
        id="network",
        promise="nothing outside can be connected to, and there is no way out",
        probe="network",
        arguments=lambda trial: (trial.bait.targets("own"),),
        judge=_judge_network,
        to_do=_UNCUT,
        off=_NETWORK_OFF,
    ),
    Limit(
        id="interfaces",
        promise="there is no network interface but a loopback, and no route",
        probe="interfaces",
        judge=_judge_interfaces,
        to_do=_UNCUT,
        off=Off(weakening=Weakening(options=_HOST_NETWORK)),
        exempt={Kind.SUBPROCESS: f"{_SHARED} network, in which it can make no socket"},
    ),
    Limit(
        id="dns",
        promise="no name server is asked",
        probe="dns",
        arguments=lambda trial: (trial.bait.targets("names"), QUESTION),
        judge=unreached("names"),
        to_do=_UNCUT,
        off=_NETWORK_OFF,
    ),
    Limit(
        id="loopback",
        promise="services of the host on its loopback are not reached",
        probe="connect",
        arguments=lambda trial: (trial.bait.targets("loopback", "loopback6"),),
        judge=unreached("loopback", "loopback6"),
        to_do=_UNCUT,
        off=_NETWORK_OFF,
    ),
    Limit(
        id="abstract-sockets",
        promise="unix sockets of the host without a path are not reached",
        probe="abstract",
        arguments=lambda trial: (trial.bait.abstract,),
        judge=unreached("abstract"),
        to_do=_UNCUT,
        off=Off(weakening=Weakening(options=_HOST_NETWORK, guest=_NO_FILTERS)),
    ),
    Limit(
        id="processes",
        promise="processes of the machine are not seen",
        probe="processes",
        judge=_judge_processes,
        to_do="use an engine or runtime that gives containers process ids of their own",
        off=Off(weakening=Weakening(options={"pid_mode": "host"})),
        exempt={Kind.SUBPROCESS: f"{_SHARED} list of processes; those of other users can only be looked at"},
    ),
    Limit(
        id="namespaces",
        promise="IPC objects, process ids and host name are the sandbox's own",
        probe="namespaces",
        judge=_judge_namespaces,
        to_do="look for `default-ipc-mode` and the like in the engine's configuration",
        off=Off(weakening=Weakening(options={"ipc_mode": "host"})),
        exempt={Kind.SUBPROCESS: f"{_SHARED} namespaces"},
    ),
    Limit(
        id="cgroup-paths",
        promise="where its control group is in the machine's tree is not seen",
        probe="namespaces",
        judge=_judge_paths,
        to_do="use an engine with API 1.41 or later (20.10): older ones know no private control groups",
        off=Off(weakening=Weakening(options={"cgroupns": None})),
        exempt={
            Kind.SUBPROCESS: f"{_SHARED} control groups",
            Kind.BWRAP: f"{_SHARED} control groups",
        },
    ),
    Limit(
        id="environment",
        promise="no variable of the host's environment is seen",
        probe="environment",
        judge=_judge_environment,
        to_do="look for `env` in the engine's configuration, and for the same variables in the base image",
        off=Off(host_environment=True),
        subprocess_needs=frozenset(),
    ),
    Limit(
        id="host-name",
        promise="the host's name is not seen",
        probe="host_name",
        judge=_judge_host_name,
        to_do="use an engine or runtime that gives containers a name of their own",
        off=Off(weakening=Weakening(options={"hostname": None})),
        exempt={Kind.SUBPROCESS: f"{_SHARED} name"},
    ),
)
"""Connections first: what they find decides whether anything else matters."""
