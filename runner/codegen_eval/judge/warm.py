"""Imported by the fork server before it forks: what Hypothesis does once in a process is then done for all judges.

Hypothesis keeps tables of Unicode that take it a second to make. They go to the user's cache, not to a folder of its
own in the directory that the user happens to be in.
"""

from __future__ import annotations

import gc
import os
from collections.abc import Callable
from pathlib import Path

from hypothesis import strategies as st
from hypothesis.configuration import set_hypothesis_home_dir

from codegen_eval.judge.examples import plan_examples
from codegen_eval.task import prop
from codegen_eval.verdict import FailureClass


def _cache() -> Path:
    """Return the user's cache, or a place where nothing can be written for a user without a home."""
    try:
        return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    except RuntimeError:
        return Path(os.devnull)


set_hypothesis_home_dir(_cache() / "codegen-eval" / "hypothesis")


@prop(FailureClass.WRONG_LOGIC, values=st.lists(st.text() | st.integers() | st.floats() | st.from_regex("[a-z]")))
def _anything_goes(candidate: Callable[..., object], values: list[object]) -> None:
    candidate(values)


plan_examples(_anything_goes, seed=0, task="")
gc.collect()
gc.freeze()  # a collection in a fork would touch, so copy, every page
