"""The ways to run one solution that are measured against each other."""

from __future__ import annotations

import os
import secrets
import shlex
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, closing, contextmanager
from typing import Protocol

from client import client_options
from codegen_eval.errors import InputError, SandboxLostError, SandboxUnavailableError
from codegen_eval.interfaces import WorkerLimits
from codegen_eval.judge.candidate import Candidate
from codegen_eval.judge.values import NotLoadedError, WorkerEndedError
from codegen_eval.layers.unit import call_of, judge_reply
from codegen_eval.resources import resource_root
from codegen_eval.sandbox import choice
from codegen_eval.sandbox.choice import Wish, choose_sandbox
from codegen_eval.sandbox.engine import Engine
from codegen_eval.sandbox.hardening import (
    LABEL_OWNER,
    LABEL_RUN,
    WORKDIR,
    Arguments,
    container_arguments,
    host_arguments,
)
from codegen_eval.sandbox.image import SandboxImage, base_image, ensure_image
from codegen_eval.sandbox.reaper import Owner
from codegen_eval.sandbox.session import GuestSession
from codegen_eval.sandbox.stream import DockerStream
from workload import Item

LIMITS = WorkerLimits(cpu_seconds=2.0)
WALL_SECONDS = 10.0
MEMORY_MIB = 256
_READY_SECONDS = 30.0
_AGAIN_SECONDS = 0.05


class Contender(Protocol):
    """A way to run solutions, one by one, from several threads."""

    @property
    def name(self) -> str:
        """What it is called in the table."""

    @property
    def command(self) -> str:
        """The exact command for one solution, where it is one."""

    @property
    def threads_per_job(self) -> int:
        """How many threads run it for each job."""

    def opened(self, *, jobs: int, expected: int) -> AbstractContextManager[Callable[[Item], int]]:
        """Give the function that runs one solution and returns how many cases were answered rightly.

        Raises:
            SandboxUnavailableError, InputError: it can't be had here.
        """


class SandboxContender:
    """One of our sandboxes, looked up as the commands look it up."""

    command = ""
    threads_per_job = 1

    def __init__(self, name: str, *, runtime: str | None = None) -> None:
        self._sandbox = name
        self._runtime = runtime
        self.name = f"{name} ({runtime})" if runtime else name

    @contextmanager
    def opened(self, *, jobs: int, expected: int) -> Iterator[Callable[[Item], int]]:
        """Open a provider; a solution has a sandbox of its own, a fresh worker, and its cases in one batch."""
        if self._sandbox not in choice.NAMES:
            raise InputError(f"there is no sandbox `{self._sandbox}` in this version")
        wish = Wish(
            name=self._sandbox,
            runtime=self._runtime,
            memory_mib=MEMORY_MIB,
            jobs=jobs,
            expected=expected,
            trusted=True,
            allow_unsafe=True,
        )
        provider = choose_sandbox(wish, run_id=secrets.token_hex(8)).provider

        def run(item: Item) -> int:
            sandbox = provider.open()
            try:
                return ask(Candidate(sandbox, item.entry_point, wall_seconds=WALL_SECONDS), item)
            finally:
                sandbox.close()

        try:
            yield run
        finally:
            provider.close()
        if provider.not_removed:
            raise SandboxUnavailableError(f"not removed: {' '.join(provider.not_removed)}")


def ask(candidate: Candidate, item: Item) -> int:
    """Run an item's cases in a fresh worker; return how many were answered rightly."""
    try:
        candidate.load(item.solution.source, LIMITS)
        replies = candidate.batch(map(call_of, item.cases))
        candidate.end()
    except (NotLoadedError, WorkerEndedError):
        return 0
    pairs = zip(item.cases, replies, strict=True)
    return sum(judge_reply(case, reply, candidate.workdir) is None for case, reply in pairs)


class Floor:
    """A bare interpreter for each solution, without any of our protection: the cost that can't be avoided."""

    name = "bare python3 -I"
    threads_per_job = 1

    def __init__(self) -> None:
        # not the link in a virtual environment: its site-packages would slow every start down
        self._argv = [os.path.realpath(sys.executable), "-I", "-"]
        self.command = f"{shlex.join(self._argv)} < PROGRAM"

    @contextmanager
    def opened(self, *, jobs: int, expected: int) -> Iterator[Callable[[Item], int]]:
        """Give the function; there is nothing to open."""
        del jobs, expected
        yield lambda item: _run_program(self._argv, item)


def _image(engine: Engine) -> SandboxImage:
    return ensure_image(engine, resource_root() / "sandbox-image", base=base_image())


class DockerRun:
    """The client program for each solution, with the same image and the same options as ours."""

    name = "docker run"
    threads_per_job = 1

    def __init__(self, *, runtime: str | None = None) -> None:
        self._runtime = runtime
        self.command = "docker run --rm -i … IMAGE -I - < PROGRAM"

    @contextmanager
    def opened(self, *, jobs: int, expected: int) -> Iterator[Callable[[Item], int]]:
        """Give the function, once the image is there."""
        del jobs, expected
        with closing(Engine()) as engine:
            image = _image(engine)
        argv = ["docker", "run", *client_options(*_arguments("not a file", self._runtime))]
        argv += ["--entrypoint", "python3", image.id, "-I", "-"]
        self.command = f"{shlex.join(argv)} < PROGRAM"
        yield lambda item: _run_program(argv, item)


class Ceiling:
    """What the engine can do at all: create, start, *ready*, remove; the same image and options, and no solution."""

    command = ""
    threads_per_job = 2
    """Start and removal of different containers overlap, as they do in ours."""

    def __init__(self, *, runtime: str | None = None) -> None:
        self._runtime = runtime
        self.name = "engine's ceiling"

    @contextmanager
    def opened(self, *, jobs: int, expected: int) -> Iterator[Callable[[Item], int]]:
        """Give the function."""
        del jobs, expected
        engine = Engine()
        try:
            image = _image(engine)
            profile = (resource_root() / "sandbox-image" / "seccomp.json").read_text(encoding="utf-8")
            container, host = _arguments(profile, self._runtime)
            made_here: list[str] = []

            def run(item: Item) -> int:
                made = engine.create(image.id, name=f"evalrun-{secrets.token_hex(8)}", container=container, host=host)
                stream = DockerStream(engine.attach(made), on_close=lambda: None)
                engine.start(made)
                GuestSession(stream, workdir=WORKDIR, ready_seconds=_READY_SECONDS).close()
                made_here.append(made)
                return len(item.cases)

            yield run
            # the engine removes by itself what has ended; asked meanwhile, it does the work twice, or loses count
            while any(each.id in made_here for each in engine.containers(LABEL_RUN) if not each.removing):
                time.sleep(_AGAIN_SECONDS)
        finally:
            engine.close()


def _run_program(argv: list[str], item: Item) -> int:
    """Run an item's program; return how many answers look right."""
    done = subprocess.run(  # noqa: S603 - the shipped corpus
        argv, input=item.program.encode(), capture_output=True, check=False, timeout=60, env=_environment(argv)
    )
    lines = done.stdout.decode(errors="replace").splitlines()
    if done.stderr and not lines and argv[0] == "docker":
        raise SandboxLostError(done.stderr.decode(errors="replace")[:300])
    wanted = [case.raises.__name__ if case.raises else repr(case.returns) for case in item.cases]
    return sum(line == expected for line, expected in zip(lines, wanted, strict=False))


def _environment(argv: list[str]) -> dict[str, str]:
    """Return an empty environment, for the client one in which it finds its engine."""
    keep = ("PATH", "HOME", "DOCKER_HOST", "DOCKER_CONTEXT", "DOCKER_CONFIG") if argv[0] == "docker" else ()
    return {name: os.environ[name] for name in keep if name in os.environ}


def _arguments(profile: str, runtime: str | None) -> tuple[Arguments, Arguments]:
    labels = {LABEL_RUN: "benchmark", LABEL_OWNER: str(Owner.of(os.getpid()))}
    return container_arguments(labels), host_arguments(memory_mib=MEMORY_MIB, seccomp=profile, runtime=runtime)


def contenders(wanted: tuple[str, ...]) -> list[Contender]:
    """Return the contenders with these short names, in the order in which they take turns."""
    known: dict[str, Contender] = {
        "floor": Floor(),
        "subprocess": SandboxContender("subprocess"),
        "bwrap": SandboxContender("bwrap"),
        "docker": SandboxContender("docker"),
        "ceiling": Ceiling(),
        "docker-run": DockerRun(),
        "runsc": SandboxContender("docker", runtime="runsc"),
    }
    unknown = [name for name in wanted if name not in known]
    if unknown:
        raise InputError(f"unknown contender `{unknown[0]}`", hint=f"there are {', '.join(known)}")
    return [known[name] for name in known if not wanted or name in wanted]


CONTENDERS = ("floor", "subprocess", "bwrap", "docker", "ceiling", "docker-run", "runsc")
