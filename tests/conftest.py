"""What all tests share: golden files, and Hypothesis without chance or clock."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import structlog
from hypothesis import settings

from codegen_eval.errors import SandboxUnavailableError
from codegen_eval.resources import resource_root
from codegen_eval.sandbox.bwrap import BwrapProvider
from codegen_eval.sandbox.engine import Engine
from codegen_eval.sandbox.image import base_image, ensure_image
from codegen_eval.sandbox.probe import probe_docker
from codegen_eval.sandbox.process import ProcessProvider
from codegen_eval.sandbox.session import GuestSession
from sandbox.own_engine import OwnEngine, lacking

settings.register_profile("codegen_eval", derandomize=True, deadline=None, database=None)
settings.load_profile("codegen_eval")

signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell ignores it for what runs in the background

GOLDEN = Path(__file__).parent / "golden"


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add `--update-golden`."""
    parser.addoption("--update-golden", action="store_true", help="rewrite the golden files; review the diff as code")


@pytest.fixture(autouse=True)
def silent_log() -> Iterator[None]:
    """Have no event written to the streams of an earlier test, which are closed."""
    structlog.reset_defaults()
    structlog.configure(logger_factory=structlog.ReturnLoggerFactory())
    yield
    structlog.reset_defaults()


@pytest.fixture
def golden(request: pytest.FixtureRequest) -> Callable[[str, str], None]:
    """Give a function that compares a text with the golden file of that name."""
    update = request.config.getoption("--update-golden")

    def compare(name: str, text: str) -> None:
        path = GOLDEN / name
        if update:
            path.write_text(text, encoding="utf-8", newline="")
        assert text == path.read_text(encoding="utf-8"), f"{name} differs; `pytest --update-golden` rewrites it"

    return compare


@pytest.fixture(scope="session")
def engine() -> Iterator[Engine]:
    """Give a real engine. Without one the test is skipped; with CI set it fails."""
    report = probe_docker()
    if report.problem is not None:
        if os.environ.get("CI"):
            pytest.fail(f"CI needs a Docker engine: {report.problem}")
        pytest.skip(report.problem)
    found = Engine()
    try:
        ensure_image(found, resource_root() / "sandbox-image", base=base_image())
    except SandboxUnavailableError as exc:
        found.close()
        if os.environ.get("CI"):
            pytest.fail(f"CI needs a sandbox image: {exc.message}; {exc.hint}")
        pytest.skip(f"{exc.message}; {exc.hint}")
    yield found
    found.close()


@pytest.fixture(scope="session")
def gvisor(engine: Engine) -> None:
    """Ask for gVisor under the engine. Without it the test is skipped; with CI set it fails."""
    if "runsc" not in engine.info().runtimes:
        _lacking("a runtime `runsc`", "the engine has none")


@pytest.fixture(scope="session")
def own_engine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[OwnEngine]:
    """Give an engine that nobody else uses, behind TLS, with the base image on it. Only root can have one."""
    why = lacking()
    if why is not None:
        pytest.skip(why)
    with OwnEngine(tmp_path_factory.mktemp("engine")) as engine:
        engine.load(base_image())
        yield engine


@pytest.fixture(scope="session")
def bubblewrap() -> None:
    """Ask for a bubblewrap that works. Without it the test is skipped; with CI set, on Linux, it fails."""
    with BwrapProvider(memory_mib=256, expected=1) as provider:
        try:
            provider.prepare()
        except SandboxUnavailableError as exc:
            _lacking("bubblewrap", f"{exc.message}; {exc.hint}")


def _lacking(what: str, why: str) -> None:
    if os.environ.get("CI") and sys.platform == "linux":
        pytest.fail(f"CI needs {what}: {why}")
    pytest.skip(why)


@pytest.fixture
def sandbox() -> Iterator[GuestSession]:
    """Give a subprocess sandbox: a real guest, which needs no engine."""
    provider = ProcessProvider(memory_mib=256)
    opened = provider.open()
    yield opened
    opened.close()
    provider.close()
