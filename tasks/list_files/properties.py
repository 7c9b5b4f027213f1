"""Properties of `list_files`: over plain names."""

from __future__ import annotations

from hypothesis import strategies as st

from codegen_eval.judge.candidate import Candidate
from codegen_eval.task import SandboxPath, prop
from codegen_eval.verdict import FailureClass as F

names = st.text("abcxyz019_", min_size=1, max_size=6)


@prop(F.WRONG_LOGIC, files=st.sets(names, max_size=6), serial=st.integers(0, 10**9))
def lists_what_was_made(candidate: Candidate, files: set[str], serial: int) -> None:
    """The files of a new directory are listed, sorted."""
    made: dict[str, str | bytes | None] = {f"p{serial}/{name}": "" for name in files}
    listed = candidate.call((SandboxPath(f"p{serial}"),), files=made | {f"p{serial}": None})
    assert set(files) <= set(listed)  # type: ignore[call-overload] # a list


@prop(F.WRONG_LOGIC, files=st.sets(names, max_size=6), serial=st.integers(0, 10**9))
def names_are_sorted(candidate: Candidate, files: set[str], serial: int) -> None:
    """The names come in ascending order."""
    made: dict[str, str | bytes | None] = {f"q{serial}/{name}": "" for name in files}
    listed = candidate.call((SandboxPath(f"q{serial}"),), files=made | {f"q{serial}": None})
    assert listed == sorted(listed)  # type: ignore[call-overload] # a list


PROPERTIES = (lists_what_was_made, names_are_sorted)
