"""The laws of a sandbox, for every sandbox there is."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Iterator

import pytest

from codegen_eval.interfaces import EndReason, Sandbox, SandboxProvider, WorkerLimits
from codegen_eval.judge.candidate import pack
from codegen_eval.judge.codec import Reader
from sandbox.talk import answer, ask, call, load


@pytest.fixture(scope="module")
def sandbox(provider: SandboxProvider) -> Iterator[Sandbox]:
    opened = provider.open()
    yield opened
    opened.close()


def test_a_call_is_answered(sandbox: Sandbox) -> None:
    """A solution's function is called with the arguments sent, and its value comes back."""
    assert answer(ask(sandbox, "def f(x): return [x, x + 1]", 41)) == [41, 42]


def test_a_batch_is_answered_in_order(sandbox: Sandbox) -> None:
    """Calls sent together are answered one by one, in their order."""
    sandbox.spawn(WorkerLimits(cpu_seconds=5))

    exchange = sandbox.exchange(load("def f(x): return x") + b"".join(call(n, n) for n in range(1, 200)), 200, 5)

    assert [json.loads(frame)["r"] for frame in exchange.frames[1:]] == list(range(1, 200))
    assert exchange.end is None


def test_a_large_argument_and_a_large_answer_arrive(sandbox: Sandbox) -> None:
    """Megabytes pass both ways at once without a deadlock."""
    text = "x" * 1_000_000
    sandbox.spawn(WorkerLimits(cpu_seconds=5))

    exchange = sandbox.exchange(load("def f(x): return x") + b"".join(call(n, text) for n in (1, 2, 3)), 4, 10)

    assert [len(frame) > 1_000_000 for frame in exchange.frames[1:]] == [True] * 3


@pytest.mark.parametrize("hostile", ["os.close(5)", "os.write(5, b'!' * 60000)", "os.dup2(3, 5)"])
def test_a_worker_that_does_not_ring_is_heard_all_the_same(sandbox: Sandbox, hostile: str) -> None:
    """Answers arrive whatever a solution does with the descriptor that tells the supervisor to look."""
    source = f"import os\ntry:\n    {hostile}\nexcept OSError:\n    pass\ndef f(x): return x"

    exchange = ask(sandbox, source, 7)

    assert json.loads(exchange.frames[0]) == {"id": 0, "r": None}
    assert exchange.end is not None or answer(exchange) == 7


def test_answers_before_the_end_of_a_worker_are_heard(sandbox: Sandbox) -> None:
    """What a worker answered before it ended in the middle of a batch is passed on."""
    source = "import os\ndef f(x): return x if x < 5 else os._exit(0)"
    words = [{"id": n, "op": "call", "target": "f", "args": [n], "more": True} for n in range(1, 9)]
    sandbox.spawn(WorkerLimits(cpu_seconds=5))

    exchange = sandbox.exchange(load(source) + b"".join(map(pack, words)), 9, 5)

    assert [json.loads(frame)["r"] for frame in exchange.frames[1:]] == [1, 2, 3, 4]
    assert exchange.end is not None
    assert exchange.end.reason is EndReason.EXITED


def test_a_source_that_does_not_load_answers_no_call(sandbox: Sandbox) -> None:
    """A worker whose source raises says so and ends: calls that came along are not made on half a module."""
    exchange = ask(sandbox, "def f(x): return x\nraise ValueError('half')", 1)

    assert [json.loads(frame)["e"]["t"] for frame in exchange.frames] == ["ValueError"]
    assert exchange.end is not None


def test_workers_share_nothing(sandbox: Sandbox) -> None:
    """Neither a module's state nor a file survives into the next worker."""
    source = """
import os, sys
def f(x):
    seen = os.listdir('.'), getattr(sys, 'mark', None)
    sys.mark = 1
    open('mark', 'w').close()
    os.makedirs('deep/' * 50)
    os.chmod('deep', 0)
    return [len(seen[0]), seen[1]]
"""
    ask(sandbox, source, 0)

    assert answer(ask(sandbox, source, 0)) == [0, None]


def test_a_worker_inherits_no_earlier_bytes(sandbox: Sandbox) -> None:
    """What passed through the supervisor for one worker is nowhere in the memory of the next."""
    ask(sandbox, "def f(x): return 'ANSWER-' + x", "SECRET-" + "q" * 50)
    scan = """
import re
def f(x):
    found = 0
    for line in open('/proc/self/maps'):
        span, mode = line.split()[:2]
        if 'r' in mode and 'w' in mode:
            start, stop = (int(part, 16) for part in span.split('-'))
            with open('/proc/self/mem', 'rb') as memory:
                memory.seek(start)
                try:
                    found += len(re.findall(b'SECRET[-]q{40}', memory.read(stop - start)))
                except OSError:
                    pass
    return found
"""

    assert answer(ask(sandbox, scan, "nothing")) == 0
    assert answer(ask(sandbox, scan, "SECRET-" + "q" * 50)) != 0


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        ("while True: pass", EndReason.CPU),
        ("import time; time.sleep(60)", EndReason.WALL),
        ("import os; os._exit(0)", EndReason.EXITED),
        ("import os; os.kill(os.getpid(), 11)", EndReason.KILLED),
        ("while True: print('x' * 1000)", EndReason.OUTPUT),
        ("import os; os.write(4, b'Z' * 100)", EndReason.GARBLED),
    ],
)
def test_a_fatal_end_is_told_by_its_reason(sandbox: Sandbox, body: str, reason: EndReason) -> None:
    """A worker that ends without an answer ends for the reason that it ended for."""
    wall = 0.8 if reason is EndReason.WALL else 20.0  # on a loaded machine, too
    exchange = ask(sandbox, f"def f(x):\n    {body}\n    return 1", 1, cpu=0.3, wall=wall)

    assert len(exchange.frames) == 1
    assert exchange.end is not None
    assert exchange.end.reason is reason
    assert answer(ask(sandbox, "def f(x): return x", 7)) == 7


def test_late_bytes_are_counted_as_surplus(sandbox: Sandbox) -> None:
    """Bytes that nobody asked for show when the worker is ended."""
    source = """
import os, struct
def f(x):
    body = b'{"id":1,"r":1}'
    os.write(4, struct.pack('!I', len(body)) + body + b'zz')
    while True: pass
"""
    sandbox.spawn(WorkerLimits(cpu_seconds=5))
    exchange = sandbox.exchange(load(source) + call(1, 1), 2, 5)

    assert len(exchange.frames) == 2
    assert sandbox.end().surplus_bytes == 2


def test_a_worker_cannot_reach_its_supervisor(provider: SandboxProvider, sandbox: Sandbox) -> None:
    """Signals to the supervisor, its memory and its descriptors are refused to a worker."""
    source = """
import os
def f(x):
    parent, reached = os.getppid(), []
    for signal in (9, 19):
        try: os.kill(parent, signal)
        except OSError: continue
        reached.append('kill')
    for name in ('mem', 'environ', 'maps', 'fd/0', 'fd/1'):
        try: os.close(os.open(f'/proc/{parent}/{name}', os.O_WRONLY if name == 'fd/1' else os.O_RDONLY))
        except OSError: continue
        reached.append(name)
    try: os.listdir(f'/proc/{parent}/fd')
    except OSError: return reached
    return reached + ['fd']
"""
    reached = answer(ask(sandbox, source, 1))

    told = {"environ", "maps", "fd"} if dict(provider.facts().details).get("runtime") == "runsc" else set()
    assert isinstance(reached, list)
    assert set(reached) <= told | {"kill"}  # process 1 may swallow a signal without refusing it
    assert answer(ask(sandbox, "def f(x): return x", 7)) == 7


def test_a_worker_cannot_limit_its_supervisor(sandbox: Sandbox) -> None:
    """A worker can't take memory, time or descriptors from the supervisor, and its sandbox lives on."""
    source = """
import os, resource
def f(x):
    refused = 0
    for which in (resource.RLIMIT_NOFILE, resource.RLIMIT_CPU, resource.RLIMIT_AS, resource.RLIMIT_FSIZE):
        try: resource.prlimit(os.getppid(), which, (0, 0))
        except OSError: refused += 1
    return refused
"""
    assert answer(ask(sandbox, source, 1)) == 4
    assert answer(ask(sandbox, "def f(x): return x", 7)) == 7


def test_no_network_and_no_environment(sandbox: Sandbox) -> None:
    """A solution can make no socket to anywhere and sees no variable of the host."""
    source = """
import os, socket
def f(x):
    try:
        socket.create_connection(('127.0.0.1', 9), 1)
    except OSError:
        return sorted(set(os.environ) - {'LANG', 'PYTHONHASHSEED', 'TZ', 'HOME', 'PATH', 'HOSTNAME', 'LC_CTYPE', 'PWD'})
"""
    assert [name for name in answer(ask(sandbox, source, 1)) if not name.endswith("_THREADS")] == []  # type: ignore[attr-defined] # a list


def test_a_closed_sandbox_is_lost(provider: SandboxProvider) -> None:
    """After `close` everything in the sandbox is gone, and asking it says so."""
    opened = provider.open()
    opened.close()
    opened.close()

    exchange = ask(opened, "def f(x): return x", 1)

    assert opened.lost
    assert exchange.end is not None
    assert exchange.end.reason is EndReason.SANDBOX_LOST


def test_a_worker_that_ends_tells_whether_it_came_up(sandbox: Sandbox) -> None:
    """A worker says that it is there before it is given a source, so no solution is blamed for less."""
    sandbox.spawn(WorkerLimits(cpu_seconds=5.0))
    never = sandbox.exchange(b"", 1, 1.0)
    exited = ask(sandbox, "import os; os._exit(0)", 1)

    assert never.end is not None
    assert never.end.up
    assert never.frames == ()
    assert exited.end is not None
    assert exited.end.up


def test_a_worker_leaves_no_note_for_the_next(sandbox: Sandbox) -> None:
    """What one worker writes, wherever it can, the next one does not find."""
    places = ["/dev/shm", "/dev/mqueue", "/dev", "/tmp", "/var/tmp", "/run", "/run/lock", "/var/lock", "/mnt", "."]  # noqa: S108
    write = f"""
import os
def f(x):
    written = 0
    for place in {places!r}:
        try:
            with open(os.path.join(place, "note-of-a-worker"), "w") as file:
                file.write("x")
            written += 1
        except OSError:
            pass
    return written
"""
    find = f"""
import os
def f(x):
    return [place for place in {places!r} if os.path.exists(os.path.join(place, "note-of-a-worker"))]
"""

    assert answer(ask(sandbox, write, 1)) >= 1  # type: ignore[operator] # an int
    assert answer(ask(sandbox, find, 1)) == []


@pytest.mark.skipif(sys.platform != "linux", reason="the filter is Linux's")
@pytest.mark.parametrize(
    "attempt",
    [
        "os.setpriority(os.PRIO_PROCESS, os.getppid(), 19)",
        "os.nice(1)",
        "os.sched_setaffinity(os.getppid(), {0})",
        "signal.signal(signal.SIGCHLD, signal.SIG_IGN)",
        "fcntl.fcntl(0, 8, os.getppid())",
        "fcntl.fcntl(0, 10, 9)",
        "fcntl.fcntl(0, 15, struct.pack('ii', 1, os.getppid()))",
        "fcntl.ioctl(0, 0x8901, struct.pack('i', os.getppid()))",
    ],
)
def test_nothing_outlasts_a_worker_in_its_supervisor(sandbox: Sandbox, attempt: str) -> None:
    """Priorities, affinities, signals by descriptor and children that nobody waits for are refused."""
    source = f"import fcntl, os, signal, struct\ndef f(x):\n    {attempt}\n    return 'done'"

    assert answer(ask(sandbox, source, 1)) == "PermissionError"
    assert answer(ask(sandbox, "def f(x): return x", 7)) == 7


def test_all_waiting_of_one_exchange_is_bounded(sandbox: Sandbox) -> None:
    """Many answers, each within its own limit, don't add up beyond the total."""
    sandbox.spawn(WorkerLimits(cpu_seconds=5.0))
    request = load("import time\ndef f(x):\n    time.sleep(0.3)\n    return x") + b"".join(
        call(n, n) for n in range(1, 31)
    )

    started = time.monotonic()
    exchange = sandbox.exchange(request, 31, 5.0, total_seconds=1.5)

    assert time.monotonic() - started < 6
    assert 1 < len(exchange.frames) < 31
    assert exchange.end is not None
    assert exchange.end.reason is EndReason.WALL


@pytest.mark.slow
def test_a_worker_that_reads_nothing_is_ended_on_time(sandbox: Sandbox) -> None:
    """An order to end a worker overtakes what the worker doesn't take: megabytes of it, or a word in a small pipe."""
    large = "x" * 3_000_000
    started = time.monotonic()
    asleep = ask(sandbox, "import time\ndef f(x): time.sleep(60)\ntime.sleep(60)", large, wall=1.0)
    shrinks = "import fcntl, time\ntry: fcntl.fcntl(3, 1031, 4096)\nexcept OSError: pass\ntime.sleep(60)\n"
    shrunk = ask(sandbox, shrinks, large, wall=1.0)

    assert [exchange.end and exchange.end.reason for exchange in (asleep, shrunk)] == [EndReason.WALL] * 2
    assert time.monotonic() - started < 15
    assert not sandbox.lost
    assert answer(ask(sandbox, "def f(x): return len(x)", large)) == 3_000_000


def test_a_worker_that_is_ended_at_once_ends_at_once(sandbox: Sandbox) -> None:
    """Ending a worker that has hardly begun takes no longer than ending another."""
    for _ in range(10):
        started = time.monotonic()
        sandbox.spawn(WorkerLimits(cpu_seconds=5))

        assert sandbox.end().reason is EndReason.CLOSED
        assert time.monotonic() - started < 5


HEADLESS = """pid = os.fork()
    if not pid:
        import ctypes, threading
        threading.Thread(target=time.sleep, args=(60,)).start()
        ctypes.CDLL(None).syscall(60, 0)"""


@pytest.mark.parametrize(
    ("body", "lingering"),
    [
        ("pid = os.fork()\n    if not pid: time.sleep(60)", True),
        ("pid = os.fork()\n    if not pid:\n        os.setsid(); os.close(5); time.sleep(60)", True),
        ("pid = os.fork()\n    if not pid: os._exit(0)", False),  # nobody collects it
        (HEADLESS, True),  # its first thread ends, and another goes on
        (
            "r, w = os.pipe()\n    pid = os.fork()\n    if not pid: os.close(w); os.read(r, 1); os._exit(0)",
            False,  # it waits for the worker's end, as a tracker of resources does
        ),
        ("pid = os.fork()\n    if not pid: os._exit(0)\n    os.waitpid(pid, 0)", False),
        ("pass", False),
    ],
)
def test_processes_that_go_on_after_the_last_answer_are_told(
    sandbox: Sandbox, request: pytest.FixtureRequest, body: str, *, lingering: bool
) -> None:
    """A worker that leaves processes running is told from one that doesn't, and none of them is left."""
    if body == HEADLESS and "runsc" in request.node.callspec.id:
        pytest.skip("gVisor shows no threads of a process whose first one has ended")
    exchange = ask(sandbox, f"import os, time\ndef f(x):\n    {body}\n    return x", 1)

    assert answer(exchange) == 1
    assert sandbox.end().lingering is lingering
    assert (
        answer(ask(sandbox, "import os\ndef f(x): return [n for n in os.listdir('/tmp') if n != 'work']", 1))
        is not None
    )


def test_an_integer_without_end_is_too_large_and_no_lie(sandbox: Sandbox) -> None:
    """An integer that the host would not read is told as too large; the longest that it reads arrives whole."""
    too_large = ask(sandbox, "def f(x): return [1 << x]", (1 << 22) - 64)
    largest = ask(sandbox, "def f(x): return 1 << x", (1 << 22) - 65)

    assert json.loads(too_large.frames[1])["u"] == "an integer of more than a million digits"
    assert Reader().value(json.loads(largest.frames[1])["r"]) == 1 << (1 << 22) - 65
