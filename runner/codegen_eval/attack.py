"""The shipped attacks: solutions that attack the harness, and what the manifest says of each."""

from __future__ import annotations

import re
import tomllib
from enum import StrEnum
from pathlib import Path

from pydantic import Field, ValidationError

from codegen_eval.battery import LAYERS
from codegen_eval.errors import CorpusError, InputError
from codegen_eval.frozen import Frozen
from codegen_eval.resources import resource_root

_MANIFEST = "manifest.toml"
_PLACEHOLDER = re.compile(r"@([A-Z]+)@")


class Category(StrEnum):
    """What an attack is after."""

    VERDICT_FORGERY = "verdict-forgery"
    RESOURCES = "resources"
    ESCAPE = "escape"
    PERSISTENCE = "persistence"
    INFORMATION_LEAK = "information-leak"


class Effect(StrEnum):
    """What must not happen, and where it would be seen."""

    ANSWER = "answer"
    """The solution answers with a text that only one which got through can, or does, answer with."""
    TCP = "tcp"
    """A listener on the host is connected to."""
    UDP = "udp"
    """A datagram comes to a socket of the host."""
    ABSTRACT = "abstract"
    """An abstract unix socket of the host is connected to."""
    FILE = "file"
    """A file appears in a folder of the host."""
    LOST = "lost"
    """The sandbox goes away. What merely uses too much may bring that about, in a sandbox that ends as a whole."""
    PROCESS = "process"
    """A process is there after its sandbox was closed."""
    SEGMENT = "segment"
    """A System V segment is there after its sandbox was closed."""
    LEFTOVER = "leftover"
    """A file or a container is there after its sandbox was closed."""


LINGERING = frozenset({Effect.PROCESS, Effect.SEGMENT, Effect.LEFTOVER})
"""The effects that are of what was left; all others are of what was reached."""


class NaiveStyle(StrEnum):
    """What decides in a naive harness: see `corpus/attacks/naive.py`."""

    EXIT = "exit"
    """The exit status of candidate and tests in one interpreter."""
    MARKER = "marker"
    """A line that is printed behind the last test."""
    EQUALITY = "equality"
    """A comparison by the harness's own function, in the candidate's interpreter."""
    LINES = "lines"
    """One printed line for each test."""
    UNITTEST = "unittest"
    """The result of a test library in the candidate's interpreter."""
    ASSUME = "assume"
    """As `exit`, and examples that are said to be unsuitable are dropped."""
    TIMED = "timed"
    """The clock of the candidate's interpreter."""
    RANDOM = "random"
    """Random tests, drawn in the candidate's interpreter."""
    PICKLE = "pickle"
    """Values that come back pickled."""
    LINGERS = "lingers"
    """Nothing: what is left when it has ended is looked for."""
    REUSE = "reuse"
    """Nothing: it runs twice in the same place."""


class Control(Frozen):
    """The limits whose absence lets an attack through."""

    options: dict[str, bool | int | str | tuple[str, ...] | dict[str, str] | dict[str, int]] = {}
    """Options of a container that are set to something else."""
    guest: tuple[str, ...] = ()
    """Fences that workers go without."""
    seccomp: bool = False
    """The engine's filter is left out."""
    memory: bool = False
    """The memory cap is left out."""
    slower: float = Field(default=1.0, ge=1, le=20)
    """How many times as long the wall limit is, and so the CPU budget."""
    layers: tuple[str, ...] = ("unit",)
    """Those that are run: each takes a worker of its own in the same sandbox."""

    @property
    def local(self) -> bool:
        """Say whether it shows the container something of this machine, so that the engine has to be on it."""
        return "binds" in self.options


class Attack(Frozen):
    """One attack, and what has to be said of it."""

    id: str = Field(pattern=r"^[a-z_]+/[a-z_]+$")
    """`<task>/<name>`; its source is the file of that name."""
    category: Category
    tries: str = Field(min_length=10, max_length=200)
    """What it tries, as an infinitive."""
    fails: str
    """The layer that has to fail it."""
    says: tuple[str, ...] = ()
    """One of these has to be in the class or the message of a finding of that layer."""
    effect: Effect | None = None
    """What must not happen."""
    answer: str = "REACHED"
    """For an effect that is an answer: the text that must not be in it."""
    boundary: bool = False
    """Only a boundary stops it: in a sandbox that is none it may get through, and that is told."""
    contained: bool = False
    """It works in a container only: elsewhere it has no control."""
    naive: NaiveStyle | None = None
    """The naive harness that it beats."""
    control: Control | None = None
    """The limits without which it gets through."""

    @property
    def task(self) -> str:
        """The task that it claims to solve."""
        return self.id.partition("/")[0]


class _Manifest(Frozen):
    attack: tuple[Attack, ...]


def load_attacks(root: Path | None = None) -> tuple[Attack, ...]:
    """Read and check the manifest, and that it and the files agree.

    Raises:
        CorpusError: naming every problem.
    """
    folder = attack_folder() if root is None else root
    path = folder / _MANIFEST
    try:
        attacks = _Manifest.model_validate(tomllib.loads(path.read_text(encoding="utf-8"))).attack
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as exc:
        raise CorpusError(f"`{path}` can't be read: {exc}") from exc
    except ValidationError as exc:
        lines = [f"`{_MANIFEST}` {'.'.join(map(str, e['loc']))}: {e['msg']}" for e in exc.errors()]
        raise CorpusError("\n".join(lines)) from exc
    files = {file.relative_to(folder).with_suffix("").as_posix() for file in folder.glob("*/*.py")}
    ids = [attack.id for attack in attacks]
    problems = [f"`{name}` has no entry in `{_MANIFEST}`" for name in sorted(files - set(ids))]
    problems += [f"`{name}` has no file" for name in sorted(set(ids) - files)]
    problems += [f"`{name}` has {ids.count(name)} entries" for name in sorted(set(ids)) if ids.count(name) > 1]
    problems += [f"`{attack.id}`: {problem}" for attack in attacks for problem in _problems(attack)]
    if problems:
        raise CorpusError("\n".join(problems))
    return attacks


def _problems(attack: Attack) -> list[str]:
    problems: list[str] = []
    if attack.fails not in LAYERS:
        problems.append(f"there is no layer `{attack.fails}`")
    if attack.category is Category.VERDICT_FORGERY and attack.naive is None:
        problems.append("a forgery names the naive harness that it beats")
    if attack.control is not None and attack.effect is None:
        problems.append("a control without an effect shows nothing")
    if attack.answer != Attack.model_fields["answer"].default and attack.effect is not Effect.ANSWER:
        problems.append("`answer` is for the effect `answer`")
    return problems


def attack_folder() -> Path:
    """Return the folder of the shipped attacks."""
    return resource_root() / "corpus" / "attacks"


def choose(attacks: tuple[Attack, ...], *, ids: tuple[str, ...], categories: tuple[str, ...]) -> tuple[Attack, ...]:
    """Return the attacks that were asked for; all where nothing was.

    Raises:
        InputError: an unknown attack or category.
    """
    known = {attack.id for attack in attacks}
    for name in ids:
        if name not in known:
            raise InputError(f"unknown attack `{name}`", hint="`corpus/attacks/manifest.toml` lists them")
    for name in categories:
        if name not in set(Category):
            raise InputError(f"unknown category `{name}`", hint=f"the categories are {', '.join(Category)}")
    return tuple(a for a in attacks if (not ids or a.id in ids) and (not categories or a.category in categories))


def fill(text: str, values: dict[str, str]) -> str:
    """Return a text with its placeholders (`@TOKEN@`) replaced.

    Raises:
        KeyError: a placeholder that nothing is known for.
    """
    return _PLACEHOLDER.sub(lambda match: values[match[1]], text)
