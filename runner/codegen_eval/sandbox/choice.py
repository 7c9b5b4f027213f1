"""Which sandbox to use, and why: the one rule for every command."""

from __future__ import annotations

from dataclasses import dataclass

from codegen_eval.errors import InputError, SandboxUnavailableError, UnsafeSandboxError
from codegen_eval.interfaces import SandboxProvider
from codegen_eval.sandbox.bwrap import BwrapProvider
from codegen_eval.sandbox.docker import DockerProvider
from codegen_eval.sandbox.process import ProcessProvider

NAMES = ("auto", "docker", "bwrap", "subprocess")


@dataclass(frozen=True, slots=True, kw_only=True)
class Wish:
    """What the user asked of the sandbox."""

    name: str = "auto"
    runtime: str | None = None
    memory_mib: int = 256
    jobs: int = 1
    expected: int | None = None
    """How many sandboxes the run will need, where that is known."""
    trusted: bool = False
    """Only the shipped corpus runs, so a sandbox that is no boundary may be used unasked."""
    allow_unsafe: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """A provider, and a warning where it is not what one would wish for."""

    provider: SandboxProvider
    warning: str | None = None


def choose_sandbox(wish: Wish, *, run_id: str) -> Choice:
    """Return the provider for a run, ready to open sandboxes.

    `auto` is Docker where it can be used, then bubblewrap where a sandbox of it comes up. Without either, the
    subprocess sandbox is taken for trusted code only, or with consent. A runtime is Docker's, and asks for it.

    Raises:
        InputError: an unknown name.
        UnsafeSandboxError: only a sandbox that is no boundary is left, for untrusted code, without consent.
        SandboxUnavailableError: the one asked for can't be had.
    """
    if wish.name not in NAMES:
        raise InputError(f"unknown sandbox `{wish.name}`", hint=f"the sandboxes are {', '.join(NAMES)}")
    if wish.runtime is not None and wish.name not in {"auto", "docker"}:
        raise InputError("`--runtime` is for the docker sandbox", hint="leave it out, or use `--sandbox docker`")
    if wish.name == "subprocess":
        return _fallback(wish, "you asked for it")
    if wish.name == "docker" or wish.runtime is not None:
        return Choice(provider=_docker(wish, run_id))
    if wish.name == "bwrap":
        return Choice(provider=_bwrap(wish))
    reasons: list[str] = []
    try:
        return Choice(provider=_docker(wish, run_id))
    except SandboxUnavailableError as exc:
        reasons.append(_reason("Docker", exc))
    try:
        return Choice(provider=_bwrap(wish))
    except SandboxUnavailableError as exc:
        reasons.append(_reason("bubblewrap", exc))
    return _fallback(wish, "; ".join(reasons))


def _docker(wish: Wish, run_id: str) -> DockerProvider:
    """Return containers that can be had."""
    docker = DockerProvider(
        run_id=run_id, memory_mib=wish.memory_mib, jobs=wish.jobs, runtime=wish.runtime, expected=wish.expected
    )
    try:
        docker.prepare()
    except BaseException:
        docker.close()
        raise
    return docker


def _bwrap(wish: Wish) -> BwrapProvider:
    """Return sandboxes of bubblewrap of which one is up."""
    bwrap = BwrapProvider(memory_mib=wish.memory_mib, jobs=wish.jobs, expected=wish.expected)
    try:
        bwrap.prepare()
    except BaseException:
        bwrap.close()
        raise
    return bwrap


def _reason(name: str, exc: SandboxUnavailableError) -> str:
    what_to_do = f" ({exc.hint})" if exc.hint else ""  # first: a log cuts long lines
    return f"{name} can't be used{what_to_do}: {exc.message}"


def _fallback(wish: Wish, why: str) -> Choice:
    if not wish.trusted and not wish.allow_unsafe:
        raise UnsafeSandboxError(
            f"the subprocess sandbox is no security boundary, and this code is not ours; {why}",
            hint="use Docker or bubblewrap (see `evalrun doctor`), or accept the risk with `--allow-unsafe-sandbox`",
        )
    warning = f"the subprocess sandbox is not a security boundary; {why}"
    return Choice(provider=ProcessProvider(memory_mib=wish.memory_mib), warning=warning)
