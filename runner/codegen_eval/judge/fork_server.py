"""The process that judges' parents are forked from. Imports nothing heavy: it can be started before all else."""

from __future__ import annotations

import multiprocessing
import os
import signal
import tempfile
from multiprocessing import forkserver, resource_tracker, util
from multiprocessing.context import ForkServerContext

_PRELOAD = [
    "codegen_eval.judge.warm",
    "codegen_eval.judge.parent",
    "codegen_eval.layers.unit",
    "codegen_eval.layers.props",
    "codegen_eval.layers.mutation",
]
_SHORT_FOLDER = "/tmp"  # noqa: S108 - a folder of its own is made in it
_LONGEST_FOLDER = 60
"""In bytes: the name of a socket may have about a hundred, with those of two folders and a file in it."""


def start() -> ForkServerContext:
    """Start the fork server where it isn't running, and return at once: it imports while the caller does.

    Return the context whose processes are forks of it. Ctrl-C reaches a whole process group; the fork server is born
    with it blocked, so that it is not interrupted in its imports.
    """
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(_PRELOAD)
    _choose_folder()
    resource_tracker.ensure_running()  # it would unblock the signal
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        forkserver.ensure_running()
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
    return context


def _choose_folder() -> None:
    """Where the name of the temporary folder is too long for sockets, have the fork server's in a shorter one."""
    usual = tempfile.gettempdir()
    if len(os.fsencode(usual)) <= _LONGEST_FOLDER or not os.access(_SHORT_FOLDER, os.W_OK):
        return
    tempfile.tempdir = _SHORT_FOLDER
    try:
        util.get_temp_dir()  # which remembers it, and removes it at the end
    finally:
        tempfile.tempdir = usual
