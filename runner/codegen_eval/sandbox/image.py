"""The sandbox image: built on first use, tagged with the hash of what it is made of; old ones are removed."""

from __future__ import annotations

import hashlib
import io
import os
import tarfile
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import structlog

from codegen_eval.errors import EnvironmentFaultError, SandboxUnavailableError
from codegen_eval.sandbox.engine import ListedImage

REPOSITORY = "codegen-eval-sandbox"
LABEL_IMAGE = "dev.evalrun.image"
"""Label: the tag that this program built an image as. An image made from one of ours inherits it, but not the tag."""
BASE_VARIABLE = "EVALRUN_BASE_IMAGE"
DEFAULT_BASE = "python:3.13-slim"
"""The default of the Dockerfile's `BASE_IMAGE`; a test holds the two together."""
_SECONDS = 600.0
_KEPT = 3
"""Images that stay, the newest included: checkouts of several versions may take turns on one engine."""
_YOUNG_SECONDS = 3600
"""What was built within this time before the newest stays too: a run may be about to start a container of it."""
_PARTS = ("Dockerfile", "guest")
"""What the image is made of. The seccomp profile isn't: it travels with each container."""


class ImageEngine(Protocol):
    """What building needs of an engine."""

    def image_id(self, name: str) -> str | None:
        """Return the id of a local image, None where there is none of that name."""

    def pull(self, name: str, *, seconds: float) -> None:
        """Fetch an image from its registry."""

    def build(
        self, context: bytes, *, tag: str, labels: Mapping[str, str], arguments: Mapping[str, str], seconds: float
    ) -> None:
        """Build an image from a tar archive, label it and tag it."""

    def images(self, repository: str, *, label: str) -> tuple[ListedImage, ...]:
        """List the tagged images of a repository that have a label."""

    def remove_image(self, name: str) -> bool:
        """Remove a tag, and its image where that was the last one; say whether it is gone. False: it is in use."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SandboxImage:
    """The image that sandboxes are containers of."""

    id: str
    tag: str
    base: str


def base_image(environment: Mapping[str, str] | None = None) -> str:
    """Return the name of the base image: `EVALRUN_BASE_IMAGE`, or the official one."""
    values = os.environ if environment is None else environment
    return values.get(BASE_VARIABLE) or DEFAULT_BASE


def make_context(folder: Path) -> bytes:
    """Return the build context as a tar archive: the same files give the same bytes.

    Raises:
        SandboxUnavailableError: a part of it is missing.
    """
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w", format=tarfile.USTAR_FORMAT) as archive:
        for path in _files(folder):
            content = path.read_bytes()
            entry = tarfile.TarInfo(path.relative_to(folder).as_posix())
            entry.size, entry.mode, entry.mtime = len(content), 0o644, 0
            archive.addfile(entry, io.BytesIO(content))
    return buffer.getvalue()


def image_tag(context: bytes, base: str, base_id: str) -> str:
    """Return the name of the image made of this context on this base."""
    digest = hashlib.sha256()
    for part in (context, base.encode(), base_id.encode()):
        digest.update(len(part).to_bytes(8, "big") + part)
    return f"{REPOSITORY}:{digest.hexdigest()[:24]}"


def ensure_image(engine: ImageEngine, folder: Path, *, base: str, seconds: float = _SECONDS) -> SandboxImage:
    """Return the image, after building it where it isn't there yet.

    A base that is there is never pulled. Two processes that build at once end with the same tag. After a build, old
    images of this program are removed.

    Raises:
        SandboxUnavailableError: it can't be had; the hint says what to set.
    """
    context = make_context(folder)
    try:
        base_id = engine.image_id(base)
        if base_id is None:
            engine.pull(base, seconds=seconds)
            base_id = engine.image_id(base) or ""
        tag = image_tag(context, base, base_id)
        found = engine.image_id(tag)
        if found is None:
            arguments = {"BASE_IMAGE": base}
            engine.build(context, tag=tag, labels={LABEL_IMAGE: tag}, arguments=arguments, seconds=seconds)
            found = engine.image_id(tag)
            prune_images(engine, tag)
    except SandboxUnavailableError as exc:
        raise SandboxUnavailableError(f"no sandbox image: {exc.message}", hint=_hint(base)) from exc
    if found is None:
        raise SandboxUnavailableError(f"no sandbox image: the engine built `{tag}` and does not have it")
    return SandboxImage(id=found, tag=tag, base=base)


def prune_images(
    engine: ImageEngine, newest: str, *, kept: int = _KEPT, young_seconds: int = _YOUNG_SECONDS
) -> tuple[str, ...]:
    """Remove old images of this program from the repository of `newest`, the tag built just now; return their tags.

    Only a tag that its image's own label names is ours. Nothing is forced: what a container uses stays. Best effort:
    what goes wrong is logged.
    """
    log = structlog.get_logger()
    removed: list[str] = []
    try:
        old = _old(engine.images(newest.rpartition(":")[0], label=LABEL_IMAGE), newest, kept, young_seconds)
    except EnvironmentFaultError as exc:
        log.warning("old_images_not_listed", error=exc.message)
        return ()
    for tag in old:
        try:
            if engine.remove_image(tag):
                removed.append(tag)
        except EnvironmentFaultError as exc:
            log.warning("old_image_not_removed", error=exc.message)
    if removed:
        log.info("old_images_removed", count=len(removed))
    return tuple(removed)


def _old(listed: Iterable[ListedImage], newest: str, kept: int, young_seconds: int) -> list[str]:
    """Return the tags that may go, the youngest first."""
    ours = {tag: each.created for each in listed for tag in each.tags if each.labels.get(LABEL_IMAGE) == tag}
    built = ours.pop(newest, 0)
    by_age = sorted(ours, key=lambda tag: (-ours[tag], tag))
    return [tag for tag in by_age[kept - 1 :] if ours[tag] + young_seconds <= built]


def _hint(base: str) -> str:
    return f"set {BASE_VARIABLE} to an image that the engine has, with python3 (3.11 or later); now it is `{base}`"


def _files(folder: Path) -> list[Path]:
    """Return the files of the context, sorted."""
    found: list[Path] = []
    for name in _PARTS:
        part = folder / name
        if part.is_dir():
            found += [path for path in part.rglob("*.py") if path.is_file()]
        elif part.is_file():
            found.append(part)
        else:
            raise SandboxUnavailableError(f"no sandbox image: `{part}` is missing", hint="reinstall codegen-eval")
    return sorted(found)
