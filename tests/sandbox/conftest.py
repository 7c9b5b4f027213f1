"""What the tests of the sandboxes share: an engine, and the image on it."""

from __future__ import annotations

import pytest

from codegen_eval.resources import resource_root
from codegen_eval.sandbox.engine import Engine
from codegen_eval.sandbox.image import SandboxImage, base_image, ensure_image


@pytest.fixture(scope="session")
def image(engine: Engine) -> SandboxImage:
    """Give the sandbox image, built where it isn't there yet."""
    return ensure_image(engine, resource_root() / "sandbox-image", base=base_image())
