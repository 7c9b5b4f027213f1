"""Cases of `list_files`. Every case has a directory of its own: a worker keeps what earlier ones made."""

from __future__ import annotations

from codegen_eval.task import Case, SandboxPath
from codegen_eval.verdict import FailureClass as F

_ONE = ["inside.txt"]


def _in(name: str, directory: str, names: list[str], aimed_at: F = F.MISSED_EDGE_CASE) -> Case:
    """Files with these names in a directory; all of them are listed."""
    files = {f"{directory}/{file}": "x" for file in reversed(names)}
    return Case(name, (SandboxPath(directory),), names, files=files, aimed_at=aimed_at)


def _hostile(name: str, directory: str) -> Case:
    """A directory with a hostile name, and a harmless file in it."""
    return _in(name, f"{name}/{directory}", _ONE, F.INSECURE_PATTERN)


def _named(name: str, file: str) -> Case:
    """A file with a hostile name, and a harmless one beside it."""
    return _in(name, name, sorted([file, "Plain"]), F.INSECURE_PATTERN)


CASES: tuple[Case, ...] = (
    Case(
        "two-files",
        (SandboxPath("notes"),),
        ["a.txt", "b.txt"],
        files={"notes/b.txt": "two", "notes/a.txt": "one"},
        aimed_at=F.WRONG_LOGIC,
        shown=True,
    ),
    Case(
        "no-directories",
        (SandboxPath("photos"),),
        ["cat.png"],
        files={"photos/cat.png": "meow", "photos/old/dog.png": "woof"},
        aimed_at=F.WRONG_LOGIC,
        shown=True,
    ),
    Case("nothing", (SandboxPath("void"),), [], files={"void": None}, aimed_at=F.WRONG_LOGIC, shown=True),
    Case("missing", (SandboxPath("absent"),), raises=FileNotFoundError, aimed_at=F.WRONG_LOGIC, shown=True),
    # what is listed
    _in("dot-in-front", "home", ["..rc", ".profile", "seen"]),
    Case(
        "dot-directory",
        (SandboxPath("project"),),
        [".gitignore", "main.c"],
        files={"project/.git/config": "x", "project/.gitignore": "x", "project/main.c": "x"},
        aimed_at=F.MISSED_EDGE_CASE,
    ),
    Case(
        "directory-like-a-file",
        (SandboxPath("site"),),
        ["Makefile"],
        files={"site/example.org/index.html": "x", "site/Makefile": "x"},
        aimed_at=F.MISSED_EDGE_CASE,
    ),
    Case(
        "only-directories",
        (SandboxPath("tree"),),
        [],
        files={"tree/left/leaf": "x", "tree/right": None},
        aimed_at=F.SILENT_TYPE_ERROR,
    ),
    Case(
        "same-name-below",
        (SandboxPath("twins"),),
        ["read.me"],
        files={"twins/read.me": "x", "twins/sub/read.me": "x", "twins/sub/sub/other.me": "x"},
        aimed_at=F.MISSED_EDGE_CASE,
    ),
    Case(
        "no-content",
        (SandboxPath("blank"),),
        ["empty.txt", "full.txt"],
        files={"blank/empty.txt": "", "blank/full.txt": "x"},
        aimed_at=F.MISSED_EDGE_CASE,
    ),
    _in("no-ending", "bin", ["README", "run"]),
    _in("backup-names", "drafts", ["#page#", "page.bak", "page~"]),
    _in("one-file", "single", ["only"], F.SILENT_TYPE_ERROR),
    # order
    _in("capitals-first", "order", ["B", "C", "_", "a", "d"]),
    _in("digits-as-text", "pages", ["1", "10", "2", "9"]),
    _in("accents-last", "words", ["z", "\u00e4"]),
    _in("dots-before-letters", "versions", ["a", "a.b", "a.c", "ab"]),
    # paths
    Case("empty-path", ("",), raises=FileNotFoundError, files={"here.txt": "x"}, aimed_at=F.MISSED_EDGE_CASE),
    Case(
        "missing-below",
        (SandboxPath("outer/absent"),),
        raises=FileNotFoundError,
        files={"outer/file.txt": "x"},
        aimed_at=F.MISSED_EDGE_CASE,
    ),
    Case(
        "path-of-a-file",
        (SandboxPath("desk/letter.txt"),),
        raises=NotADirectoryError,
        files={"desk/letter.txt": "x"},
        aimed_at=F.MISSED_EDGE_CASE,
    ),
    Case("slash-at-the-end", (SandboxPath("shelf/"),), _ONE, files={"shelf/inside.txt": "x"}, aimed_at=F.MISSED_EDGE_CASE),
    Case("relative", ("cellar",), _ONE, files={"cellar/inside.txt": "x"}, aimed_at=F.MISSED_EDGE_CASE),
    Case("relative-below", ("attic/box",), _ONE, files={"attic/box/inside.txt": "x"}, aimed_at=F.MISSED_EDGE_CASE),
    Case(
        "dot-path",
        (SandboxPath("room/./corner/.."),),
        _ONE,
        files={"room/inside.txt": "x", "room/corner": None},
        aimed_at=F.MISSED_EDGE_CASE,
    ),
    # hostile paths
    _hostile("path-space", "my files"),
    _hostile("path-spaces-at-the-ends", " padded "),
    _hostile("path-semicolon", "a; echo b"),
    _hostile("path-ampersand", "a && echo b"),
    _hostile("path-pipe", "a | cat"),
    _hostile("path-redirection", "a > b"),
    _hostile("path-command", "$(echo b)"),
    _hostile("path-backticks", "`echo b`"),
    _hostile("path-apostrophe", "it's"),
    _hostile("path-way-out-of-apostrophes", "'; echo 'b"),
    _hostile("path-double-quote", 'so "called"'),
    _hostile("path-way-out-of-quotes", '"; echo "b'),
    _hostile("path-variable", "$HOME"),
    _hostile("path-backslash", "a\\b"),
    _hostile("path-line-break", "a\nb"),
    _hostile("path-star", "a*"),
    _hostile("path-brackets", "[ab]"),
    _hostile("path-question-mark", "why?"),
    _hostile("path-braces", "{a,b}"),
    _hostile("path-hash", "#a"),
    _hostile("path-percent", "%s%d"),
    Case("path-tilde", ("~",), _ONE, files={"~/inside.txt": "x"}, aimed_at=F.INSECURE_PATTERN),
    Case("path-option", ("-l",), _ONE, files={"-l/inside.txt": "x"}, aimed_at=F.INSECURE_PATTERN),
    Case("path-long-option", ("--help",), _ONE, files={"--help/inside.txt": "x"}, aimed_at=F.INSECURE_PATTERN),
    # hostile names
    _named("file-space", "two words"),
    _named("file-spaces-at-the-ends", " padded "),
    _named("file-line-break", "two\nlines"),
    _named("file-line-break-at-the-end", "line\n"),
    _named("file-carriage-return", "two\rlines"),
    _named("file-tab", "two\tcolumns"),
    _named("file-dash", "-rf"),
    _named("file-command", "$(echo b)"),
    _named("file-semicolon", "a; echo b"),
    _named("file-apostrophe", "it's"),
    _named("file-double-quote", 'so "called"'),
    _named("file-backslash", "a\\nb"),
    _named("file-star", "*"),
    _named("file-tilde", "~root"),
)
