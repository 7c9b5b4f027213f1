"""Laws of building the sandbox image."""

from __future__ import annotations

import io
import re
import shutil
import tarfile
from collections.abc import Mapping
from pathlib import Path

import pytest

from codegen_eval.errors import SandboxUnavailableError
from codegen_eval.resources import resource_root
from codegen_eval.sandbox.engine import Engine
from codegen_eval.sandbox.image import (
    DEFAULT_BASE,
    SandboxImage,
    base_image,
    ensure_image,
    image_tag,
    make_context,
)

SOURCE = resource_root() / "sandbox-image"


class FakeEngine:
    """An engine whose images are a dict and whose builds always succeed."""

    def __init__(self, *images: str) -> None:
        self.images = {name: f"sha256:{name}" for name in images}
        self.calls: list[str] = []

    def image_id(self, name: str) -> str | None:
        """Look it up."""
        return self.images.get(name)

    def pull(self, name: str, *, seconds: float) -> None:
        """Succeed."""
        assert seconds > 0
        self.calls.append(f"pull {name}")
        self.images[name] = f"sha256:{name}"

    def build(self, context: bytes, *, tag: str, arguments: Mapping[str, str], seconds: float) -> None:
        """Succeed."""
        assert context
        assert seconds > 0
        self.calls.append(f"build on {arguments['BASE_IMAGE']}")
        self.images[tag] = f"sha256:{tag}"


def copy_source(tmp_path: Path) -> Path:
    folder = tmp_path / "sandbox-image"
    shutil.copytree(SOURCE, folder, ignore=shutil.ignore_patterns("__pycache__"))
    return folder


def test_the_same_files_give_the_same_context(tmp_path: Path) -> None:
    """The context depends on names and contents alone: not on times, modes, owners or compiled leftovers."""
    folder = copy_source(tmp_path)
    (folder / "guest" / "__pycache__").mkdir()
    (folder / "guest" / "__pycache__" / "wire.cpython-311.pyc").write_bytes(b"leftover")
    (folder / "Dockerfile").chmod(0o600)

    assert make_context(folder) == make_context(SOURCE)


def test_the_context_holds_what_the_dockerfile_copies() -> None:
    """The context is the Dockerfile and the guest, and nothing else."""
    with tarfile.open(fileobj=io.BytesIO(make_context(SOURCE))) as archive:
        names = archive.getnames()

    assert "Dockerfile" in names
    assert "guest/__main__.py" in names
    assert all(name == "Dockerfile" or re.fullmatch(r"guest/[\w/]+\.py", name) for name in names)


def test_any_input_changes_the_tag(tmp_path: Path) -> None:
    """Another guest, another base name or another base image give another tag."""
    folder = copy_source(tmp_path)
    before = make_context(folder)
    (folder / "guest" / "wire.py").write_text("# changed\n", encoding="utf-8")

    tags = {
        image_tag(before, "base", "id"),
        image_tag(make_context(folder), "base", "id"),
        image_tag(before, "other", "id"),
        image_tag(before, "base", "other"),
    }

    assert len(tags) == 4


def test_a_local_base_is_never_pulled() -> None:
    """A base that the engine has is used as it is."""
    engine = FakeEngine("mine:1")
    ensure_image(engine, SOURCE, base="mine:1")

    assert engine.calls == ["build on mine:1"]


def test_a_base_that_is_not_there_is_pulled_first() -> None:
    """The tag is made of the image that the base really is, so it is fetched before it is hashed."""
    engine = FakeEngine()
    first = ensure_image(engine, SOURCE, base="official:1")
    second = ensure_image(engine, SOURCE, base="official:1")

    assert engine.calls == ["pull official:1", "build on official:1"]
    assert first == second


def test_an_incomplete_installation_is_told(tmp_path: Path) -> None:
    """A part of the context that is missing is named, with what to do."""
    with pytest.raises(SandboxUnavailableError, match="Dockerfile") as caught:
        ensure_image(FakeEngine("base"), tmp_path, base="base")

    assert caught.value.hint == "reinstall codegen-eval"


def test_the_environment_names_the_base() -> None:
    """`EVALRUN_BASE_IMAGE` wins over the official image; an empty one counts as unset."""
    assert base_image({"EVALRUN_BASE_IMAGE": "mine:1"}) == "mine:1"
    assert base_image({"EVALRUN_BASE_IMAGE": ""}) == base_image({}) == DEFAULT_BASE


def test_dockerfile_and_program_agree_on_the_default_base() -> None:
    """Building by hand gives the image that the program builds."""
    assert f"ARG BASE_IMAGE={DEFAULT_BASE}\n" in (SOURCE / "Dockerfile").read_text(encoding="utf-8")


@pytest.mark.docker
def test_building_again_gives_the_same_image(engine: Engine, image: SandboxImage) -> None:
    """An image that is there is not built again."""
    assert ensure_image(engine, SOURCE, base=image.base) == image


@pytest.mark.docker
def test_a_base_without_python_is_told(engine: Engine, image: SandboxImage, tmp_path: Path) -> None:
    """A build that fails says what the build said and what to set."""
    folder = copy_source(tmp_path)
    dockerfile = (folder / "Dockerfile").read_text(encoding="utf-8")
    (folder / "Dockerfile").write_text(dockerfile.replace("RUN python3", "RUN no-such-python"), encoding="utf-8")

    with pytest.raises(SandboxUnavailableError, match="no-such-python") as caught:
        ensure_image(engine, folder, base=image.base)

    assert "EVALRUN_BASE_IMAGE" in (caught.value.hint or "")


@pytest.mark.docker
def test_a_base_that_no_registry_has_is_told(engine: Engine) -> None:
    """A base that can be had from nowhere ends in an error that names it."""
    with pytest.raises(SandboxUnavailableError, match=r"registry\.invalid/none"):
        ensure_image(engine, SOURCE, base="registry.invalid/none:1", seconds=60)
