"""What a candidate's values become on our side when no plain Python value stands for them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NoReturn


class NotPlainError(TypeError):
    """A test asked an opaque value something that only the solution's own code could answer."""


class Opaque:
    """A value whose behaviour is the solution's. It answers nothing: not bool, ==, <, len, iter or hash."""

    __slots__ = ("class_name", "is_true")

    def __init__(self, class_name: str, *, is_true: bool = False) -> None:
        self.class_name = class_name
        self.is_true = is_true
        """Its class says nothing of its truth, so it is true: tests of a public set may ask that."""

    def _refuse(self, *_: object) -> NoReturn:
        raise NotPlainError(f"the solution returned an object of its own class {self.class_name!r}")

    __bool__ = __len__ = __iter__ = __lt__ = __le__ = __gt__ = __ge__ = _refuse
    __contains__ = __getitem__ = __call__ = __add__ = __radd__ = __int__ = __float__ = __index__ = _refuse

    def __eq__(self, other: object) -> bool:
        self._refuse()

    def __ne__(self, other: object) -> bool:
        self._refuse()

    def __hash__(self) -> int:  # noqa: PLE0309 - it raises
        self._refuse()

    def __repr__(self) -> str:
        return f"<{self.class_name} object>"


class Handle(Opaque):
    """An object of a class of the solution's; `Candidate.method` calls its methods by name."""

    __slots__ = ("number",)

    def __init__(self, class_name: str, number: int, *, is_true: bool = False) -> None:
        super().__init__(class_name, is_true=is_true)
        self.number = number


@dataclass(frozen=True, slots=True)
class Shipped:
    """An object of a class of a problem set's tests, on its way to the solution or back. Equal where its number is."""

    number: int
    class_name: str = field(default="", compare=False)
    state: tuple[tuple[str, object], ...] | None = field(default=None, compare=False)
    """Its attributes; None where it was shown before, and is meant by its number."""


@dataclass(frozen=True, slots=True)
class BuiltinType:
    """A builtin class that tests pass to a solution."""

    name: str


@dataclass(frozen=True, slots=True)
class Iterator:
    """What an iterator yielded. Equal to no list."""

    items: tuple[object, ...]
    truncated: bool


class NamedTuple(tuple[object, ...]):  # noqa: SLOT001 - a tuple can't have other slots than none
    """A named tuple of the solution's. Equal to the plain tuple of its items."""

    class_name: str = ""
    fields: tuple[str, ...] | None = None
    """None where they are not known, or no names."""


@dataclass(frozen=True, slots=True)
class EnumMember:
    """A member of an enumeration."""

    class_name: str
    name: str
    value: object


class FromCandidate(Exception):  # noqa: N818 - a marker beside the builtin exception it comes with
    """Marks an exception that the solution raised. Always together with the builtin class that it names."""

    text: str = ""
    class_name: str = ""
    builtin: str = "Exception"
    """The builtin that other programs are to see it as; where it is no `Exception`, no `except Exception` holds it."""
    origin: tuple[str, str] | None = None
    """Module and name, where it says that it is of the standard library."""
    arguments: tuple[object, ...] | None = None
    """What it was made with, where that could be sent."""


class CandidateError(FromCandidate):
    """The solution raised what no builtin `Exception` stands for: SystemExit, KeyboardInterrupt, a class of its own."""


class WorkerEndedError(BaseException):
    """The worker is gone. Not an `Exception`: nothing but a layer may catch it."""


class WorkerNotUpError(BaseException):
    """The worker ended before it had the solution: our fault. Not an `Exception`: no layer may catch it."""


class NotLoadedError(BaseException):
    """The solution's source could not be run as a module. Not an `Exception`: nothing but a layer may catch it."""

    def __init__(self, error: FromCandidate) -> None:
        super().__init__(str(error))
        self.error = error


class UnsentError(BaseException):
    """The solution's answer can't be sent to the tests. Not an `Exception`: no test may pass over it."""


class SuiteError(Exception):
    """The tests of a problem set themselves can't be run: no fault of the solution."""


class UnaskedError(SuiteError):
    """The tests never call the solution."""


class TamperingError(BaseException):
    """The worker sent what no honest worker sends. Not an `Exception`: nothing but a layer may catch it."""
