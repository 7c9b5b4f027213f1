"""Why this machine lets nobody make namespaces, and what to do about it."""

from __future__ import annotations

from pathlib import Path

_APPARMOR = (
    "AppArmor forbids user namespaces: give bubblewrap a profile that has `userns,` (the package `apparmor-profiles` "
    "brings one, `bwrap-userns-restrict`), or `sysctl kernel.apparmor_restrict_unprivileged_userns=0`"
)
_SWITCHES = (
    (
        "/proc/sys/user/max_user_namespaces",
        "0",
        "user namespaces are switched off: `sysctl user.max_user_namespaces=10000` allows them",
    ),
    (
        "/proc/sys/kernel/unprivileged_userns_clone",
        "0",
        "user namespaces are for root only: `sysctl kernel.unprivileged_userns_clone=1` allows them",
    ),
    (
        "/proc/sys/kernel/apparmor_restrict_unprivileged_userns",
        "1",
        _APPARMOR,
    ),
)
"""File, the value that forbids, and what to do."""
_NAMESPACE_WORDS = ("namespace", "uid map", "uid_map", "Operation not permitted", "Permission denied")


def hint_for(complaint: str, *, root: Path = Path("/")) -> str:
    """Say what to do about what bubblewrap said."""
    if any(word in complaint for word in _NAMESPACE_WORDS):
        for name, forbids, hint in _SWITCHES:
            file = root / name.lstrip("/")
            if file.is_file() and file.read_text(encoding="ascii", errors="replace").strip() == forbids:
                return hint
        return "this machine, or the container we are in, allows no user namespaces; ask who runs it, or use Docker"
    return "try it by hand: `bwrap --unshare-all --ro-bind / / true`"
