"""What of this machine's file system our Python needs to run: nothing else is shown to a sandbox without an image."""

from __future__ import annotations

import os
import sys
import sysconfig
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

_SYSTEM = (
    "/usr/bin",  # solutions may start the usual programs
    "/usr/lib",  # shared libraries
    "/usr/lib32",
    "/usr/lib64",
    "/usr/share/zoneinfo",  # `zoneinfo`
    "/bin",
    "/lib",
    "/lib32",
    "/lib64",  # the loader
    "/etc/ld.so.cache",  # where libraries are found
)
_STORES = ("/nix/store", "/gnu/store")
"""Systems that keep every package in a folder of its own: whoever needs one needs many."""
_PACKAGES = ("site-packages", "dist-packages")
_LIBRARY_PATH = "LD_LIBRARY_PATH"


@dataclass(frozen=True, slots=True, kw_only=True)
class Interpreter:
    """A Python, and what it reads."""

    program: str
    """Absolute path, free of links."""
    shown: tuple[str, ...]
    """Files and folders that it needs, none inside another."""
    links: tuple[tuple[str, str], ...]
    """Links among the system's folders: path and target."""
    packages: tuple[str, ...]
    """Folders inside of `shown` that it does not need: what is installed beside the standard library."""
    environment: Mapping[str, str]
    """What it must be told to find its libraries."""


def find_interpreter() -> Interpreter:
    """Look at the Python that runs this."""
    version = f"python{sys.version_info.major}.{sys.version_info.minor}"
    named = Path(sys.base_prefix, "bin", version)
    program = Path(named if named.exists() else sys.executable).resolve()
    links = tuple((path, str(Path(path).readlink())) for path in _SYSTEM if Path(path).is_symlink())
    wanted = [path for path in _SYSTEM if Path(path).exists() and not Path(path).is_symlink()]
    wanted += [store for store in _STORES if program.is_relative_to(store)]
    below = {"base": sys.base_prefix, "platbase": sys.base_exec_prefix}  # of the Python itself, not of an environment
    standard = [Path(sysconfig.get_path(name, vars=below)).resolve() for name in ("stdlib", "platstdlib")]
    wanted += [str(folder.parent) for folder in standard]
    wanted.append(str(program))
    strange = [folder for folder in _library_folders() if not _inside(folder, wanted)]
    places = [*standard, *(folder.parent / "python3" for folder in standard)]  # the second is Debian's
    packages = {str(place / name) for place in places for name in _PACKAGES if (place / name).is_dir()}
    return Interpreter(
        program=str(program),
        shown=_outermost([*wanted, *strange]),
        links=links,
        packages=tuple(sorted(packages)),
        environment={_LIBRARY_PATH: ":".join(strange)} if strange and _LIBRARY_PATH in os.environ else {},
    )


def _library_folders() -> tuple[str, ...]:
    """Return where the shared libraries are that this process has loaded, those of installed packages aside."""
    try:
        lines = Path("/proc/self/maps").read_text(encoding="utf-8", errors="surrogateescape").splitlines()
    except OSError:
        return ()
    files = {Path(line[line.index("/") :]) for line in lines if "/" in line}
    found = {str(file.parent) for file in files if file.name.startswith("lib") and ".so" in file.name}
    packages = [entry for entry in sys.path if "-packages" in entry or not _inside(entry, [sys.base_prefix])]
    return tuple(sorted(folder for folder in found if not _inside(folder, packages)))


def _inside(path: str, folders: Iterable[str]) -> bool:
    return any(Path(path).is_relative_to(folder) for folder in folders)


def _outermost(paths: Iterable[str]) -> tuple[str, ...]:
    """Leave out what is inside of something else, reached over the system's own links or not."""
    kept: list[str] = []
    for path in sorted(set(paths), key=lambda path: (path.count("/"), path)):
        if not _inside(os.path.realpath(path), map(os.path.realpath, kept)):
            kept.append(path)
    return tuple(sorted(kept))
