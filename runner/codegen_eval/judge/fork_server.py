"""The process that judges' parents are forked from. Imports nothing heavy: it can be started before all else."""

from __future__ import annotations

import multiprocessing
from multiprocessing import forkserver
from multiprocessing.context import ForkServerContext

_PRELOAD = [
    "codegen_eval.judge.warm",
    "codegen_eval.judge.parent",
    "codegen_eval.layers.unit",
    "codegen_eval.layers.props",
    "codegen_eval.layers.mutation",
]


def context() -> ForkServerContext:
    """Return the context whose processes are forks of the fork server."""
    found = multiprocessing.get_context("forkserver")
    found.set_forkserver_preload(_PRELOAD)
    return found


def start() -> None:
    """Start the fork server and return at once: it imports while the caller does."""
    context()
    forkserver.ensure_running()
