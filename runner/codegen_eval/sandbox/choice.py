"""Which sandbox to use, and why: the one rule for every command."""

from __future__ import annotations

from dataclasses import dataclass

from codegen_eval.errors import InputError, SandboxUnavailableError, UnsafeSandboxError
from codegen_eval.interfaces import SandboxProvider
from codegen_eval.sandbox.docker import DockerProvider
from codegen_eval.sandbox.process import ProcessProvider

NAMES = ("auto", "docker", "subprocess")


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

    `auto` is Docker where it can be used. Without it, the subprocess sandbox is taken for trusted code only, or with
    consent.

    Raises:
        InputError: an unknown name.
        UnsafeSandboxError: only a sandbox that is no boundary is left, for untrusted code, without consent.
        SandboxUnavailableError: the one asked for can't be had.
    """
    if wish.name not in NAMES:
        raise InputError(f"unknown sandbox `{wish.name}`", hint=f"the sandboxes are {', '.join(NAMES)}")
    if wish.name == "subprocess":
        if wish.runtime is not None:
            raise InputError("`--runtime` is for the docker sandbox", hint="leave it out, or use `--sandbox docker`")
        return _fallback(wish, "you asked for it")
    docker = DockerProvider(
        run_id=run_id, memory_mib=wish.memory_mib, jobs=wish.jobs, runtime=wish.runtime, expected=wish.expected
    )
    try:
        docker.prepare()
    except SandboxUnavailableError as exc:
        docker.close()
        if wish.name == "docker" or wish.runtime is not None:
            raise
        what_to_do = f" ({exc.hint})" if exc.hint else ""  # first: a log cuts long lines
        return _fallback(wish, f"Docker can't be used{what_to_do}: {exc.message}")
    except BaseException:
        docker.close()
        raise
    return Choice(provider=docker)


def _fallback(wish: Wish, why: str) -> Choice:
    if not wish.trusted and not wish.allow_unsafe:
        raise UnsafeSandboxError(
            f"the subprocess sandbox is no security boundary, and this code is not ours; {why}",
            hint="use Docker (`evalrun doctor` looks around), or accept the risk with `--allow-unsafe-sandbox`",
        )
    warning = f"the subprocess sandbox is not a security boundary; {why}"
    return Choice(provider=ProcessProvider(memory_mib=wish.memory_mib), warning=warning)
