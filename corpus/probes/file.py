"""Tries to write, read and run what it should not."""

import errno
import os
import resource
import signal
import sys


def touch(path):
    os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))


def create(folder):
    path = os.path.join(folder, "evalrun-probe")
    touch(path)
    os.unlink(path)


def open_for_writing(path):
    os.close(os.open(path, os.O_WRONLY))


def probe_write(folders, files):
    """Make a file in folders, and open files for writing (nothing is written)."""
    told = {f"create in {folder}": attempt(create, folder) for folder in folders}
    told |= {f"write {path}": attempt(open_for_writing, path) for path in files}
    return told | {"root": "read-only" if os.statvfs("/").f_flag & os.ST_RDONLY else "writable"}


def probe_read(path):
    return text_of(path)


def probe_fill(folder, limit):
    """Write up to `limit` bytes in files of 8 MiB; tell how many went."""
    block, written, paths, why = bytes(MIB), 0, [], DONE
    try:
        while written < limit:
            if written % (8 * MIB) == 0:
                paths.append(os.path.join(folder, f"fill-{len(paths)}"))
            with open(paths[-1], "ab", buffering=0) as file:
                count = file.write(block)
            written += count
            if count < MIB:
                break
    except OSError as exc:
        why = errno.errorcode.get(exc.errno, "OSError")
    finally:
        for path in paths:
            attempt(os.unlink, path)
    return [written, why]


def probe_inodes(folder, limit):
    """Make up to `limit` empty files; tell how many there were."""
    made = 0
    while made < limit and attempt(touch, os.path.join(folder, f"inode-{made}")) == DONE:
        made += 1
    for number in range(made):
        os.unlink(os.path.join(folder, f"inode-{number}"))
    return made


def run(program):
    os.waitpid(os.posix_spawn(program, ["probe", "-I", "-S", "-c", ""], {}), 0)


def run_from_memory(program):
    fd = os.memfd_create("probe", 0)
    try:
        os.write(fd, program)
        run(f"/proc/self/fd/{fd}")
    finally:
        os.close(fd)


def probe_execute(folder):
    """Run a copy of a program that is there anyway, from a folder and from memory."""
    with open(os.path.realpath(sys.executable or "/proc/self/exe"), "rb") as file:
        program = file.read()
    path = os.path.join(folder, "program")
    with open(path, "wb") as file:
        file.write(program)
    os.chmod(path, 0o700)
    told = {
        "run a file": attempt(run, path),
        "run it from memory": attempt(run_from_memory, program),
    }
    os.unlink(path)
    return told


def probe_file_size(folder, size):
    path = os.path.join(folder, "large")
    with open(path, "wb") as file:
        told = {"truncate": attempt(os.ftruncate, file.fileno(), size), "write": attempt(os.pwrite, file.fileno(), b"x", size)}
    os.unlink(path)
    return told


def crash():
    os.kill(os.getpid(), signal.SIGSEGV)


def probe_core(folder):
    """Ask for core files, then crash a child and look for one."""
    told = {"limit": list(resource.getrlimit(resource.RLIMIT_CORE))}
    told["raise"] = in_child(resource.setrlimit, resource.RLIMIT_CORE, (64 * MIB, 64 * MIB))
    before = set(os.listdir(folder))
    in_child(crash)
    made = sorted(set(os.listdir(folder)) - before)
    for name in made:
        os.unlink(os.path.join(folder, name))
    return told | {"made": made, "pattern": text_of("/proc/sys/kernel/core_pattern").strip()}
