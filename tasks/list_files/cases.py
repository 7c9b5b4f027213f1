"""Cases of `list_files`."""

from __future__ import annotations

from pathlib import PurePosixPath

from codegen_eval.task import Case, SandboxPath
from codegen_eval.verdict import FailureClass as F

CASES = (
    Case(
        "two-files",
        (SandboxPath("d"),),
        ["a.txt", "b.txt"],
        aimed_at=F.WRONG_LOGIC,
        shown=True,
        files={"d/b.txt": "", "d/a.txt": "x"},
    ),
    Case("one-file", (SandboxPath("docs"),), ["readme"], aimed_at=F.WRONG_LOGIC, shown=True, files={"docs/readme": ""}),
    Case("missing", (SandboxPath("nowhere"),), raises=FileNotFoundError, aimed_at=F.MISSED_EDGE_CASE),
    Case("empty-path", ("",), raises=FileNotFoundError, aimed_at=F.MISSED_EDGE_CASE, files={"beside": ""}),
    Case("empty-directory", (SandboxPath("void"),), [], aimed_at=F.MISSED_EDGE_CASE, files={"void": None}),
    Case(
        "subdirectory-is-left-out",
        (SandboxPath("e"),),
        ["f"],
        aimed_at=F.MISSED_EDGE_CASE,
        files={"e/f": "", "e/sub": None, "e/other/inside": ""},
    ),
    Case(
        "hidden-file",
        (SandboxPath("h"),),
        [".profile", "z"],
        aimed_at=F.MISSED_EDGE_CASE,
        files={"h/.profile": "", "h/z": ""},
    ),
    Case(
        "capitals-before-small",
        (SandboxPath("s"),),
        ["B", "_", "a"],
        aimed_at=F.MISSED_EDGE_CASE,
        files={"s/a": "", "s/B": "", "s/_": ""},
    ),
    Case(
        "many-sorted",
        (SandboxPath("m"),),
        [f"n{i:02}" for i in range(30)],
        aimed_at=F.MISSED_EDGE_CASE,
        files={f"m/n{i:02}": "" for i in range(30)},
    ),
    Case(
        "directory-with-space",
        (SandboxPath("my files"),),
        ["a"],
        aimed_at=F.INSECURE_PATTERN,
        files={"my files/a": "", "my/wrong": "", "files/wrong": ""},
    ),
    Case(
        "directory-with-semicolon",
        (SandboxPath("x;echo hacked"),),
        ["a"],
        aimed_at=F.INSECURE_PATTERN,
        files={"x;echo hacked/a": "", "x/wrong": ""},
    ),
    Case(
        "directory-with-substitution",
        (SandboxPath("$(echo d)"),),
        ["inner"],
        aimed_at=F.INSECURE_PATTERN,
        files={"$(echo d)/inner": "", "d/wrong": ""},
    ),
    Case(
        "directory-with-quotes",
        (SandboxPath('it\'s "q"'),),
        ["a"],
        aimed_at=F.INSECURE_PATTERN,
        files={'it\'s "q"/a': ""},
    ),
    Case("directory-with-hyphen", ("-d",), ["a"], aimed_at=F.INSECURE_PATTERN, files={"-d/a": "", "beside": ""}),
    Case("file-with-newline", (SandboxPath("n"),), ["one\ntwo"], aimed_at=F.INSECURE_PATTERN, files={"n/one\ntwo": ""}),
    Case(
        "file-with-space-and-star",
        (SandboxPath("t"),),
        ["*", "a b "],
        aimed_at=F.INSECURE_PATTERN,
        files={"t/*": "", "t/a b ": ""},
    ),
)


def ACCEPTS(directory: str) -> bool:  # noqa: N802
    """Say whether the answer is the same everywhere: the path stays in the current directory."""
    return not PurePosixPath(directory).is_absolute() and ".." not in PurePosixPath(directory).parts
