"""Laws of the docker sandbox that the conformance laws don't say."""

from __future__ import annotations

import os
import secrets
import signal
import socket
import struct
import subprocess
import sys
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from codegen_eval.errors import SandboxLostError, SandboxUnavailableError
from codegen_eval.interfaces import EndReason, WorkerLimits
from codegen_eval.sandbox.docker import DockerProvider, DockerTimeouts
from codegen_eval.sandbox.engine import Engine
from codegen_eval.sandbox.hardening import LABEL_RUN
from codegen_eval.sandbox.image import SandboxImage
from codegen_eval.sandbox.probe import probe_docker
from codegen_eval.sandbox.reaper import reap
from codegen_eval.sandbox.remover import Remover
from codegen_eval.sandbox.stream import Demultiplexer, DockerStream
from sandbox.relayed_engine import engine_over_tcp

LIMITS = WorkerLimits(cpu_seconds=2)


def frame(kind: int, payload: bytes) -> bytes:
    return struct.pack(">BxxxI", kind, len(payload)) + payload


@pytest.fixture
def run_id(engine: Engine, image: SandboxImage) -> str:
    """Name a run of its own on a real engine that has the image."""
    assert engine.info().version
    assert image.id
    return f"test-{secrets.token_hex(6)}"


def containers_of(engine: Engine, run_id: str) -> list[str]:
    return [each.id for each in engine.containers(f"{LABEL_RUN}={run_id}")]


# --- the stream -----------------------------------------------------------------------------------------------------


@given(st.lists(st.tuples(st.sampled_from([1, 2]), st.binary(max_size=40))), st.integers(1, 50))
def test_frames_survive_any_cut(frames: list[tuple[int, bytes]], step: int) -> None:
    """Wherever the bytes are cut, standard output comes out whole and standard error not at all."""
    wire = b"".join(frame(kind, payload) for kind, payload in frames)
    demultiplexer = Demultiplexer()
    out = b"".join(demultiplexer.feed(wire[at : at + step]) for at in range(0, len(wire), step))

    assert out == b"".join(payload for kind, payload in frames if kind == 1)


@pytest.mark.parametrize("header", [frame(3, b"x"), b"HTTP/1.1", struct.pack(">BxxxI", 1, 2**32 - 1)])
def test_what_is_no_frame_is_refused(header: bytes) -> None:
    """Bytes that no engine sends, or a length that it never uses, end the stream."""
    with pytest.raises(OSError, match="not a frame"):
        Demultiplexer().feed(header)


def test_a_stream_never_blocks() -> None:
    """With nothing to read `recv` is None, with no room `send` is 0, and at the end `recv` is empty."""
    ours, theirs = socket.socketpair()
    closed: list[bool] = []
    stream = DockerStream(ours, on_close=lambda: closed.append(True))
    nothing = stream.recv()
    while stream.send(memoryview(bytes(1 << 16))):
        pass
    theirs.close()
    ended = stream.recv()
    stream.close()
    stream.close()

    assert nothing is None
    assert not ended
    assert closed == [True]


def test_an_idle_stream_is_quiet_until_the_peer_goes() -> None:
    """A guest that died while it waited is noticed before it is used."""
    ours, theirs = socket.socketpair()
    stream = DockerStream(ours, on_close=lambda: None)
    before = stream.quiet()
    theirs.close()
    after = stream.quiet()
    stream.close()

    assert (before, after, stream.quiet()) == (True, False, False)


def test_a_guest_that_only_complains_holds_nobody_up() -> None:
    """However much comes on standard error, `recv` returns, and what then comes on standard output is read."""
    ours, theirs = socket.socketpair()
    stream = DockerStream(ours, on_close=lambda: None)
    enough = threading.Event()

    def complain() -> None:
        while not enough.is_set():
            theirs.sendall(frame(2, b"x" * 4000))
        theirs.sendall(frame(1, b"answer"))

    with theirs:
        talker = threading.Thread(target=complain)
        talker.start()
        seen = {stream.recv() for _ in range(100)}
        enough.set()
        while not (answer := stream.recv()):
            assert answer is None
        talker.join()
    stream.close()

    assert seen == {None}
    assert answer == b"answer"


def test_an_unknown_kind_of_connection_is_told() -> None:
    """A connection that has no socket in it is our fault and is said so."""
    with pytest.raises(SandboxLostError, match="object"):
        DockerStream(object(), on_close=lambda: None)


# --- engines that are not there, or hang ----------------------------------------------------------------------------


@contextmanager
def silent_engine(folder: Path) -> Iterator[str]:
    """Listen as an engine that takes connections and never answers."""
    path = folder / "engine.sock"
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(path))
        listener.listen(16)
        yield f"unix://{path}"


def test_no_engine_is_told(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Where no engine listens, the probe says so and names the place, and `open` fails the same way."""
    monkeypatch.setenv("DOCKER_HOST", f"unix://{tmp_path}/none.sock")
    report = probe_docker()

    assert report.info is None
    assert "none.sock" in (report.problem or "")
    with DockerProvider(run_id="none") as provider, pytest.raises(SandboxUnavailableError, match=r"none\.sock"):
        provider.open()


def test_a_tcp_engine_that_refuses_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    """A remote engine that can't be reached is named."""
    with socket.socket() as reserved:
        reserved.bind(("127.0.0.1", 0))
        monkeypatch.setenv("DOCKER_HOST", f"tcp://127.0.0.1:{reserved.getsockname()[1]}")
        report = probe_docker()

    assert "127.0.0.1" in (report.problem or "")


def test_an_engine_behind_ssh_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    """ssh:// is refused with the way round it."""
    monkeypatch.setenv("DOCKER_HOST", "ssh://somewhere")
    report = probe_docker()

    assert "ssh" in (report.problem or "")
    assert "forward" in (report.hint or "")


def test_a_silent_engine_holds_nobody_up(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """An engine that accepts and never answers costs one deadline, in `open` as in `close`."""
    with silent_engine(tmp_path) as address:
        monkeypatch.setenv("DOCKER_HOST", address)
        provider = DockerProvider(run_id="silent", timeouts=DockerTimeouts(call=1, close=2))
        with provider, pytest.raises(SandboxUnavailableError):
            provider.open()


def test_the_context_names_the_engine(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Without DOCKER_HOST a Docker context that doesn't exist is an error and not the default engine."""
    monkeypatch.delenv("DOCKER_HOST", raising=False)
    monkeypatch.setenv("DOCKER_CONFIG", str(tmp_path))
    monkeypatch.setenv("DOCKER_CONTEXT", "missing")

    assert probe_docker().problem is not None


class StubbornEngine:
    """An engine that is busy removing, then has removed; or that never can."""

    def __init__(self, answers: Mapping[str, list[bool]]) -> None:
        self.answers = answers

    def remove(self, container: str) -> bool:
        """Answer what it was told to."""
        if not self.answers[container]:
            raise SandboxUnavailableError("no engine")
        return self.answers[container].pop(0)


def test_what_can_not_be_removed_is_reported() -> None:
    """Removing is tried again while the engine is at it; what stays is told by its id, and stops nothing."""
    remover = Remover(StubbornEngine({"slow": [False, False, True], "stuck": [], "quick": [True]}))
    for container in ("slow", "stuck", "quick"):
        remover.submit(container)

    assert remover.close(seconds=30) == ("stuck",)


# --- a real engine --------------------------------------------------------------------------------------------------


@pytest.mark.docker
def test_nothing_is_left_behind(engine: Engine, run_id: str) -> None:
    """After `close` no container of the run is there: not the used, the open, the ready or the starting."""
    with DockerProvider(run_id=run_id, jobs=2) as provider:
        used, still_open = provider.open(), provider.open()
        used.spawn(LIMITS)
        used.close()
        assert containers_of(engine, run_id)
        assert still_open.python
    provider.close()

    assert containers_of(engine, run_id) == []
    assert provider.not_removed == ()


@pytest.mark.docker
def test_a_remote_engine_works_the_same(run_id: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Over TCP a sandbox opens, runs a worker and closes as over the local socket."""
    if not Path("/var/run/docker.sock").exists():
        pytest.skip("the engine is a remote one already")
    with engine_over_tcp() as address:
        monkeypatch.setenv("DOCKER_HOST", address)
        with DockerProvider(run_id=run_id, expected=1) as provider:
            sandbox = provider.open()
            sandbox.spawn(LIMITS)
            end = sandbox.end()
            sandbox.close()

    assert end.reason is EndReason.CLOSED
    assert provider.not_removed == ()


@pytest.mark.docker
def test_an_interrupt_leaves_nothing_behind(engine: Engine, run_id: str) -> None:
    """Ctrl-C in the middle of `open` leaves no container."""

    def open_for_ever() -> None:
        with DockerProvider(run_id=run_id, jobs=2) as provider:
            provider.open()
            threading.Timer(0.01, signal.raise_signal, [signal.SIGINT]).start()
            for _ in range(20):
                provider.open()

    with pytest.raises(KeyboardInterrupt):
        open_for_ever()

    assert containers_of(engine, run_id) == []


@pytest.mark.docker
def test_sandboxes_are_never_reused(run_id: str) -> None:
    """Every `open` gives another sandbox, no more than expected are started unasked, and asking for more works."""
    with DockerProvider(run_id=run_id, jobs=2, expected=2) as provider:
        opened = [provider.open() for _ in range(4)]

        assert len({id(sandbox) for sandbox in opened}) == 4
        for sandbox in opened:
            sandbox.spawn(LIMITS)
            assert sandbox.end().cpu_seconds >= 0
            sandbox.close()


@pytest.mark.docker
def test_facts_tell_engine_and_image(run_id: str, image: SandboxImage) -> None:
    """The run record says which engine, image and Python ran the solutions, and takes no sandbox to say so."""
    with DockerProvider(run_id=run_id) as provider:
        facts = provider.facts()
        details = dict(facts.details)

        assert (facts.name, facts.isolated) == ("docker", True)
        assert facts.python == provider.open().python
        assert details["image_id"] == image.id
        assert details["cgroup"] in {"1", "2"}
        assert "not_removed" not in details


@pytest.mark.docker
def test_an_unknown_runtime_is_told(run_id: str) -> None:
    """A runtime that the engine lacks is an error that lists those it has."""
    with (
        DockerProvider(run_id=run_id, runtime="nonesuch") as provider,
        pytest.raises(SandboxUnavailableError, match=r"it has .*runc"),
    ):
        provider.open()


@pytest.mark.docker
def test_gvisor_runs_the_same_guest(engine: Engine, run_id: str) -> None:
    """With gVisor registered, `runsc` sandboxes come up and end."""
    if "runsc" not in engine.info().runtimes:
        pytest.skip("this engine has no runsc")
    with DockerProvider(run_id=run_id, runtime="runsc", expected=1) as provider:
        sandbox = provider.open()
        sandbox.spawn(LIMITS)

        assert sandbox.end().cpu_seconds >= 0


@pytest.mark.docker
def test_a_guest_that_is_not_ready_is_lost(run_id: str, image: SandboxImage, tmp_path: Path) -> None:
    """A container whose guest says something else is our failure, is told, and is removed."""
    (tmp_path / "guest").mkdir()
    (tmp_path / "guest" / "__main__.py").write_text("print('hello')\n", encoding="utf-8")
    for name in ("Dockerfile", "seccomp.json"):
        source = Path(__file__).parents[2] / "sandbox-image" / name
        (tmp_path / name).write_text(source.read_text(encoding="utf-8"), encoding="utf-8")
    assert image.base
    with DockerProvider(run_id=run_id, folder=tmp_path) as provider, pytest.raises(SandboxLostError, match="hello"):
        provider.open()

    assert provider.not_removed == ()


KILLED = """
import sys
from codegen_eval.sandbox.docker import DockerProvider
provider = DockerProvider(run_id=sys.argv[1], jobs=2)
sandbox = provider.open()
print("open", flush=True)
input()
"""


@pytest.mark.docker
def test_a_killed_run_leaves_nothing_for_long(engine: Engine, run_id: str) -> None:
    """Once a run was killed with SIGKILL, its containers end by themselves or are reaped by the next run."""
    with subprocess.Popen(
        [sys.executable, "-c", KILLED, run_id],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env={**os.environ, "PYTHONWARNINGS": ""},
    ) as process:
        assert process.stdout is not None
        assert b"open\n" in iter(process.stdout.readline, b"")  # what was reaped may be told before
        assert containers_of(engine, run_id)
        process.kill()
        process.wait()
    reap(engine)
    for container in containers_of(engine, run_id):  # the engine may be at them still
        while not engine.remove(container):
            threading.Event().wait(0.01)

    assert containers_of(engine, run_id) == []
