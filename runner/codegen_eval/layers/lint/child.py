"""Runs one program on hostile input in a child process with limits: memory, CPU, wall, output, no environment.

The limits are set by a small program that then becomes the one wanted, in the child itself: nothing of ours runs
between fork and exec. Input and output are files in a private directory, so that output is bounded by the kernel.
"""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

_LIMITER = """
import os, sys
cpu, memory, size, *command = sys.argv[1:]
try:
    import resource
except ImportError:
    resource = None
for name, value in (("RLIMIT_CPU", cpu), ("RLIMIT_AS", memory), ("RLIMIT_FSIZE", size), ("RLIMIT_CORE", 0)):
    try:
        resource.setrlimit(getattr(resource, name), (int(value), int(value)))
    except (AttributeError, ValueError, OSError):
        pass
os.execv(command[0], command)
"""
"""A limit that the platform doesn't have is left out; the wall limit always holds."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ChildLimits:
    """What one child may use."""

    wall_seconds: float
    cpu_seconds: int
    memory_bytes: int = 1 << 30
    output_bytes: int = 64 << 20


@dataclass(frozen=True, slots=True)
class ChildEnd:
    """How a child ended: what it wrote, and whether it ended by itself with status 0."""

    output: bytes
    clean: bool


@contextlib.contextmanager
def private_directory() -> Iterator[Path]:
    """Give a directory that only we can enter, and remove it afterwards."""
    with tempfile.TemporaryDirectory(prefix="evalrun-lint-", ignore_cleanup_errors=True) as path:
        yield Path(path).resolve()


def run_child(command: Sequence[str], directory: Path, stdin: bytes, limits: ChildLimits) -> ChildEnd:
    """Run `command` in `directory` and return how it ended, in any case within the wall limit.

    Raises:
        OSError: no process can be started here.

    """
    asked, answered = directory / "stdin", directory / "stdout"
    asked.write_bytes(stdin)
    limited = [
        *(sys.executable, "-I", "-S", "-c", _LIMITER),
        *(str(limits.cpu_seconds), str(limits.memory_bytes), str(limits.output_bytes)),
        *command,
    ]
    with asked.open("rb") as source, answered.open("wb") as sink:
        process = subprocess.Popen(  # noqa: S603 - the command is ours, only files it reads are not
            limited,
            stdin=source,
            stdout=sink,
            stderr=subprocess.DEVNULL,
            cwd=directory,
            env=_environment(directory),
            start_new_session=True,
        )
        try:
            status: int | None = process.wait(limits.wall_seconds)
        except subprocess.TimeoutExpired:
            status = None
        finally:
            if process.returncode is None:
                with contextlib.suppress(ProcessLookupError, PermissionError):
                    os.killpg(process.pid, signal.SIGKILL)
                process.wait()
    with answered.open("rb") as written:
        return ChildEnd(written.read(limits.output_bytes), clean=status == 0)


def _environment(directory: Path) -> dict[str, str]:
    return {
        "PATH": os.defpath,
        "HOME": str(directory),
        "TMPDIR": str(directory),
        "LANG": "C.UTF-8",
        "NO_COLOR": "1",
        "PYTHONHASHSEED": "0",
        "RAYON_NUM_THREADS": "1",
    }
