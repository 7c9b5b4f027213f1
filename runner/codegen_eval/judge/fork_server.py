"""The process that judges' parents are forked from. Imports nothing heavy: it can be started before all else."""

from __future__ import annotations

import multiprocessing
import signal
from multiprocessing import forkserver, resource_tracker
from multiprocessing.context import ForkServerContext

_PRELOAD = [
    "codegen_eval.judge.warm",
    "codegen_eval.judge.parent",
    "codegen_eval.layers.unit",
    "codegen_eval.layers.props",
    "codegen_eval.layers.mutation",
]


def start() -> ForkServerContext:
    """Start the fork server where it isn't running, and return at once: it imports while the caller does.

    Return the context whose processes are forks of it. Ctrl-C reaches a whole process group; the fork server is born
    with it blocked, so that it is not interrupted in its imports.
    """
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(_PRELOAD)
    resource_tracker.ensure_running()  # it would unblock the signal
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        forkserver.ensure_running()
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
    return context
