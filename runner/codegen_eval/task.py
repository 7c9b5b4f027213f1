"""A task and the things its author writes: cases, performance cases, properties.

What a task's `cases.py` and `properties.py` import stands here. A case is data; a property is a function
that receives the proxied candidate. Neither ever reaches the sandbox: only arguments do.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING

from pydantic import Field

from codegen_eval.case_fault import complain, faults_of_case
from codegen_eval.frozen import Frozen
from codegen_eval.verdict import FailureClass

if TYPE_CHECKING:
    from hypothesis.strategies import SearchStrategy


class Kind(StrEnum):
    """What a solution is, and so what a case does with it."""

    FUNCTION = "function"
    """A case calls it, and compares what it returns."""
    CLASS = "class"
    """A case makes an object of it and takes steps: calls of methods, looks at attributes."""
    GENERATOR = "generator"
    """A case calls it, and compares what the iterator that it returns yields; no more is asked for than that needs."""
    ASYNC = "async"
    """A case awaits what it returns, in an event loop of its own."""
    PROGRAM = "program"
    """A whole program: a case gives it standard input, and compares what it prints."""


PROGRAM = "run_program"
"""The entry point of a solution that is a program: it gets standard input as a text, and returns what was printed."""


class _Unset:
    """The value of `Case.returns` where a case expects an exception."""

    def __repr__(self) -> str:
        return "UNSET"


UNSET = _Unset()


@dataclass(frozen=True, slots=True)
class SandboxPath:
    """A path inside the worker's own directory, as an argument or an expected value.

    Replaced by the absolute path (a str) before it is sent, and before it is compared.
    """

    relative: str = ""


@dataclass(frozen=True, slots=True)
class Step:
    """One step with the object that a case of a class has made: a call of a method, or a look at an attribute.

    Without `returns` and `raises` whatever comes back will do, as long as nothing is raised.
    """

    name: str
    """Of a method, as `push` or `__len__`; with a point before it, as `.size`, of an attribute."""
    args: tuple[object, ...] = ()
    returns: object = UNSET
    raises: type[Exception] | None = field(default=None, kw_only=True)
    kwargs: Mapping[str, object] = field(default_factory=dict, kw_only=True)
    take: int | None = field(default=None, kw_only=True)
    """The method returns an iterator: so many items of it are asked for, and compared with a list."""


@dataclass(frozen=True, slots=True)
class Case:
    """A declarative test: these arguments, then this value or this exception.

    Raises:
        ValueError: it is not one: it has neither or both of `returns` and `raises`, for example.
    """

    id: str
    args: tuple[object, ...] = ()
    returns: object = UNSET
    aimed_at: FailureClass = field(kw_only=True)
    """The class of failure that a solution which fails this case has."""
    raises: type[Exception] | None = field(default=None, kw_only=True)
    """The builtin exception that must be raised; a subclass of it will do."""
    kwargs: Mapping[str, object] = field(default_factory=dict, kw_only=True)
    shown: bool = field(default=False, kw_only=True)
    """Shown to the model by `test-first`; hidden otherwise."""
    tolerance: float = field(default=0.0, kw_only=True)
    """Largest absolute difference allowed between floats, anywhere in the value."""
    loose: bool = field(default=False, kw_only=True)
    """Compare with ordinary `==` on the decoded values, instead of type by type."""
    number: bool = field(default=False, kw_only=True)
    """Let an int stand for the float of the same value and the other way round (never a bool)."""
    files: Mapping[str, str | bytes | None] = field(default_factory=dict, kw_only=True)
    """Files wanted in the worker's directory before the call: relative path to content; None makes a directory."""
    unchanged: bool = field(default=False, kw_only=True)
    """The arguments must be as they were after the call."""
    steps: tuple[Step, ...] = field(default=(), kw_only=True)
    """Of a class: what is done, in order, with the object made of `args`."""
    take: int | None = field(default=None, kw_only=True)
    """Of a generator: so many items are asked for, and compared with the list `returns`; None: one more than it has."""
    stdin: str | None = field(default=None, kw_only=True)
    """Of a program: its standard input."""
    stdout: str | None = field(default=None, kw_only=True)
    """Of a program: what it prints. White space at the end of lines and of the whole is passed over."""

    def __post_init__(self) -> None:
        if self.stdin is not None and self.stdout is not None and not self.args and self.returns is UNSET:
            object.__setattr__(self, "args", (self.stdin,))
            object.__setattr__(self, "returns", self.stdout)
        elif self.stdin is not None and self.raises is not None and not self.args:
            object.__setattr__(self, "args", (self.stdin,))
        complain(self.id, faults_of_case(self))


@dataclass(frozen=True, slots=True, kw_only=True)
class PerformanceCase:
    """A case that is decided by CPU time at full size.

    The budget is `max(0.5 s, factor x the reference's own CPU time)`, measured in a sandbox with the same settings.
    """

    id: str
    size: int
    """Full input size."""
    make_args: Callable[[int], tuple[object, ...]]
    """The arguments for a size; called in the judge, deterministic."""
    returns: Callable[[int], object]
    """The value expected for a size; compared like a strict case."""
    factor: float = 20.0
    """How many times the reference's CPU time a solution may use."""
    aimed_at: FailureClass = FailureClass.PERFORMANCE_TRAP


@dataclass(frozen=True, slots=True, kw_only=True)
class Property:
    """A law over generated inputs: Hypothesis strategies by parameter name, and a function that asserts."""

    id: str
    aimed_at: FailureClass
    strategies: Mapping[str, SearchStrategy[object]]
    check: Callable[..., None]
    """Called with the candidate and one value for each strategy; raises AssertionError where the law is broken."""


def prop(aimed_at: FailureClass, **strategies: SearchStrategy[object]) -> Callable[[Callable[..., None]], Property]:
    """Make the decorated function a `Property` with the function's name as its id."""

    def decorate(check: Callable[..., None]) -> Property:
        return Property(id=check.__name__, aimed_at=aimed_at, strategies=strategies, check=check)

    return decorate


class Parameter(Frozen):
    """One parameter of the entry point."""

    name: str
    annotation: str | None = None
    untrusted: bool = False
    """It comes from outside: what reaches an interpreter, a shell or a path unguarded is a finding."""


class TaskText(Frozen):
    """The part of a task that stands in `task.toml`."""

    kind: Kind = Kind.FUNCTION
    entry_point: str = Field(pattern=r"^[A-Za-z_][A-Za-z0-9_]*$")
    """What is called; left out of a program's file."""
    signature: str
    """The line that a solution starts with, as `def fizzbuzz(n: int) -> list[str]:`; of a class, its methods, too."""
    summary: str = Field(max_length=120)
    """One line for listings."""
    statement: str
    """What every strategy shows."""
    constraints: tuple[str, ...] = Field(min_length=1)
    """What `spec` adds; one sentence each."""
    edge_cases: tuple[str, ...] = Field(min_length=1)
    """What `spec` adds; one sentence each."""
    parameters: tuple[Parameter, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Task:
    """Everything the harness knows about one task."""

    id: str
    text: TaskText
    cases: tuple[Case, ...]
    performance: tuple[PerformanceCase, ...]
    properties: tuple[Property, ...]
    reference: str
    """Source of the reference solution. Run in a sandbox like any other; never imported by the host."""
    digest: str
    """SHA-256 over the task's files."""
    accepts: Callable[..., bool] | None = None
    """Says whether the statement determines what comes of these arguments; None: of all that fit the signature."""

    @property
    def shown(self) -> tuple[Case, ...]:
        """The cases that `test-first` shows."""
        return tuple(case for case in self.cases if case.shown)

    @property
    def untrusted(self) -> frozenset[str]:
        """Names of the parameters that come from outside."""
        return frozenset(p.name for p in self.text.parameters if p.untrusted)
