"""Can Docker be used here, and if not, why not: for `--sandbox auto` and for `doctor`."""

from __future__ import annotations

import re
from dataclasses import dataclass

from codegen_eval.errors import SandboxUnavailableError
from codegen_eval.sandbox.engine import Engine, Info
from codegen_eval.sandbox.limit import Need

_RUNC_FLOOR = ((1, 1, 12), "CVE-2024-21626 (a leaked descriptor lets a container out)")
_ENGINE_FLOOR = (20, 10)


@dataclass(frozen=True, slots=True, kw_only=True)
class DockerReport:
    """What `probe_docker` found."""

    problem: str | None
    """Why Docker can't be used; None where it can."""
    hint: str | None
    """What to do about it."""
    warnings: tuple[str, ...]
    """What is weaker here than it should be."""
    info: Info | None
    """What the engine says of itself, None where there is none."""


def probe_docker(*, runtime: str | None = None, seconds: float = 5.0) -> DockerReport:
    """Ask the engine whether sandboxes can be had from it. Starts nothing, raises nothing."""
    engine = Engine(seconds=seconds)
    try:
        info = engine.info()
    except SandboxUnavailableError as exc:
        return DockerReport(problem=exc.message, hint=exc.hint, warnings=(), info=None)
    finally:
        engine.close()
    problem = info_problem(info, runtime)
    hint = None if problem is None else info_hint(info)
    return DockerReport(problem=problem, hint=hint, warnings=info_warnings(info), info=info)


def info_problem(info: Info, runtime: str | None) -> str | None:
    """Say why this engine must not be used, None where it may: a limit that isn't enforced is no limit."""
    if runtime is not None and info.runtimes and runtime not in info.runtimes:
        return f"the engine has no runtime `{runtime}`; it has {', '.join(info.runtimes)}"
    lacking = [
        name
        for name, enforced in (("memory", info.memory_limit), ("process", info.pids_limit), ("CPU", info.cpu_limit))
        if not enforced
    ]
    if lacking:
        return f"the engine does not enforce the {' and '.join(lacking)} limit (cgroup v{info.cgroup})"
    return None


def info_hint(info: Info) -> str:
    """Say what to do about an engine that must not be used."""
    hint = "use another engine, or `--sandbox bwrap`"
    if info.rootless and not (info.memory_limit and info.pids_limit and info.cpu_limit):
        return f"delegate cpu, memory and pids to the user's services, with cgroup v2 and systemd; or {hint}"
    return hint


def lacking(info: Info) -> frozenset[Need]:
    """Return what some limits need and this engine has not."""
    there = {Need.SWAP: info.swap_limit, Need.SECCOMP: info.seccomp}
    return frozenset(need for need, given in there.items() if not given)


def info_warnings(info: Info) -> tuple[str, ...]:
    """Say what is weaker on this engine than it should be."""
    found = [f"the engine says: {each}" for each in info.warnings]
    found += sorted(lacking(info), reverse=True)
    if _version(info.version) < _ENGINE_FLOOR and info.version:
        found.append(f"engine {info.version} is older than 20.10")
    floor, why = _RUNC_FLOOR
    if info.runc and _version(info.runc) < floor:
        found.append(
            f"runc {info.runc} is older than {'.'.join(map(str, floor))}: {why}, unless its packager mended it"
        )
    return tuple(found)


def _version(text: str) -> tuple[int, ...]:
    return tuple(int(part) for part in re.findall(r"\d+", text.split("+", maxsplit=1)[0].split("-", maxsplit=1)[0])[:3])
