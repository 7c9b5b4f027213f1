"""Limits of what a solution may do: its user, its rights, devices, and the process that watches it."""

from __future__ import annotations

from codegen_eval.sandbox.evidence import attempts, judge_attempts, listed, refused, unreadable
from codegen_eval.sandbox.hardening import Weakening
from codegen_eval.sandbox.limit import Kind, Limit, Need, Off, Seen, Trial

_FILTER = frozenset({"seccomp"})
_SETS = ("effective", "permitted", "inheritable", "ambient", "bounding")
_HARMLESS = frozenset({(1, 3), (1, 5), (1, 7), (1, 8), (1, 9), (5, 0), (5, 1), (5, 2)})
"""null, zero, full, random, urandom, tty, console, ptmx."""
_TERMINALS = range(136, 144)
_OF_GVISOR = frozenset({(10, 200), (10, 229)})
"""tun and fuse: gVisor's own, with nothing of the machine behind them."""
_MAY_SET_THE_CLOCK = {"user": "0:0", "cap_drop": None, "cap_add": ("SYS_TIME",)}


def _judge_user(value: object, trial: Trial) -> Seen:
    del trial
    match value:
        case {"uids": list(uids), "gids": list(gids), "groups": list(groups)} if uids and gids:
            more = sorted(set(map(str, groups)) - set(map(str, gids)))
            if 0 in uids or 0 in gids or 0 in groups or more:
                return Seen(bites=False, what=f"user {uids[0]}, groups {listed([*map(str, gids[:1]), *more])}")
            return Seen(bites=True, what=f"user {uids[0]}, no groups")
        case _:
            return unreadable(value)


def _judge_capabilities(value: object, trial: Trial) -> Seen:
    if not isinstance(value, dict) or any(type(value.get(name)) is not int for name in _SETS[:3]):
        return unreadable(value)
    wanted = _SETS[:-1] if trial.around.kind is Kind.SUBPROCESS else _SETS
    held = [f"the {name} set" for name in wanted if value.get(name)]
    told = attempts({name: result for name, result in value.items() if name not in _SETS})
    if told is None:
        return unreadable(value)
    if held:
        return Seen(bites=False, what=f"not empty: {listed(held)}")
    return judge_attempts(told)


def _judge_setuid(value: object, trial: Trial) -> Seen:
    del trial
    match value:
        case {"no_new_privs": int(locked), "program": str(program), "uid": int(uid), "became": None | int() as became}:
            if program and became is not None and became != uid:
                return Seen(bites=False, what=f"`{program}` ran as user {became}")
            if locked != 1:
                return Seen(bites=False, what="no_new_privs is not set")
            tried = f"`{program}` ran as user {became}" if program and became is not None else "no program to try it on"
            return Seen(bites=True, what=f"no_new_privs is set; {tried}")
        case _:
            return unreadable(value)


def _judge_supervisor(value: object, trial: Trial) -> Seen:
    """Let gVisor tell what everybody knows: its workers have another user, and the same layout and environment."""
    told = attempts(value)
    if told is None:
        return unreadable(value)
    known = _TOLD_BY_GVISOR if trial.around.kind is Kind.GVISOR else frozenset()
    return judge_attempts({name: result for name, result in told.items() if name not in known})


_TOLD_BY_GVISOR = frozenset({"read environ", "read maps", "read auxv", "list fd"})


def _judge_devices(value: object, trial: Trial) -> Seen:
    match value:
        case {"found": list(found), "made": dict(made)}:
            told = attempts(made)
            strange = [str(node[0]) for node in found if not _is_harmless(node, trial.around.kind)]
            if told is None:
                return unreadable(value)
            seen = judge_attempts(told, also=strange)
            return (
                seen if not seen.bites else Seen(bites=True, what=f"{len(found)} harmless ones; new ones {seen.what}")
            )
        case _:
            return unreadable(value)


def _is_harmless(node: object, kind: Kind) -> bool:
    match node:
        case [str(), "character", int(major), int(minor)]:
            allowed = _HARMLESS | (_OF_GVISOR if kind is Kind.GVISOR else frozenset())
            return (major, minor) in allowed or major in _TERMINALS
        case _:
            return False


RIGHTS: tuple[Limit, ...] = (
    Limit(
        id="user",
        promise="it is not root and in no group",
        probe="user",
        judge=_judge_user,
        to_do="look for an option of the engine that overrides users",
        off=Off(weakening=Weakening(options={"user": "0:0"})),
        subprocess_needs=frozenset({Need.OWN_USER}),
    ),
    Limit(
        id="capabilities",
        promise="it has no capability and no way to get one",
        probe="capabilities",
        judge=_judge_capabilities,
        to_do="look for an option of the engine that adds capabilities to every container",
        off=Off(weakening=Weakening(options={"cap_drop": None})),
        subprocess_needs=frozenset({Need.FILTER, Need.OWN_USER}),
    ),
    Limit(
        id="setuid",
        promise="a program that is marked setuid runs as the solution's own user",
        probe="setuid",
        judge=_judge_setuid,
        to_do="use an engine and a kernel that know no-new-privileges",
        off=Off(weakening=Weakening(options={"security_opt": None}, guest=_FILTER)),
    ),
    Limit(
        id="supervisor",
        promise="the process that watches it can't be looked into, traced or held on to",
        probe="supervisor",
        judge=_judge_supervisor,
        to_do="use another runtime or a later version of it: this one lets processes of one user into each other",
        off=Off(weakening=Weakening(guest=frozenset({"dumpable"}))),
    ),
    Limit(
        id="devices",
        promise="no device but null, zero, full, random, urandom and terminals, and none can be made",
        probe="devices",
        arguments=lambda trial: (trial.workdir,),
        judge=_judge_devices,
        to_do="look for devices that the engine or its runtime adds to every container",
        off=Off(weakening=Weakening(options={"privileged": True})),
        subprocess_needs=frozenset({Need.LANDLOCK}),
    ),
    Limit(
        id="clock",
        promise="the clock can't be set",
        probe="clock",
        judge=refused,
        to_do="look for an option of the engine that adds capabilities to every container",
        off=Off(weakening=Weakening(options=_MAY_SET_THE_CLOCK, seccomp=True, guest=_FILTER)),
    ),
)
"""Rights, from who it is to what it could take."""
