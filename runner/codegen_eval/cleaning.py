"""Removing what crashed runs left behind, and on request what later runs would find useful."""

from __future__ import annotations

import shutil

from codegen_eval.errors import EnvironmentFaultError
from codegen_eval.frozen import Frozen
from codegen_eval.resources import user_cache
from codegen_eval.sandbox.engine import Engine
from codegen_eval.sandbox.hardening import LABEL_OWNER
from codegen_eval.sandbox.image import LABEL_IMAGE, REPOSITORY
from codegen_eval.sandbox.reaper import dead_containers, reap
from codegen_eval.sandbox.scratch import dead_scratch, sweep_scratch


class Cleaned(Frozen):
    """What was removed, or would be."""

    dry_run: bool
    containers: tuple[str, ...] = ()
    """Ids of containers whose run has ended on this machine."""
    left: int = 0
    """Containers of runs that live, or that other machines started on this engine."""
    folders: tuple[str, ...] = ()
    """Folders of subprocess sandboxes whose run has ended."""
    images: tuple[str, ...] = ()
    """Tags of sandbox images that `evalrun` built."""
    cache: str | None = None
    """The folder of the cache."""
    problem: str | None = None
    """Why containers and images could not be looked at."""


def clean(*, images: bool, cache: bool, dry_run: bool) -> Cleaned:
    """Remove leftovers; with `images` and `cache` also what would have to be made again."""
    folders = dead_scratch() if dry_run else sweep_scratch()
    found = Cleaned(dry_run=dry_run, folders=tuple(map(str, folders)))
    if cache and user_cache().is_dir():
        found = found.model_copy(update={"cache": str(user_cache())})
        if not dry_run:
            shutil.rmtree(user_cache(), ignore_errors=True)
    engine = Engine()
    try:
        return found.model_copy(update=_clean_engine(engine, images=images, dry_run=dry_run))
    except EnvironmentFaultError as exc:
        return found.model_copy(update={"problem": exc.message})
    finally:
        engine.close()


def _clean_engine(engine: Engine, *, images: bool, dry_run: bool) -> dict[str, object]:
    """Remove containers and images."""
    containers = dead_containers(engine) if dry_run else reap(engine)
    left = len({each.id for each in engine.containers(LABEL_OWNER)}.difference(containers))
    ours = [
        tag
        for each in (engine.images(REPOSITORY, label=LABEL_IMAGE) if images else ())
        for tag in each.tags
        if each.labels.get(LABEL_IMAGE) == tag
    ]
    gone = [tag for tag in sorted(ours) if dry_run or engine.remove_image(tag)]
    return {"containers": containers, "left": left, "images": tuple(gone)}


def render_cleaned(cleaned: Cleaned) -> str:
    """Return for people what was removed."""
    did = "would remove" if cleaned.dry_run else "removed"
    named = [
        *(("container", name[:12]) for name in cleaned.containers),
        *(("folder", name) for name in cleaned.folders),
        *(("image", name) for name in cleaned.images),
        *((("cache", cleaned.cache),) if cleaned.cache else ()),
    ]
    lines = [f"{did} {kind} {name}" for kind, name in named] or ["nothing to remove"]
    if cleaned.left:
        lines.append(f"left alone: {cleaned.left} containers of runs that live, or of other machines")
    if cleaned.problem:
        lines.append(f"containers were not looked at: {cleaned.problem}")
    return "\n".join(lines) + "\n"
