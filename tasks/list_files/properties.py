"""Laws of `list_files`, over harmless names.

A worker keeps the files of earlier examples, so every example has a directory that is named after what is in it.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from typing import Protocol

from hypothesis import strategies as st

from codegen_eval.task import Property, SandboxPath, prop
from codegen_eval.verdict import FailureClass


class _Candidate(Protocol):
    def call(self, args: Sequence[object], *, files: Mapping[str, str | bytes | None] | None = None) -> object:
        """Call the entry point with files in its directory."""


_name = st.from_regex(r"\.?[a-z0-9_][a-z0-9_.]{0,5}", fullmatch=True)
_names = st.lists(_name, unique=True, max_size=5)


def _listed(candidate: _Candidate, law: str, files: Mapping[str, str | None]) -> object:
    """Call the candidate on a directory with these files, or directories, in it."""
    digest = hashlib.sha256(repr((law, sorted(files.items(), key=repr))).encode()).hexdigest()
    folder = f"{law}_{digest[:16]}"
    wanted: dict[str, str | bytes | None] = {folder: None}
    wanted |= {f"{folder}/{name}": content for name, content in files.items()}
    return candidate.call((SandboxPath(folder),), files=wanted)


@prop(FailureClass.WRONG_LOGIC, names=_names)
def lists_every_file(candidate: _Candidate, names: list[str]) -> None:
    """The list is the sorted names of what was put there."""
    assert _listed(candidate, "every", dict.fromkeys(names, "x")) == sorted(names)


@prop(FailureClass.MISSED_EDGE_CASE, names=_names, below=_name)
def leaves_directories_out(candidate: _Candidate, names: list[str], below: str) -> None:
    """Every second name is a directory's, with a file in it: none of those is listed."""
    files: dict[str, str | None] = dict.fromkeys(names[::2], "x")
    folders: dict[str, str | None] = {f"{name}/{below}": "x" for name in names[1::2]}
    assert _listed(candidate, "folders", files | folders) == sorted(files)


@prop(FailureClass.MISSED_EDGE_CASE, names=_names, content=st.text(alphabet="ab\n/", max_size=3))
def content_does_not_matter(candidate: _Candidate, names: list[str], content: str) -> None:
    """Whatever is in the files, they are listed."""
    assert _listed(candidate, "content", dict.fromkeys(names, content)) == sorted(names)


@prop(FailureClass.SILENT_TYPE_ERROR, names=_names)
def gives_a_list_of_names(candidate: _Candidate, names: list[str]) -> None:
    """The result is a list of str, however many files there are."""
    listed = _listed(candidate, "types", dict.fromkeys(names, "x"))
    assert type(listed) is list
    assert all(type(name) is str for name in listed)


PROPERTIES: tuple[Property, ...] = (
    lists_every_file,
    leaves_directories_out,
    content_does_not_matter,
    gives_a_list_of_names,
)
