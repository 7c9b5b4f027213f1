"""What the tests of the sandboxes share: an engine, and the image on it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from codegen_eval.interfaces import SandboxProvider
from codegen_eval.resources import resource_root
from codegen_eval.sandbox.bwrap import BwrapProvider
from codegen_eval.sandbox.docker import DockerProvider
from codegen_eval.sandbox.engine import Engine
from codegen_eval.sandbox.image import SandboxImage, base_image, ensure_image
from codegen_eval.sandbox.process import ProcessProvider


@pytest.fixture(scope="session")
def image(engine: Engine) -> SandboxImage:
    """Give the sandbox image, built where it isn't there yet."""
    return ensure_image(engine, resource_root() / "sandbox-image", base=base_image())


@pytest.fixture(
    params=[
        "subprocess",
        "bwrap",
        pytest.param("docker", marks=pytest.mark.docker),
        pytest.param("runsc", marks=pytest.mark.docker),
    ],
    scope="module",
)
def provider(request: pytest.FixtureRequest) -> Iterator[SandboxProvider]:
    """Give each provider that there is, as the laws of all of them want it."""
    made: SandboxProvider
    match request.param:
        case "subprocess":
            made = ProcessProvider(memory_mib=256)
        case "bwrap":
            request.getfixturevalue("bubblewrap")
            made = BwrapProvider(memory_mib=256, jobs=1)
        case "docker":
            request.getfixturevalue("engine")
            made = DockerProvider(memory_mib=128, jobs=1, run_id="laws")
        case _:
            request.getfixturevalue("gvisor")
            made = DockerProvider(memory_mib=256, jobs=1, run_id="laws", runtime="runsc")
    yield made
    made.close()
