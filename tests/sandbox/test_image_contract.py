"""Laws of the image itself: started by testcontainers with the product's own arguments, each protection bites."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from typing import TYPE_CHECKING

import pytest

from codegen_eval.resources import resource_root
from codegen_eval.sandbox.engine import Engine
from codegen_eval.sandbox.hardening import UID, container_arguments, host_arguments
from codegen_eval.sandbox.image import SandboxImage

if TYPE_CHECKING:
    from testcontainers.core.container import DockerContainer

pytestmark = pytest.mark.docker

MEMORY_MIB = 64
SECCOMP = (resource_root() / "sandbox-image" / "seccomp.json").read_text(encoding="utf-8")

Probe = Callable[[str], object]


@pytest.fixture(scope="session")
def container_type() -> type[DockerContainer]:
    """Import testcontainers without its own helper container, which would have to be pulled."""
    os.environ["TESTCONTAINERS_RYUK_DISABLED"] = "true"
    from testcontainers.core.container import DockerContainer

    return DockerContainer


@pytest.fixture
def probe(engine: Engine, image: SandboxImage, container_type: type[DockerContainer]) -> Probe:
    """Give a function that runs a program in a sandbox's container and returns the JSON value it prints."""
    assert engine.info().version

    def run(program: str) -> object:
        arguments = container_arguments({"dev.evalrun.test": "contract"}) | host_arguments(
            memory_mib=MEMORY_MIB, seccomp=SECCOMP, runtime=None
        )
        # the answer is read from the log once the program has ended
        arguments |= {"auto_remove": False, "log_config": {"type": "json-file"}}
        arguments.pop("stop_timeout")  # docker-py's high-level client has none
        arguments["entrypoint"] = ["python3", "-I", "-c", program]
        environment, tmpfs = arguments.pop("environment"), arguments.pop("tmpfs")
        assert isinstance(environment, dict)
        assert isinstance(tmpfs, dict)
        prepared = container_type(image.tag).with_kwargs(**arguments)
        for name, value in environment.items():
            prepared.with_env(name, str(value))
        for path, options in tmpfs.items():
            prepared.with_tmpfs_mount(path, str(options))
        with prepared as container:
            wrapped = container.get_wrapped_container()
            wrapped.wait(timeout=60)
            out, err = container.get_logs()
        lines = out.decode().splitlines()
        assert lines, err.decode()
        answer: object = json.loads(lines[-1])
        return answer

    return run


def test_the_guest_is_what_runs(image: SandboxImage, container_type: type[DockerContainer]) -> None:
    """Without another entry point the container runs the guest, as the user of the table, with nothing writable."""
    with container_type(image.tag, stdin_open=False, network_mode="none") as container:
        wrapped = container.get_wrapped_container()
        wrapped.wait(timeout=60)
        out, _ = container.get_logs()
        config = wrapped.attrs["Config"]

    assert b'"protocol"' in out
    assert config["Entrypoint"][-1] == "/opt/guest"
    assert config["User"] == f"{UID}:{UID}"


def test_the_guest_can_not_be_changed(probe: Probe) -> None:
    """The guest's files belong to root and nobody else may write them."""
    program = """
import json, os
paths = [os.path.join(top, name) for top, _, names in os.walk("/opt/guest") for name in names]
print(json.dumps([len(paths) > 0, [p for p in paths if os.stat(p).st_uid or os.stat(p).st_mode & 0o022]]))
"""
    assert probe(program) == [True, []]


def test_user(probe: Probe) -> None:
    """It is not root and can't become root, nor open what is root's."""
    program = """
import json, os
def refused(act):
    try:
        act()
    except OSError as exc:
        return type(exc).__name__
print(json.dumps([os.getresuid(), os.getgroups(), refused(lambda: os.setuid(0)), refused(lambda: open("/etc/shadow"))]))
"""
    assert probe(program) == [[UID] * 3, [UID], "PermissionError", "PermissionError"]


def test_capabilities(probe: Probe) -> None:
    """It has no capability in any set, can gain none, and what a capability allows fails."""
    program = """
import json, os
status = dict(line.split(":", 1) for line in open("/proc/self/status"))
try:
    os.chroot("/tmp")
    refused = False
except PermissionError:
    refused = True
caps = {int(status[name], 16) for name in ("CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb")}
print(json.dumps([sorted(caps), int(status["NoNewPrivs"]), int(status["Seccomp"]), refused]))
"""
    assert probe(program) == [[0], 1, 2, True]


def test_no_network(probe: Probe) -> None:
    """There is a loopback and nothing else, and no socket that could leave: not IP, VSOCK, ALG, NETLINK or PACKET."""
    program = """
import json, socket
names = [line.split(":")[0].strip() for line in open("/proc/net/dev").readlines()[2:]]
families = {"inet": 2, "inet6": 10, "vsock": 40, "alg": 38, "netlink": 16, "packet": 17}
opened = []
for name, number in families.items():
    for kind in (1, 2, 3, 5):
        try:
            socket.socket(number, kind)
            opened.append(name)
        except OSError:
            pass
left, right = socket.socketpair()
left.send(b"x")
print(json.dumps([names, opened, right.recv(1).decode()]))
"""
    assert probe(program) == [["lo"], [], "x"]


def test_read_only_root(probe: Probe) -> None:
    """Nothing can be written outside the small file systems meant for it."""
    program = """
import json, os
written = []
for top, folders, names in os.walk("/"):
    if top == "/":
        folders[:] = [name for name in folders if name not in ("proc", "sys", "dev", "tmp")]
    try:
        open(os.path.join(top, "x"), "w").close()
        written.append(top)
    except OSError:
        pass
flags = os.statvfs("/").f_flag
print(json.dumps([written, bool(flags & os.ST_RDONLY)]))
"""
    assert probe(program) == [[], True]


def test_memory_cap(probe: Probe) -> None:
    """A process that takes more than the cap is killed by the kernel; what stays below lives, and swap adds nothing."""
    program = f"""
import json, os, signal
def take(mib):
    pid = os.fork()
    if not pid:
        open("/proc/self/oom_score_adj", "w").write("1000")
        block = bytearray(mib << 20)
        block[::4096] = b"x" * len(block[::4096])
        os._exit(0)
    return os.waitpid(pid, 0)[1]
print(json.dumps([take({MEMORY_MIB // 4}), take({MEMORY_MIB * 2})]))
"""
    assert probe(program) == [0, 9]


def test_pids_cap(probe: Probe) -> None:
    """Processes and threads together end at the cap."""
    program = """
import json, os, signal
made = []
try:
    while len(made) < 200:
        pid = os.fork()
        if not pid:
            signal.pause()
        made.append(pid)
    refused = None
except OSError as exc:
    refused = type(exc).__name__
for pid in made:
    os.kill(pid, signal.SIGKILL)
print(json.dumps([len(made) < 64, len(made) > 40, refused]))
"""
    assert probe(program) == [True, True, "BlockingIOError"]


def test_temporary_folder(probe: Probe) -> None:
    """The temporary folder can be written, holds little, holds few files, and runs no program."""
    program = """
import json, os, shutil, subprocess
shutil.copy("/bin/true", "/tmp/true")
os.chmod("/tmp/true", 0o755)
try:
    subprocess.run(["/tmp/true"])
    ran = True
except PermissionError:
    ran = False
files = 0
try:
    while files < 10_000:
        open(f"/tmp/{files}", "w").close()
        files += 1
except OSError:
    pass
size = 0
try:
    for number in range(8):
        with open(f"/tmp/{number}", "wb") as out:
            for _ in range(8):
                out.write(bytes(1 << 20))
                out.flush()
                size += 1
except OSError:
    pass
print(json.dumps([ran, 1000 < files < 4096, 8 <= size <= 32]))
"""
    assert probe(program) == [False, True, True]


def test_file_size_and_descriptors(probe: Probe) -> None:
    """One process can't hold more than its share of descriptors, nor leave a core file."""
    program = """
import json, os, resource
made = []
try:
    while len(made) < 1000:
        made.append(os.open("/dev/null", os.O_RDONLY))
except OSError:
    pass
limits = [resource.getrlimit(each) for each in (resource.RLIMIT_CORE, resource.RLIMIT_FSIZE)]
print(json.dumps([len(made) < 256, limits]))
"""
    assert probe(program) == [True, [[0, 0], [32 << 20, 32 << 20]]]


def test_system_calls(probe: Probe) -> None:
    """Calls that reach the kernel's weak spots are refused, and clone3 looks as if it did not exist."""
    program = """
import ctypes, errno, json, os
libc = ctypes.CDLL(None, use_errno=True)
x86 = os.uname().machine == "x86_64"
calls = {
    "unshare": (272 if x86 else 97, 0x10000000), "clone": (56 if x86 else 220, 0x10000000 | 17, 0, 0, 0, 0),
    "ptrace": (101 if x86 else 117, 0, 0, 0, 0), "bpf": (321 if x86 else 280, 0, 0, 0),
    "keyctl": (250 if x86 else 219, 0, 0), "io_uring_setup": (425, 1, 0), "userfaultfd": (323 if x86 else 282, 0),
    "perf_event_open": (298 if x86 else 241, 0, 0, -1, -1, 0), "memfd_create": (319 if x86 else 279, b"x", 0),
    "mount": (165 if x86 else 40, 0, 0, 0, 0, 0), "clone3": (435, 0, 0), "setns": (308 if x86 else 268, 0, 0),
}
answers = {}
for name, (number, *rest) in calls.items():
    ctypes.set_errno(0)
    result = libc.syscall(number, *rest)
    answers[name] = errno.errorcode.get(ctypes.get_errno()) if result < 0 else "allowed"
print(json.dumps(answers))
"""
    answers = probe(program)

    assert isinstance(answers, dict)
    assert answers.pop("clone3") == "ENOSYS"
    assert set(answers.values()) == {"EPERM"}, answers


def test_ordinary_python_works(probe: Probe) -> None:
    """Threads, processes, subprocesses, sqlite, asyncio, mmap and temporary files work as anywhere."""
    program = """
import asyncio, json, mmap, multiprocessing, sqlite3, subprocess, tempfile, threading
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from multiprocessing import shared_memory
done = []
with ThreadPoolExecutor(4) as pool:
    done.append(sum(pool.map(abs, range(4))))
with ProcessPoolExecutor(2, multiprocessing.get_context("fork")) as pool:
    done.append(sum(pool.map(abs, range(4))))
done.append(subprocess.run(["/bin/true"]).returncode)
done.append(sqlite3.connect("/tmp/x.db").execute("select 6").fetchone()[0])
async def child():
    return await (await asyncio.create_subprocess_exec("/bin/true")).wait()
done.append(asyncio.run(child()))
with tempfile.TemporaryFile() as file:
    file.truncate(4096)
    with mmap.mmap(file.fileno(), 4096) as block:
        block[0] = 7
        done.append(block[0])
shared = shared_memory.SharedMemory(create=True, size=64)
shared.buf[0] = 8
done.append(shared.buf[0])
shared.close()
shared.unlink()
print(json.dumps(done))
"""
    assert probe(program) == [6, 6, 0, 6, 0, 7, 8]
