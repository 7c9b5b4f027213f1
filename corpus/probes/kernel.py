"""Asks the kernel for what it should refuse."""

import ctypes
import os
import signal
import socket
import struct


def make_socket(family, kind):
    socket.socket(family, kind).close()


def probe_io_uring():
    return {"set up a ring": attempt(lambda: os.close(syscall(425, 425, 1, ctypes.create_string_buffer(120))))}


def probe_socket(family, kind):
    return {"make a socket": attempt(make_socket, family, kind)}


def probe_keyrings():
    return {
        "add a key": attempt(lambda: syscall(248, 217, b"user", b"evalrun-probe", b"x", 1, -2)),
        "find the session's keys": attempt(lambda: syscall(250, 219, 0, -3, 0)),
    }


def unshare(flags):
    checked(libc.unshare(flags))


def clone(flags):
    if syscall(56, 220, flags | signal.SIGCHLD, 0, 0, 0, 0) == 0:
        os._exit(0)


def probe_user_namespaces():
    return {"unshare": in_child(unshare, 0x10000000), "clone": in_child(clone, 0x10000000)}


def probe_mount(folder):
    place = os.path.join(folder, "mounted")
    os.mkdir(place)
    told = {"mount": attempt(lambda: checked(libc.mount(b"none", place.encode(), b"tmpfs", ctypes.c_ulong(0), None)))}
    attempt(lambda: checked(libc.umount2(place.encode(), 2)))
    os.rmdir(place)
    return told | {"open a file system": attempt(lambda: os.close(syscall(430, 430, b"tmpfs", 0)))}


def probe_bpf():
    wanted = ctypes.create_string_buffer(struct.pack("=IIII", 2, 4, 4, 1), 128)
    return {"make a map": attempt(lambda: os.close(syscall(321, 280, 0, wanted, 128)))}


def probe_perf():
    wanted = ctypes.create_string_buffer(struct.pack("=II32xQ", 1, 64, 0b1100000), 128)
    return {"open a counter": attempt(lambda: os.close(syscall(298, 241, wanted, 0, -1, -1, 0)))}


def probe_ipc():
    """Make objects that outlive their maker, and remove them."""
    remove = 0
    return {
        "shared memory": attempt(lambda: libc.shmctl(checked(libc.shmget(0, 4096, 0o1600)), remove, None)),
        "message queue": attempt(lambda: libc.msgctl(checked(libc.msgget(0, 0o1600)), remove, None)),
        "semaphore": attempt(lambda: libc.semctl(checked(libc.semget(0, 1, 0o1600)), 0, remove)),
    }
