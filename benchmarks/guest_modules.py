"""The guest's own modules, which no package holds: they are found in its folder alone."""

from __future__ import annotations

import importlib
import sys
from types import ModuleType

from codegen_eval.resources import resource_root


def guest_module(name: str) -> ModuleType:
    """Import a module of the guest."""
    folder = str(resource_root() / "sandbox-image" / "guest")
    sys.path.insert(0, folder)
    try:
        return importlib.import_module(name)
    finally:
        sys.path.remove(folder)
