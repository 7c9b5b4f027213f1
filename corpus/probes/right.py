"""Tries to be more than it is, and to get at the process that watches it."""

import ctypes
import errno
import os
import resource
import signal
import stat
import struct


def status():
    return dict(line.split(":\t", 1) for line in text_of("/proc/self/status").splitlines() if ":\t" in line)


def probe_capabilities():
    """Read the sets of capabilities from the kernel, and try to get some."""
    names = {"CapEff": "effective", "CapPrm": "permitted", "CapInh": "inheritable", "CapAmb": "ambient", "CapBnd": "bounding"}
    said = status()
    told = {name: int(said[key], 16) if key in said else None for key, name in names.items()}
    return told | {
        "become root": in_child(os.setuid, 0),
        "change groups": in_child(os.setgroups, [0]),
        "change root": in_child(os.chroot, "/tmp"),
    }


def probe_setuid():
    """Start a program that is marked setuid, and see whose it is then."""
    told = {"no_new_privs": libc.prctl(39, 0, 0, 0, 0), "program": "", "uid": os.getuid(), "became": None}
    for path in ("/usr/bin/su", "/bin/su", "/usr/bin/passwd", "/usr/bin/chsh", "/usr/bin/newgrp", "/bin/mount"):
        try:
            found = os.stat(path)
        except OSError:
            continue
        if found.st_mode & stat.S_ISUID and found.st_uid != os.getuid():
            return told | {"program": path, "became": uid_of_program(path)}
    return told


def uid_of_program(path):
    """Start a program that waits for input; return its effective uid."""
    reader, writer = os.pipe()
    actions = [(os.POSIX_SPAWN_DUP2, reader, 0), (os.POSIX_SPAWN_CLOSE, writer)]
    pid = os.posix_spawn(path, [path], {}, file_actions=actions)
    os.close(reader)
    try:
        line = next((line for line in text_of(f"/proc/{pid}/status").splitlines() if line.startswith("Uid:")), "")
        return int(line.split()[2]) if line else None
    finally:
        os.close(writer)
        attempt(os.kill, pid, signal.SIGKILL)
        os.waitpid(pid, 0)


def read_memory(pid):
    """Read eight bytes of another process, where this one has them, too."""
    target = ctypes.create_string_buffer(8)
    local = (ctypes.c_void_p * 2)(ctypes.addressof(target), 8)
    remote = (ctypes.c_void_p * 2)(id(None), 8)
    checked(libc.process_vm_readv(pid, local, ctypes.c_ulong(1), remote, ctypes.c_ulong(1), ctypes.c_ulong(0)))


def seize(pid):
    checked(libc.ptrace(0x4206, pid, None, None))


def take_descriptor(pid):
    syscall(438, 438, os.pidfd_open(pid), 0, 0)


def open_descriptors(pid):
    """Open the first descriptor of another process that can be opened, to read or to write."""
    refusal = OSError(errno.EBADF, "none")
    for number in range(16):
        for mode in (os.O_RDONLY, os.O_WRONLY):
            try:
                os.close(os.open(f"/proc/{pid}/fd/{number}", mode | os.O_NONBLOCK))
            except FileNotFoundError:
                continue
            except OSError as exc:
                refusal = exc
            else:
                return
    raise refusal


def read_some(path):
    with open(path, "rb") as file:
        file.read(1)


def probe_supervisor():
    """Look into the process that started this one, and hold on to it."""
    parent = os.getppid()
    told = {f"read {name}": attempt(read_some, f"/proc/{parent}/{name}") for name in ("environ", "maps", "auxv")}
    told["open mem"] = attempt(lambda: os.close(os.open(f"/proc/{parent}/mem", os.O_RDWR)))
    told["list fd"] = attempt(os.listdir, f"/proc/{parent}/fd")
    told["open a descriptor"] = attempt(open_descriptors, parent)
    told["read its memory"] = attempt(read_memory, parent)
    told["take a descriptor"] = attempt(take_descriptor, parent)
    told["change its limits"] = attempt(resource.prlimit, parent, resource.RLIMIT_CORE, resource.getrlimit(resource.RLIMIT_CORE))
    told["trace it"] = in_child(seize, parent)
    return told


def nodes():
    """Return kind, major and minor number of every device file."""
    for folder, _, names in os.walk("/dev"):
        for name in names:
            try:
                found = os.lstat(os.path.join(folder, name))
            except OSError:
                continue
            kind = "block" if stat.S_ISBLK(found.st_mode) else "character" if stat.S_ISCHR(found.st_mode) else ""
            if kind:
                yield [os.path.join(folder, name), kind, os.major(found.st_rdev), os.minor(found.st_rdev)]


def probe_devices(folder):
    """List the device files, and try to make some."""
    made = {}
    for name, kind, numbers in (("disk", stat.S_IFBLK, (8, 0)), ("memory", stat.S_IFCHR, (1, 1))):
        path = os.path.join(folder, name)
        made[f"make a node for a {name}"] = attempt(os.mknod, path, 0o600 | kind, os.makedev(*numbers))
        attempt(os.unlink, path)
    return {"found": list(nodes()), "made": made}


def probe_user():
    return {"uids": list(os.getresuid()), "gids": list(os.getresgid()), "groups": os.getgroups()}


def probe_clock():
    """Ask for a tick that no clock has: one who may set the clock is told that it is wrong, anybody else just no."""
    wanted = ctypes.create_string_buffer(struct.pack("=I84xq", 0x4000, 0), 256)
    told = attempt(lambda: checked(libc.adjtimex(wanted)))
    return {"set the clock": DONE if told == "EINVAL" else told}
