"""The battery: which layers there are, in which order they run, and where."""

from __future__ import annotations

from collections.abc import Callable
from importlib.metadata import entry_points
from typing import TYPE_CHECKING, Protocol

from codegen_eval.errors import InputError
from codegen_eval.verdict import LayerResult

if TYPE_CHECKING:
    from codegen_eval.judge.bench import Bench

LAYERS: tuple[str, ...] = ("unit", "props", "mutation", "lint", "llm_review")
"""All built-in layers, in the order of every table. Cheap evidence first: mutation asks what unit said."""
SANDBOXED: tuple[str, ...] = ("unit", "props", "mutation")
"""The layers that call the candidate: they run in a judge, with the solution's sandbox."""
_GROUP = "codegen_eval.layers"


class SandboxedLayer(Protocol):
    """A layer that calls the candidate."""

    def run(self) -> LayerResult:
        """Judge the solution on the bench that the layer was made with."""


def plugin_names() -> tuple[str, ...]:
    """Return the names of the sandboxed layers that other packages bring."""
    return tuple(sorted(point.name for point in entry_points(group=_GROUP) if point.name not in LAYERS))


def select_layers(wanted: tuple[str, ...]) -> tuple[str, ...]:
    """Return the layers asked for in the order they run; all built-in ones for an empty request.

    Raises:
        InputError: a layer that nobody knows.
    """
    known = LAYERS + plugin_names()
    unknown = [name for name in wanted if name not in known]
    if unknown:
        raise InputError(f"unknown layer `{unknown[0]}`", hint=f"the layers are {', '.join(known)}")
    return tuple(name for name in known if name in wanted) if wanted else LAYERS


def is_sandboxed(name: str) -> bool:
    """Say whether a layer needs the sandbox."""
    return name in SANDBOXED or name not in LAYERS


def sandboxed_layer(name: str, bench: Bench) -> SandboxedLayer:
    """Make a layer for one solution. Called in judge processes only."""
    match name:
        case "unit":
            from codegen_eval.layers.unit import Unit

            return Unit(bench)
        case "props":
            from codegen_eval.layers.props import Props

            return Props(bench)
        case "mutation":
            from codegen_eval.layers.mutation import Mutation

            return Mutation(bench)
    for point in entry_points(group=_GROUP, name=name):
        make: Callable[[Bench], SandboxedLayer] = point.load()
        return make(bench)
    raise InputError(f"unknown layer `{name}`")
