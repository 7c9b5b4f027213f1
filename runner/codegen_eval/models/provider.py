"""Find the model providers that other packages register."""

from __future__ import annotations

from collections.abc import Callable
from importlib.metadata import EntryPoint, entry_points

from codegen_eval.errors import InputError, ModelError
from codegen_eval.models import Model

GROUP = "codegen_eval.models"
"""The entry-point group. An entry names a callable without arguments that returns a `Model`."""


def discover_providers() -> dict[str, EntryPoint]:
    """Return the registered providers by name, without importing them."""
    return {entry.name: entry for entry in sorted(entry_points(group=GROUP), key=lambda entry: entry.name)}


def load_provider(name: str) -> Model:
    """Import a registered provider and make its model.

    Raises:
        InputError: nobody registered this name.
        ModelError: the provider can't be imported.
    """
    found = discover_providers()
    if name not in found:
        known = ", ".join(f"`{known}`" for known in found) or "none"
        raise InputError(f"no model provider is named `{name}`", hint=f"registered: {known}")
    try:
        factory: Callable[[], Model] = found[name].load()
    except (ImportError, AttributeError) as exc:
        raise ModelError(
            f"model provider `{name}` can't be imported from `{found[name].value}`: {exc}",
            hint="install the package that it needs",
        ) from exc
    return factory()
