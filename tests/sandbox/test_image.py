"""Laws of building the sandbox image."""

from __future__ import annotations

import io
import re
import secrets
import shutil
import tarfile
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from codegen_eval.errors import SandboxUnavailableError
from codegen_eval.resources import resource_root
from codegen_eval.sandbox.engine import Engine, ListedImage
from codegen_eval.sandbox.hardening import container_arguments, host_arguments
from codegen_eval.sandbox.image import (
    DEFAULT_BASE,
    LABEL_IMAGE,
    REPOSITORY,
    SandboxImage,
    base_image,
    ensure_image,
    image_tag,
    make_context,
    prune_images,
)

SOURCE = resource_root() / "sandbox-image"
HOUR = 3600


class FakeEngine:
    """An engine whose images are a dict and whose builds always succeed; its clock goes on an hour with each."""

    def __init__(self, *images: str, used: tuple[str, ...] = (), broken: tuple[str, ...] = ()) -> None:
        self.ids = {name: f"sha256:{name}" for name in images}
        self.listed: dict[str, ListedImage] = {}
        self.used = used
        self.broken = broken
        self.calls: list[str] = []

    def image_id(self, name: str) -> str | None:
        """Look it up."""
        return self.ids.get(name)

    def pull(self, name: str, *, seconds: float) -> None:
        """Succeed."""
        assert seconds > 0
        self.calls.append(f"pull {name}")
        self.ids[name] = f"sha256:{name}"

    def build(
        self, context: bytes, *, tag: str, labels: Mapping[str, str], arguments: Mapping[str, str], seconds: float
    ) -> None:
        """Succeed."""
        assert context
        assert seconds > 0
        self.calls.append(f"build on {arguments['BASE_IMAGE']}")
        self.ids[tag] = f"sha256:{tag}"
        self.listed[tag] = ListedImage(tags=(tag,), labels=labels, created=HOUR * (len(self.listed) + 1))

    def images(self, repository: str, *, label: str) -> tuple[ListedImage, ...]:
        """List what was built, unless listing is broken."""
        if "list" in self.broken:
            raise SandboxUnavailableError("can't list")
        return tuple(
            each for tag, each in self.listed.items() if tag.startswith(f"{repository}:") and label in each.labels
        )

    def remove_image(self, name: str) -> bool:
        """Remove it, unless it is in use or removing it is broken."""
        if name in self.broken:
            raise SandboxUnavailableError(f"can't remove {name}")
        if name in self.used:
            return False
        del self.ids[name], self.listed[name]
        return True


def add_image(
    engine: FakeEngine, name: str, *, label: str | None = None, others: tuple[str, ...] = (), hours: int = 0
) -> None:
    """Add an image as the program builds it: labelled with its tag unless said otherwise."""
    engine.ids[name] = f"sha256:{name}"
    labels = {} if label == "" else {LABEL_IMAGE: label or name}
    engine.listed[name] = ListedImage(tags=(name, *others), labels=labels, created=HOUR * hours)


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


def test_a_build_removes_all_but_the_newest_images(tmp_path: Path) -> None:
    """Each change of the image leaves one behind; three stay, and a version that is built again is the newest."""
    engine = FakeEngine("base")
    folder = copy_source(tmp_path)
    tags: list[str] = []
    for version in (1, 2, 3, 4, 5, 1):
        (folder / "guest" / "wire.py").write_text(f"# {version}\n", encoding="utf-8")
        tags.append(ensure_image(engine, folder, base="base").tag)

    assert tags[0] == tags[5]
    assert list(engine.listed) == tags[3:]


def test_two_versions_may_take_turns() -> None:
    """An image that is there is not built again, and nothing is removed then."""
    engine = FakeEngine("one", "other")
    for _ in range(3):
        ensure_image(engine, SOURCE, base="one")
        ensure_image(engine, SOURCE, base="other")

    assert engine.calls == ["build on one", "build on other"]


def test_only_our_own_tags_are_removed() -> None:
    """An image without our label, one that inherited it, another name for ours and another repository's image stay."""
    engine = FakeEngine()
    add_image(engine, "r:unlabelled", label="")
    add_image(engine, "r:inherited", label="r:old")
    add_image(engine, "r:named", label="r:old")
    add_image(engine, "other:old")
    add_image(engine, "r:old", others=("mine:kept", "r:mine"))
    add_image(engine, "r:new", hours=9)

    assert prune_images(engine, "r:new", kept=1) == ("r:old",)
    assert set(engine.listed) == {"r:unlabelled", "r:inherited", "r:named", "other:old", "r:new"}


def test_an_image_that_a_run_may_be_about_to_use_stays() -> None:
    """What was built within the hour before stays, whatever the number, and so does the one just built."""
    engine = FakeEngine()
    for name, hours in (("ancient", 1), ("old", 8), ("young", 9), ("new", 9)):
        add_image(engine, f"r:{name}", hours=hours)

    assert prune_images(engine, "r:new", kept=1) == ("r:old", "r:ancient")
    assert prune_images(engine, "r:young", kept=1, young_seconds=1) == ()


def test_a_build_is_not_undone_by_a_failure_to_remove(tmp_path: Path) -> None:
    """What is in use or can't be removed is passed over, and an engine that can't list keeps everything."""
    engine = FakeEngine(used=("r:1",), broken=("r:3",))
    for hours in (1, 2, 3, 4, 9):
        add_image(engine, f"r:{hours}", hours=hours)
    lame = FakeEngine("base", broken=("list",))

    assert prune_images(engine, "r:9", kept=1) == ("r:4", "r:2")
    assert ensure_image(lame, copy_source(tmp_path), base="base").tag.startswith(f"{REPOSITORY}:")


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


@pytest.fixture
def repository(engine: Engine) -> Iterator[str]:
    """Give the name of a repository of the test's own; what is left in it is removed."""
    name = f"codegen-eval-test-{secrets.token_hex(6)}"
    yield name
    for each in engine.images(name, label=LABEL_IMAGE):
        for tag in each.tags:
            engine.remove_image(tag)


def build_labelled(engine: Engine, base: str, tag: str, label: str) -> None:
    """Build an image that differs from others by its label alone."""
    recipe = b'ARG BASE_IMAGE\nFROM ${BASE_IMAGE}\nENTRYPOINT ["python3"]\n'
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w") as archive:
        entry = tarfile.TarInfo("Dockerfile")
        entry.size = len(recipe)
        archive.addfile(entry, io.BytesIO(recipe))
    arguments = {"BASE_IMAGE": base}
    engine.build(buffer.getvalue(), tag=tag, labels={LABEL_IMAGE: label}, arguments=arguments, seconds=60)


@pytest.mark.docker
def test_an_engine_removes_our_old_images_and_no_others(engine: Engine, image: SandboxImage, repository: str) -> None:
    """On a real engine our old tags go, save those of a container, and somebody else's tags stay."""
    for name in ("old", "used", "new"):
        build_labelled(engine, image.base, f"{repository}:{name}", f"{repository}:{name}")
    build_labelled(engine, image.base, f"{repository}:other", "somebody else's")
    container = engine.create(
        f"{repository}:used",
        name=repository,
        container=container_arguments({}),
        host=host_arguments(memory_mib=64, seccomp="{}", runtime=None),
    )
    try:
        removed = prune_images(engine, f"{repository}:new", kept=1, young_seconds=-60)
    finally:
        engine.remove(container)

    left = {tag for each in engine.images(repository, label=LABEL_IMAGE) for tag in each.tags}
    assert removed == (f"{repository}:old",)
    assert left == {f"{repository}:{name}" for name in ("used", "new", "other")}
    assert engine.remove_image(f"{repository}:old")
    assert engine.image_id(image.tag) == image.id


@pytest.mark.docker
def test_a_build_labels_the_image_with_its_tag(engine: Engine, image: SandboxImage, tmp_path: Path) -> None:
    """The engine tells which images of the repository the program built, and when."""
    folder = copy_source(tmp_path)
    (folder / "guest" / "mark.py").write_text(f"# {tmp_path.name} {secrets.token_hex(6)}\n", encoding="utf-8")
    built = ensure_image(engine, folder, base=image.base)
    listed = [each for each in engine.images(REPOSITORY, label=LABEL_IMAGE) if built.tag in each.tags]

    assert engine.remove_image(built.tag)
    assert [each.labels[LABEL_IMAGE] for each in listed] == [built.tag]
    assert listed[0].created > 1_600_000_000


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
