"""What a run leaves behind on this machine: processes, containers, files, descriptors."""

from __future__ import annotations

import os
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from codegen_eval.errors import SandboxUnavailableError
from codegen_eval.sandbox.engine import Engine
from codegen_eval.sandbox.hardening import LABEL_OWNER
from codegen_eval.sandbox.reaper import Owner

_GONE_SECONDS = 10.0
"""How long the kernel and the engine may take to clear up after the last word of a run."""
_SANDBOX_UIDS = range(0x4000_0000, 0x5000_0000)
"""Of subprocess sandboxes started as root."""
_SHARED = ("/tmp", "/var/tmp", "/dev/shm")  # noqa: S108 - looked at, not written to


@contextmanager
def private_temporary_folder() -> Iterator[Path]:
    """Have everything temporary of this process in a folder of its own, which tells its sandboxes from others'."""
    before = tempfile.tempdir
    with tempfile.TemporaryDirectory(prefix="soak-") as name:
        folder = Path(name)
        folder.chmod(0o711)
        tempfile.tempdir = name
        try:
            yield folder
        finally:
            tempfile.tempdir = before


def left_behind(folder: Path, *, docker: bool) -> list[str]:
    """Return what of this process's sandboxes is still there, once it had time to go."""
    deadline = time.monotonic() + _GONE_SECONDS
    while (found := _look(folder, docker=docker)) and time.monotonic() < deadline:
        time.sleep(0.2)
    return found


def _look(folder: Path, *, docker: bool) -> list[str]:
    found = [f"process {line}" for line in _processes(folder)]
    found += [f"file {path}" for path in sorted(folder.rglob("*"))]
    found += [f"file {path}" for path in _files_of_sandboxes()]
    return found + ([f"container {name}" for name in _containers()] if docker else [])


def _processes(folder: Path) -> Iterator[str]:
    """Yield the processes that name the folder, or are in it."""
    for entry in Path("/proc").glob("[0-9]*"):
        if entry.name == str(os.getpid()):
            continue
        try:
            command = (entry / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
            where = str((entry / "cwd").readlink())
        except OSError:
            continue
        if str(folder) in command or where.startswith(str(folder)):
            yield f"{entry.name}: {command[:100]}"


def _files_of_sandboxes() -> Iterator[Path]:
    """Yield what the users of subprocess sandboxes own in folders that everybody can write to."""
    for place in _SHARED:
        for path in Path(place).glob("*"):
            try:
                if path.lstat().st_uid in _SANDBOX_UIDS:
                    yield path
            except OSError:
                continue


def _containers() -> tuple[str, ...]:
    engine = Engine()
    try:
        return tuple(each.id[:12] for each in engine.containers(f"{LABEL_OWNER}={Owner.of(os.getpid())}"))
    except SandboxUnavailableError as exc:
        return (f"unknown: {exc.message}",)
    finally:
        engine.close()


def descriptors() -> int:
    """Return how many descriptors this process has open."""
    return len(list(Path("/proc/self/fd").iterdir()))


def resident_mib() -> float:
    """Return the resident memory of this process in MiB."""
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / (1 << 20)
