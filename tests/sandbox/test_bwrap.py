"""Laws of the bwrap sandbox that the conformance laws don't say."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from codegen_eval.interfaces import EndReason, Exchange, Sandbox
from codegen_eval.sandbox.bwrap import BwrapProvider
from codegen_eval.sandbox.confinement import FILES, NAMESPACES, bwrap_arguments
from codegen_eval.sandbox.hardening import Weakening
from codegen_eval.sandbox.interpreter import Interpreter
from sandbox.talk import answer, ask

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="bubblewrap is for Linux")

PYTHON = Interpreter(
    program="/opt/python/bin/python3.11",
    shown=("/opt/python/bin/python3.11", "/opt/python/lib", "/usr/lib"),
    links=(("/lib", "usr/lib"),),
    packages=("/opt/python/lib/python3.11/site-packages",),
    environment={},
)
ANSWERS = "def f(x): return x"


@pytest.fixture(scope="module")
def inside(bubblewrap: None) -> Iterator[Sandbox]:
    del bubblewrap
    with BwrapProvider(memory_mib=256) as provider:
        opened = provider.open()
        yield opened
        opened.close()


@pytest.fixture(scope="module")
def unfiltered(bubblewrap: None) -> Iterator[Sandbox]:
    """Give a sandbox whose guest has no fences of its own: what is refused there, bubblewrap's walls refuse."""
    del bubblewrap
    with BwrapProvider(memory_mib=256, weakening=Weakening(guest=frozenset({"landlock", "seccomp"}))) as provider:
        opened = provider.open()
        yield opened
        opened.close()


def ended(exchange: Exchange) -> EndReason | None:
    return None if exchange.end is None else exchange.end.reason


# --- the table ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("age", ["new", "old"])
def test_the_table_is_the_reviewed_one(golden: Callable[[str, str], None], age: str) -> None:
    """What bubblewrap is started with changes only together with its golden file, for old ones, too."""
    words = bwrap_arguments(
        PYTHON, guest="/x/guest", memory_mib=256, counted_apart=age == "new", knows=lambda _: age == "new"
    )

    golden(f"confinement.{age}.json", json.dumps(words, indent=1) + "\n")


def test_every_argument_has_one_place_and_a_reason() -> None:
    """No argument is there twice and none without a reason."""
    names = [argument.name for argument in NAMESPACES + FILES]

    assert len(names) == len(set(names))
    assert all(argument.reason for argument in NAMESPACES + FILES)


# --- what it sees ---------------------------------------------------------------------------------------------------


def test_nothing_of_this_machine_is_shown_but_a_python(unfiltered: Sandbox, tmp_path: Path) -> None:
    """Neither accounts, homes, mail, temporary files nor sockets of this machine, nor packages installed beside it."""
    secret = tmp_path / "secret"
    secret.write_text("x", encoding="ascii")
    environment = [sys.prefix] if sys.prefix != sys.base_prefix else []
    paths = [
        str(secret),
        *environment,
        "/etc/passwd",
        "/etc/shadow",
        "/var",
        "/run",
        "/sys/kernel",
        "/usr/local/share",
        "/boot",
    ]
    source = """
import os, sys
def f(paths):
    walks = [walk for place in ('/home', '/root') for walk in os.walk(place)]
    homes = [top + '/' + name for top, _, names in walks for name in names if not top.startswith(sys.prefix)]
    beside = [path for path in (sys.prefix + '/lib/python%d.%d/site-packages' % sys.version_info[:2],)
              if os.path.exists(path) and os.listdir(path)]
    return [path for path in paths if os.path.exists(path)] + homes + beside
"""
    assert answer(ask(unfiltered, source, paths)) == []


def test_it_is_alone_in_its_namespaces(unfiltered: Sandbox) -> None:
    """It sees its own two processes, a loopback that is down, its own host name, and has no rights at all."""
    source = """
import os
def f(x):
    status = dict(line.split(':', 1) for line in open('/proc/self/status'))
    return [sorted(int(name) for name in os.listdir('/proc') if name.isdigit())[0],
            len([name for name in os.listdir('/proc') if name.isdigit()]),
            [line.split(':')[0].strip() for line in open('/proc/net/dev').readlines()[2:]],
            os.uname().nodename, int(status['CapBnd'], 16) | int(status['CapEff'], 16), int(status['NoNewPrivs'])]
"""
    assert answer(ask(unfiltered, source, 1)) == [1, 2, ["lo"], "sandbox", 0, 1]


def test_no_socket_of_this_machine_is_reached(unfiltered: Sandbox) -> None:
    """Abstract sockets and the loopback of the host are out of reach, without any filter of system calls."""
    with socket.socket(socket.AF_UNIX) as abstract, socket.create_server(("127.0.0.1", 0)) as server:
        name = f"evalrun-test-{os.getpid()}"
        abstract.bind("\0" + name)
        abstract.listen()
        source = """
import socket
def f(name, port):
    refused = 0
    for family, address in ((socket.AF_UNIX, chr(0) + name), (socket.AF_INET, ('127.0.0.1', port))):
        try: socket.socket(family).connect(address)
        except OSError: refused += 1
    return refused
"""
        assert answer(ask(unfiltered, source, name, server.getsockname()[1])) == 2


def test_no_namespace_inside_a_namespace(unfiltered: Sandbox) -> None:
    """A further user namespace, a mount, and a change of user are refused without any filter."""
    source = """
import ctypes, os
libc = ctypes.CDLL(None, use_errno=True)
def f(x):
    tries = (lambda: libc.unshare(0x10000000), lambda: libc.mount(b'x', b'/tmp', b'tmpfs', 0, None),
             lambda: libc.setuid(0), lambda: libc.sethostname(b'x', 1), lambda: libc.chroot(b'/tmp'))
    return [each() for each in tries]
"""
    assert answer(ask(unfiltered, source, 1)) == [-1] * 5


# --- what it writes and uses ----------------------------------------------------------------------------------------


def test_it_writes_where_it_may(unfiltered: Sandbox) -> None:
    """Outside of /tmp, /dev/shm and its own /proc nothing can be written."""
    source = """
import os
def f(x):
    written = []
    for top, folders, names in os.walk('/'):
        if top == '/':
            folders[:] = [name for name in folders if name not in ('proc', 'tmp')]
        try: open(os.path.join(top, 'x'), 'w').close()
        except OSError: continue
        written.append(top)
    for name in ('sysrq-trigger', 'sys/kernel/hostname', 'sys/vm/overcommit_memory', '1/oom_score_adj', '1/comm'):
        try: open('/proc/' + name, 'r+').close()
        except OSError: continue
        written.append(name)
    return written
"""
    assert answer(ask(unfiltered, source, 1)) == ["/dev/shm"]  # noqa: S108 - its own


def test_memory_of_all_processes_together_is_bounded(inside: Sandbox) -> None:
    """Processes that each stay below the limit end where they are above it together; the next worker runs."""
    source = """
import os, time
def f(x):
    for _ in range(8):
        if not os.fork():
            block = bytearray(100 << 20)
            time.sleep(20)
    time.sleep(20)
"""
    assert ended(ask(inside, source, 1, wall=20.0)) is EndReason.OUT_OF_MEMORY
    assert answer(ask(inside, ANSWERS, 7)) == 7


def test_shared_memory_counts_once(inside: Sandbox) -> None:
    """Children that share what their parent made are no reason to end it."""
    source = """
import os, time
def f(x):
    block = bytearray(b'x' * (60 << 20))
    for _ in range(8):
        if not os.fork():
            time.sleep(0.5)
            os._exit(len(block) & 1)
    return [os.wait()[1] for _ in range(8)]
"""
    assert answer(ask(inside, source, 1)) == [0] * 8


def test_processes_and_threads_are_bounded(inside: Sandbox) -> None:
    """They end at 64 in all, and the next worker has room again."""
    source = """
import os, signal
def f(x):
    made = 0
    try:
        while made < 200:
            if not os.fork():
                signal.pause()
            made += 1
    except OSError as exc:
        return [made, type(exc).__name__]
"""
    made = answer(ask(inside, source, 1))

    assert isinstance(made, list)
    assert 40 < made[0] < 64
    assert made[1] == "BlockingIOError"
    assert answer(ask(inside, source, 1)) == made


def test_the_temporary_folder_is_small(inside: Sandbox) -> None:
    """It holds no more than 32 MiB, and a flood of files ends the worker that makes it."""
    fill = """
def f(x):
    size = 0
    try:
        for number in range(8):
            with open(f'/tmp/{number}', 'wb') as out:
                for _ in range(16):
                    out.write(bytes(1 << 20))
                    out.flush()
                    size += 1
    except OSError:
        return size
"""
    flood = "def f(x):\n    for n in range(10**7): open(f'/tmp/{n}', 'w').close()"
    size = answer(ask(inside, fill, 1))

    assert isinstance(size, int)
    assert 24 <= size <= 32
    assert ended(ask(inside, flood, 1, cpu=20.0, wall=20.0)) is EndReason.OUT_OF_MEMORY
    assert answer(ask(inside, "import os\ndef f(x): return os.listdir('/tmp')", 1)) == ["work"]


def test_what_was_written_is_not_started(inside: Sandbox) -> None:
    """A program runs from where it was and not from where a solution put it, if the kernel has Landlock."""
    source = """
import ctypes, os, shutil, subprocess
def f(x):
    ran = [subprocess.run(['/bin/true']).returncode]
    for place in ('/tmp', '/dev/shm', '.'):
        shutil.copy('/bin/true', place + '/true')
        os.chmod(place + '/true', 0o755)
        try: ran.append(subprocess.run([os.path.abspath(place + '/true')]).returncode)
        except PermissionError: ran.append('refused')
    return ran
"""
    libc_has = "import ctypes\ndef f(x): return ctypes.CDLL(None).syscall(444, None, ctypes.c_size_t(0), 1)"
    version = answer(ask(inside, libc_has, 1))
    if not isinstance(version, int) or version < 1:
        pytest.skip("this kernel has no Landlock")

    assert answer(ask(inside, source, 1)) == [0, "refused", "refused", "refused"]


# --- how it ends ----------------------------------------------------------------------------------------------------


def gone(pid: int) -> bool:
    """Wait up to ten seconds for a process to end."""
    deadline = time.monotonic() + 10
    while time.monotonic() < deadline:
        with contextlib.suppress(OSError):
            if Path(f"/proc/{pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()[0] != "Z":
                threading.Event().wait(0.02)
                continue
        return True
    return False


def children(pid: int) -> list[int]:
    """Return the processes below one."""
    found = [pid]
    for each in found:
        for task in Path(f"/proc/{each}/task").iterdir():
            found += map(int, (task / "children").read_text(encoding="ascii").split())
    return found[1:]


@pytest.mark.usefixtures("bubblewrap")
def test_nothing_outlives_a_host_that_is_killed() -> None:
    """`kill -9` of the process that made sandboxes ends all of theirs, with a worker that has left its session."""
    body = """
import sys
from codegen_eval.sandbox.bwrap import BwrapProvider
from codegen_eval.interfaces import WorkerLimits
from codegen_eval.judge.candidate import pack
source = "import os, time\\ndef f(x):\\n    os.fork() or os.setsid()\\n    os.fork()\\n    time.sleep(600)"
provider = BwrapProvider(memory_mib=256, jobs=2)
sandbox = provider.open()
sandbox.spawn(WorkerLimits(cpu_seconds=5))
call = {"id": 1, "op": "call", "target": "f", "args": [1]}
sandbox.exchange(pack({"id": 0, "op": "load", "source": source}) + pack(call), 2, 0.5)
sandbox.spawn(WorkerLimits(cpu_seconds=5))
sandbox.exchange(pack({"id": 0, "op": "load", "source": source}) + pack(call), 1, 5)
print("up", flush=True)
sys.stdin.read()
"""
    argv = [sys.executable, "-c", body]
    with subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"up\n"
        below = children(process.pid)
        os.kill(process.pid, signal.SIGKILL)
        process.wait()

    assert len(below) >= 5
    assert all(map(gone, below))
