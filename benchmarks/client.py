"""Our table of container options in the words of the client program `docker`."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from codegen_eval.resources import resource_root
from codegen_eval.sandbox.hardening import Argument, Arguments

_WORDS = {
    "user": "user",
    "hostname": "hostname",
    "working_dir": "workdir",
    "network_mode": "network",
    "ipc_mode": "ipc",
    "cgroupns": "cgroupns",
    "shm_size": "shm-size",
    "pids_limit": "pids-limit",
    "stop_timeout": "stop-timeout",
    "mem_limit": "memory",
    "memswap_limit": "memory-swap",
    "runtime": "runtime",
}
"""Options of one value."""
_NOT_SAID = frozenset({"stdin_open", "auto_remove", "tty", "init", "privileged", "restart_policy", "network_disabled"})
"""The first two are `-i` and `--rm`, the next are defaults; the client has no word for the last."""


def client_options(container: Arguments, host: Arguments) -> list[str]:
    """Return the options of `docker run`.

    Raises:
        KeyError: the table has an option that this module does not know.
    """
    argv = ["--rm", "-i"]
    for name, value in {**container, **host}.items():
        if name in _WORDS:
            argv.append(f"--{_WORDS[name]}={value}")
        elif name not in _NOT_SAID:
            argv += _SPECIAL[name](value)
    return argv


def _security(value: Argument) -> list[str]:
    """The client reads the profile from a file."""
    words = [f"--security-opt={each}" for each in _list(value) if not str(each).startswith("seccomp=")]
    return [*words, f"--security-opt=seccomp={resource_root() / 'sandbox-image' / 'seccomp.json'}"]


def _list(value: Argument) -> list[object]:
    return list(value) if isinstance(value, list) else []


def _items(value: Argument) -> list[tuple[str, object]]:
    return [(str(key), item) for key, item in value.items()] if isinstance(value, dict) else []


def _ulimits(value: Argument) -> list[str]:
    limits = [each for each in _list(value) if isinstance(each, Mapping)]
    return [f"--ulimit={each['Name']}={each['Soft']}:{each['Hard']}" for each in limits]


_SPECIAL: dict[str, Callable[[Argument], list[str]]] = {
    "read_only": lambda _: ["--read-only"],
    "log_config": lambda value: [f"--log-driver={dict(_items(value))['type']}"],
    "nano_cpus": lambda value: [f"--cpus={float(str(value)) / 1e9:g}"],
    "cap_drop": lambda value: [f"--cap-drop={each}" for each in _list(value)],
    "security_opt": _security,
    "tmpfs": lambda value: [f"--tmpfs={path}:{options}" for path, options in _items(value)],
    "environment": lambda value: [f"--env={name}={text}" for name, text in _items(value)],
    "labels": lambda value: [f"--label={name}={text}" for name, text in _items(value)],
    "ulimits": _ulimits,
}
