"""Imported by the fork server before it forks: what Hypothesis does once in a process is then done for all judges.

Hypothesis keeps tables of Unicode that take it a second to make. They go to the user's cache, not to a folder of its
own in the directory that the user happens to be in.
"""

from __future__ import annotations

import gc
from collections.abc import Callable

from hypothesis import strategies as st
from hypothesis.configuration import set_hypothesis_home_dir

from codegen_eval.judge.examples import plan_examples
from codegen_eval.resources import user_cache
from codegen_eval.task import prop
from codegen_eval.verdict import FailureClass

set_hypothesis_home_dir(user_cache() / "hypothesis")


@prop(FailureClass.WRONG_LOGIC, values=st.lists(st.text() | st.integers() | st.floats() | st.from_regex("[a-z]")))
def _anything_goes(candidate: Callable[..., object], values: list[object]) -> None:
    candidate(values)


plan_examples(_anything_goes, seed=0, task="")
gc.collect()
gc.freeze()  # a collection in a fork would touch, so copy, every page
