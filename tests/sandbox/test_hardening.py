"""Laws of the hardening table and of the seccomp profile."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest

from codegen_eval.resources import resource_root
from codegen_eval.sandbox.gvisor import adapt_container, adapt_host, is_gvisor
from codegen_eval.sandbox.hardening import MINIMUM_MEMORY_MIB, TABLE, container_arguments, host_arguments

Golden = Callable[[str, str], None]
PROFILE = json.loads((resource_root() / "sandbox-image" / "seccomp.json").read_text(encoding="utf-8"))
ALLOWED = {
    name
    for group in PROFILE["syscalls"]
    if group["action"] == "SCMP_ACT_ALLOW" and "args" not in group
    for name in group["names"]
}


def test_the_table_is_the_reviewed_one(golden: Golden) -> None:
    """What a container is created with changes only together with its golden file."""
    actual = {
        runtime: {
            "container": adapt_container(container_arguments({"label": "value"}), 256)
            if is_gvisor(runtime)
            else container_arguments({"label": "value"}),
            "host": adapt_host(host_arguments(memory_mib=256, seccomp="{}", runtime=runtime), 256)
            if is_gvisor(runtime)
            else host_arguments(memory_mib=256, seccomp="{}", runtime=runtime),
        }
        for runtime in ("runc", "runsc")
    }

    golden("hardening.json", json.dumps(actual, indent=2, sort_keys=True) + "\n")


def test_every_option_has_one_place_and_a_reason() -> None:
    """No option is set twice and none without a reason."""
    names = [option.name for option in TABLE]

    assert len(names) == len(set(names))
    assert all(option.reason for option in TABLE)


@pytest.mark.parametrize("memory_mib", [MINIMUM_MEMORY_MIB, 256, 4096])
def test_no_swap_on_top_of_memory(memory_mib: int) -> None:
    """The swap limit equals the memory limit whatever the memory limit is."""
    arguments = host_arguments(memory_mib=memory_mib, seccomp="{}", runtime=None)

    assert arguments["mem_limit"] == arguments["memswap_limit"] == f"{memory_mib}m"


@pytest.mark.parametrize("memory_mib", [MINIMUM_MEMORY_MIB - 1, 0, -1])
def test_zero_is_not_unlimited(memory_mib: int) -> None:
    """A memory limit that the engine would read as none, or that the guest can't live in, is refused."""
    with pytest.raises(ValueError, match="at least"):
        host_arguments(memory_mib=memory_mib, seccomp="{}", runtime=None)


def test_arguments_are_not_shared() -> None:
    """Changing what one call returned does not change the next."""
    first = host_arguments(memory_mib=256, seccomp="{}", runtime=None)
    dropped = first["cap_drop"]
    assert isinstance(dropped, list)
    dropped.clear()

    assert host_arguments(memory_mib=256, seccomp="{}", runtime=None)["cap_drop"] == ["ALL"]


def test_the_profile_is_an_allow_list() -> None:
    """A system call that the profile does not name fails."""
    assert PROFILE["defaultAction"] == "SCMP_ACT_ERRNO"
    assert {each["architecture"] for each in PROFILE["archMap"]} == {"SCMP_ARCH_X86_64", "SCMP_ARCH_AARCH64"}
    assert all(each["subArchitectures"] == [] for each in PROFILE["archMap"])


@pytest.mark.parametrize(
    "name",
    [
        *("mount", "umount2", "unshare", "setns", "pivot_root", "chroot", "open_tree", "move_mount", "fsopen"),
        *("ptrace", "process_vm_readv", "process_vm_writev", "kcmp", "pidfd_getfd"),
        *("bpf", "perf_event_open", "userfaultfd", "io_uring_setup", "io_uring_enter", "io_uring_register"),
        *("keyctl", "add_key", "request_key", "init_module", "finit_module", "kexec_load", "reboot", "swapon"),
        *("memfd_create", "execveat", "open_by_handle_at", "name_to_handle_at", "mknod", "mknodat", "personality"),
        *("shmget", "msgget", "semget", "mq_open", "clone", "clone3", "socket", "settimeofday", "clock_settime"),
    ],
)
def test_the_profile_refuses(name: str) -> None:
    """A call that reaches the kernel's weak spots is never allowed without a condition."""
    assert name not in ALLOWED


@pytest.mark.parametrize("name", ["prctl", "seccomp", "landlock_create_ruleset", "landlock_restrict_self"])
def test_the_profile_lets_the_guest_fence_itself(name: str) -> None:
    """The guest can stack its own fences on the profile."""
    assert name in ALLOWED
