"""What the tests of the sandboxes share: an engine, and the image on it."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest

from codegen_eval.resources import resource_root
from codegen_eval.sandbox.engine import Engine
from codegen_eval.sandbox.image import SandboxImage, base_image, ensure_image
from codegen_eval.sandbox.probe import probe_docker


@pytest.fixture(scope="session")
def engine() -> Iterator[Engine]:
    """Give a real engine. Without one the test is skipped; with CI set it fails."""
    report = probe_docker()
    if report.problem is not None:
        if os.environ.get("CI"):
            pytest.fail(f"CI needs a Docker engine: {report.problem}")
        pytest.skip(report.problem)
    found = Engine()
    yield found
    found.close()


@pytest.fixture(scope="session")
def image(engine: Engine) -> SandboxImage:
    """Give the sandbox image, built where it isn't there yet."""
    return ensure_image(engine, resource_root() / "sandbox-image", base=base_image())
