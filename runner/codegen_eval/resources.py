"""Where tasks, corpus and sandbox image are (beside the package in a checkout, inside it in a wheel), and the cache."""

from __future__ import annotations

import os
from pathlib import Path


def resource_root() -> Path:
    """Return the folder that holds `tasks/`, `corpus/` and `sandbox-image/`."""
    package = Path(__file__).resolve().parent
    bundled = package / "_bundled"
    return bundled if bundled.is_dir() else package.parents[1]


def user_cache() -> Path:
    """Return our folder in the user's cache; for a user without a home, a place where nothing can be written."""
    try:
        return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "codegen-eval"
    except RuntimeError:
        return Path(os.devnull)
