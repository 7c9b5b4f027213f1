"""Tries the limits of a sandbox one by one, and tells what happened. It ends nothing and leaves nothing behind.

This one is trusted: `evalrun doctor` runs it as it would run a solution. It only reports; what counts as held is decided
outside, together with what the host itself has seen. An attempt is told as "done", or as the error that it met. All
attempts are bounded and harmless where nothing stops them.
"""

import ctypes
import errno
import os
import platform
import resource
import signal
import socket
import stat
import struct
import sys
import threading
import time

MIB = 1 << 20
DONE = "done"
REFUSED = 255

libc = ctypes.CDLL(None, use_errno=True)
libc.syscall.restype = ctypes.c_long
X86 = platform.machine() == "x86_64"


def probe(name, *arguments):
    """Make one probe."""
    return globals()["probe_" + name](*arguments)


def attempt(action, *arguments):
    """Do something; say "done", or name the error."""
    try:
        action(*arguments)
    except OSError as exc:
        return errno.errorcode.get(exc.errno, type(exc).__name__)
    except Exception as exc:
        return type(exc).__name__
    return DONE


def checked(result):
    """Raise the error of a C function that returned -1."""
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))
    return result


def syscall(x86, arm, *arguments):
    """Make a system call by its number."""
    wide = [ctypes.c_long(item) if isinstance(item, int) else item for item in arguments]
    return checked(libc.syscall(ctypes.c_long(x86 if X86 else arm), *wide))


def in_child(action, *arguments):
    """Attempt something in a child of its own, which it may change."""
    pid = os.fork()
    if not pid:
        code = REFUSED
        try:
            told = attempt(action, *arguments)
            code = 0 if told == DONE else getattr(errno, told, REFUSED)
        finally:
            os._exit(code)
    code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    return DONE if code == 0 else errno.errorcode.get(code, "an error" if code == REFUSED else f"signal {-code}")


def text_of(path):
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            return file.read(MIB)
    except OSError:
        return ""


# --- what it reaches ----------------------------------------------------------------------------------------------------


def connect(family, kind, address):
    with socket.socket(family, kind) as sock:
        sock.settimeout(0.3)
        sock.connect(address)


def probe_connect(targets):
    """Connect to addresses of the host."""
    told = {}
    for address, port in targets:
        family = socket.AF_INET6 if ":" in address else socket.AF_INET
        told[f"connect to {address}"] = attempt(connect, family, socket.SOCK_STREAM, (address, port))
    return told


def probe_network(targets):
    """Connect to the host, and ask for a route to the world; a datagram socket that is connected sends nothing."""
    return probe_connect(targets) | {
        "route for IPv4": attempt(connect, socket.AF_INET, socket.SOCK_DGRAM, ("198.51.100.1", 9)),
        "route for IPv6": attempt(connect, socket.AF_INET6, socket.SOCK_DGRAM, ("2001:db8::1", 9)),
    }


def ask_name(address, port, question):
    with socket.socket(socket.AF_INET6 if ":" in address else socket.AF_INET, socket.SOCK_DGRAM) as sock:
        sock.settimeout(0.3)
        sock.connect((address, port))
        sock.send(question)
        sock.recv(512)


def probe_dns(servers, question):
    """Send a question to name servers: the host's own stand-in, and those that the sandbox knows."""
    lines = [line.split() for line in text_of("/etc/resolv.conf").splitlines()]
    known = [(words[1].partition("%")[0], 53) for words in lines if words[:1] == ["nameserver"] and len(words) > 1]
    return {f"ask {host}": attempt(ask_name, host, port, question) for host, port in [*servers, *known[:2]]}


def probe_interfaces():
    names = [line.partition(":")[0].strip() for line in text_of("/proc/net/dev").splitlines() if ":" in line]
    routes = [line.split()[0] for line in text_of("/proc/net/route").splitlines()[1:] if line.split()]
    return {"interfaces": names, "routes": routes}


def probe_abstract(name):
    return {"connect": attempt(connect, socket.AF_UNIX, socket.SOCK_STREAM, "\0" + name)}


# --- what it writes -----------------------------------------------------------------------------------------------------


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


# --- what it uses -------------------------------------------------------------------------------------------------------


def probe_memory(mib):
    """Hold and touch so many MiB; tell how many were had."""
    held = []
    try:
        while len(held) < mib:
            held.append(b"x" * MIB)
    except MemoryError:
        return len(held)
    return len(held)


def probe_swap():
    """Read what the control group says, and how much swap there is at all."""
    v1, v2 = "/sys/fs/cgroup/memory/memory.", "/sys/fs/cgroup/memory."
    told = {
        "memory": text_of(v1 + "limit_in_bytes") or text_of(v2 + "max"),
        "memory and swap": text_of(v1 + "memsw.limit_in_bytes"),
        "swap": text_of(v2 + "swap.max"),
        "machine": "".join(line for line in text_of("/proc/meminfo").splitlines() if line.startswith("SwapTotal")),
    }
    return {name: text.strip() for name, text in told.items()}


def probe_threads(limit):
    """Start up to `limit` threads that wait; tell how many there were."""
    threading.stack_size(64 << 10)
    go, started = threading.Event(), []
    try:
        while len(started) < limit:
            thread = threading.Thread(target=go.wait, daemon=True)
            thread.start()
            started.append(thread)
    except (RuntimeError, MemoryError):
        pass
    go.set()
    for thread in started:
        thread.join()
    return len(started)


def spin(seconds):
    stop = time.monotonic() + seconds
    while time.monotonic() < stop:
        pass


def probe_cores(processes, seconds):
    """Compute in several processes at once; tell the CPU time that they got, the time it took, and the quota."""
    start, before = time.monotonic(), os.times()
    children = []
    for _ in range(processes):
        pid = os.fork()
        if not pid:
            spin(seconds)
            os._exit(0)
        children.append(pid)
    for pid in children:
        os.waitpid(pid, 0)
    after = os.times()
    cpu = after.children_user + after.children_system - before.children_user - before.children_system
    return {"cpu": cpu, "wall": time.monotonic() - start, "quota": quota()}


def quota():
    """Return how many cores the control group allows, None where that can't be told."""
    words = text_of("/sys/fs/cgroup/cpu.max").split()
    if not words:
        places = ("/sys/fs/cgroup/cpu/cpu.cfs_", "/sys/fs/cgroup/cpu,cpuacct/cpu.cfs_")
        words = next((found for place in places if (found := cfs(place))), [])
    if len(words) != 2 or not words[1].isdigit():
        return None
    return int(words[0]) / int(words[1]) if words[0].isdigit() else float("inf")


def cfs(place):
    return [*text_of(place + "quota_us").split(), *text_of(place + "period_us").split()]


def probe_spin(seconds):
    stop = time.process_time() + seconds
    while time.process_time() < stop:
        pass
    return DONE


def probe_sleep(seconds):
    time.sleep(seconds)
    return DONE


def probe_print(count):
    """Write to standard output and error in turns."""
    for number in range(count // 8192):
        os.write(1 + number % 2, b"x" * 8192)
    return DONE


def probe_reply(count):
    return "x" * count


def probe_open_files(limit):
    held = []
    while len(held) < limit:
        try:
            held.append(os.dup(0))
        except OSError:
            break
    for fd in held:
        os.close(fd)
    return len(held)


# --- what it may --------------------------------------------------------------------------------------------------------


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


def probe_processes():
    """Tell the processes in sight, but for this one and those that it descends from in here."""
    ours, pid = {1}, os.getpid()
    while pid > 1:
        ours.add(pid)
        words = text_of(f"/proc/{pid}/stat").rpartition(")")[2].split()
        pid = int(words[1]) if len(words) > 1 else 0
    others = [name for name in os.listdir("/proc") if name.isdigit() and int(name) not in ours]
    return {"others": len(others), "depth": len(ours)}


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


def probe_environment():
    return dict(os.environ)


def probe_host_name():
    return os.uname().nodename


def probe_namespaces():
    names = ("cgroup", "ipc", "mnt", "net", "pid", "user", "uts")
    return {name: link(f"/proc/self/ns/{name}") for name in names} | {"paths": text_of("/proc/self/cgroup")}


def link(path):
    try:
        return os.readlink(path)
    except OSError:
        return ""


# --- what it asks the kernel for ----------------------------------------------------------------------------------------


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


def probe_kernel():
    """Tell what the fences could be made of."""
    return {"landlock": max(0, libc.syscall(ctypes.c_long(444), None, ctypes.c_size_t(0), ctypes.c_uint(1)))}
