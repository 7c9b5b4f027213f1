"""The laws of what a solution may use, for every sandbox there is."""

from __future__ import annotations

import ctypes
import sys
import sysconfig
from collections.abc import Iterator
from pathlib import Path

import pytest

from codegen_eval.interfaces import EndReason, Sandbox, SandboxProvider
from sandbox.talk import answer, ask


@pytest.fixture(scope="module")
def sandbox(provider: SandboxProvider) -> Iterator[Sandbox]:
    opened = provider.open()
    yield opened
    opened.close()


def test_memory_is_capped(sandbox: Sandbox) -> None:
    """A solution that eats memory gets an exception or is killed; the next worker runs."""
    exchange = ask(sandbox, "def f(x):\n    hoard = []\n    while True: hoard.append(bytearray(1 << 20))", 1)

    if len(exchange.frames) > 1:
        assert answer(exchange) == "MemoryError"
    else:
        assert exchange.end is not None
        assert exchange.end.reason is EndReason.OUT_OF_MEMORY
    assert answer(ask(sandbox, "def f(x): return x", 7)) == 7


def test_a_grandchild_is_killed_and_its_time_counted(sandbox: Sandbox) -> None:
    """CPU time burnt in a daemonised grandchild counts, and the grandchild does not outlive its worker."""
    source = """
import os, time
def f(x):
    reader, writer = os.pipe()
    if not os.fork():
        os.setsid()
        if not os.fork():
            start = time.process_time()
            while time.process_time() - start < 0.3: pass
            os.write(writer, str(os.getpid()).encode())
            while True: time.sleep(1)
        os._exit(0)
    return int(os.read(reader, 20))
"""
    exchange = ask(sandbox, source, 1)
    pid = answer(exchange)
    end = sandbox.end()
    alive = "import os\ndef f(x):\n    return os.path.exists(f'/proc/{x}')"

    assert end.cpu_seconds >= 0.3
    assert answer(ask(sandbox, alive, pid)) is False


def test_time_hidden_from_wait_still_counts(sandbox: Sandbox) -> None:
    """A worker cannot have its children reaped unseen, and what they computed counts, waited for or not."""
    source = """
import os, signal, time
def f(x):
    try:
        signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    except PermissionError:
        pass
    reader, writer = os.pipe()
    if not os.fork():
        start = time.process_time()
        while time.process_time() - start < 0.4: pass
        os.write(writer, b'x')
        os._exit(0)
    os.read(reader, 1)
    time.sleep(0.1)
    return 1
"""
    assert answer(ask(sandbox, source, 1)) == 1
    assert sandbox.end().cpu_seconds >= 0.3


def test_what_a_child_computed_counts_once(sandbox: Sandbox) -> None:
    """CPU time of a child that its parent waited for is in the sum, and not twice."""
    source = """
import os, time
def f(x):
    if not os.fork():
        start = time.process_time()
        while time.process_time() - start < 0.5: pass
        os._exit(0)
    os.wait()
    time.sleep(0.1)
    return 1
"""
    assert answer(ask(sandbox, source, 1, wall=20.0)) == 1
    assert 0.4 < sandbox.end().cpu_seconds < 0.8


@pytest.mark.slow
def test_a_fork_bomb_ends(provider: SandboxProvider) -> None:
    """Processes without end end with their worker: by a limit, or with their whole sandbox; another one works."""
    bomb = "import os\ndef f(x):\n    while True:\n        try: os.fork()\n        except OSError: pass"
    opened = provider.open()
    exchange = ask(opened, bomb, 1, cpu=1.0, wall=20.0)
    alive = "import os\ndef f(x): return len([n for n in os.listdir('/proc') if n.isdigit()])"
    if opened.lost:
        opened.close()
        opened = provider.open()
    count = answer(ask(opened, alive, 1))
    opened.close()

    assert exchange.end is not None
    assert exchange.end.reason in {EndReason.CPU, EndReason.OUT_OF_MEMORY, EndReason.SANDBOX_LOST}
    assert provider.name == "subprocess" or count == 2


def have_landlock() -> bool:
    """Say whether the kernel has Landlock."""
    return bool(ctypes.CDLL(None).syscall(444, None, ctypes.c_size_t(0), 1) > 0)


def test_threads_have_room(sandbox: Sandbox) -> None:
    """Forty threads at once are no more than a solution may have, wherever memory is counted."""
    source = """
import threading
def f(x):
    barrier = threading.Barrier(41)
    threads = [threading.Thread(target=barrier.wait) for _ in range(40)]
    for thread in threads: thread.start()
    barrier.wait(10)
    for thread in threads: thread.join()
    return len(threads)
"""
    assert answer(ask(sandbox, source, 1, wall=20.0)) == 40


def test_what_is_installed_beside_the_library_can_not_be_read(sandbox: Sandbox, provider: SandboxProvider) -> None:
    """No solution reads packages of this machine: this program may be among them, with every expected value."""
    if provider.name == "subprocess" and not have_landlock():
        pytest.skip("this kernel has no Landlock: the subprocess sandbox promises nothing here")
    source = """
import os, sys
def f(places):
    for base in sys.path:
        places += [os.path.join(base, 'site-packages'), os.path.join(base, 'dist-packages')]
    read = []
    for place in places:
        for folder, _, names in os.walk(place):
            for name in names:
                try:
                    with open(os.path.join(folder, name), 'rb') as file:
                        read.append(file.name)
                except OSError:
                    pass
    return read[:3]
"""
    places = [sysconfig.get_path("purelib", vars={"base": sys.base_prefix}), sysconfig.get_path("purelib")]
    assert any(Path(place).is_dir() for place in places)

    assert answer(ask(sandbox, source, places, wall=20.0)) == []
