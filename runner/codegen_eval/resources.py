"""Where tasks, corpus and sandbox image are: beside the package in a checkout, inside it in a wheel."""

from __future__ import annotations

from pathlib import Path


def resource_root() -> Path:
    """Return the folder that holds `tasks/`, `corpus/` and `sandbox-image/`."""
    package = Path(__file__).resolve().parent
    bundled = package / "_bundled"
    return bundled if bundled.is_dir() else package.parents[1]
