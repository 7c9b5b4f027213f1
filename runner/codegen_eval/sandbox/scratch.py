"""Folders of sandboxes that are processes of this machine, named after their owner: a dead one's can be swept."""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import stat
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

from codegen_eval.errors import SandboxUnavailableError
from codegen_eval.sandbox.reaper import Owner

_NAME = re.compile(r"evalrun-([0-9a-f]{16}-[0-9]{1,10}-[0-9a-f]{1,24})-\w+")


def make_scratch() -> Path:
    """Make a folder that belongs to this process, in a place that a sandbox's own user can get to.

    Raises:
        SandboxUnavailableError: there is no such place.
    """
    owner = str(Owner.of(os.getpid())).replace(":", "-")
    try:
        return Path(tempfile.mkdtemp(prefix=f"evalrun-{owner}-", dir=_place()))
    except OSError as exc:
        raise SandboxUnavailableError(
            f"can't make a temporary folder: {exc.strerror}", hint="set TMPDIR to a folder with room in it"
        ) from exc


def remove_scratch(folder: Path) -> None:
    """Remove a folder and all that a solution left in it. Best effort: never raises."""
    with contextlib.suppress(OSError):
        try:
            shutil.rmtree(folder, ignore_errors=True)
        except RecursionError:  # a tree deeper than our stack, left by a guest that was killed
            subprocess.run(["rm", "-rf", "--", str(folder)], check=False)  # noqa: S603, S607 - our own folder


def dead_scratch() -> tuple[Path, ...]:
    """Return the folders whose owners have ended, as far as this user may remove them."""
    return tuple(folder for place in _places() for folder in _ours(place) if _is_dead(folder))


def sweep_scratch() -> tuple[Path, ...]:
    """Remove what `dead_scratch` finds; return what is gone."""
    found = dead_scratch()
    for folder in found:
        remove_scratch(folder)
    return tuple(folder for folder in found if not folder.exists())


def _is_dead(folder: Path) -> bool:
    match = _NAME.fullmatch(folder.name)
    owner = Owner.parse(match[1].replace("-", ":")) if match else None
    return owner is not None and owner.dead


def _ours(place: Path) -> Iterator[Path]:
    """Yield this user's folders of ours in a place. Links are not followed: anybody may make one there."""
    with contextlib.suppress(OSError):
        for folder in sorted(place.glob("evalrun-*")):
            with contextlib.suppress(OSError):
                facts = folder.lstat()
                if stat.S_ISDIR(facts.st_mode) and facts.st_uid == os.geteuid():
                    yield folder


def _places() -> list[Path]:
    names = (tempfile.gettempdir(), "/tmp", "/var/tmp")  # noqa: S108 - only to make private folders in
    return list(dict.fromkeys(Path(name).resolve() for name in names))


def _place() -> Path | None:
    """Return where to make folders; for root, a place that another user can get to.

    Raises:
        SandboxUnavailableError: there is none.
    """
    if os.geteuid() != 0:
        return None
    for place in _places():
        if place.is_dir() and all(part.stat().st_mode & stat.S_IXOTH for part in (place, *place.parents)):
            return place
    raise SandboxUnavailableError(
        f"no user but root can enter `{tempfile.gettempdir()}`, and a sandbox has a user of its own",
        hint="set TMPDIR to a folder with mode 755 all the way up",
    )
