"""The examples of a property: found out once for a task, asked of every solution.

What Hypothesis generates for a law that holds depends on the law and the seed alone, so a solution that keeps the law
need not pay for generating. Only where one breaks it does Hypothesis run against the solution itself, to shrink.
"""

from __future__ import annotations

import copy
import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Never

import hypothesis
from hypothesis import HealthCheck, Phase, Verbosity, given, settings
from hypothesis.errors import UnsatisfiedAssumption
from hypothesis.internal.conjecture import providers
from hypothesis.internal.constants_ast import Constants
from hypothesis.strategies import DataObject

from codegen_eval.judge.candidate import Call
from codegen_eval.judge.writer import Writer
from codegen_eval.task import Property

EXAMPLES = 50
"""Executed examples a property has when nothing fails."""


def _no_constants() -> object:
    """Stand in for Hypothesis's harvest of literals from local modules.

    The harvest depends on which modules happen to be imported and where they are installed, so an editable install and
    a wheel would generate different examples.
    """
    return Constants()


providers._get_local_constants = _no_constants  # type: ignore[assignment] # noqa: SLF001 - no public switch exists


@dataclass(frozen=True, slots=True, kw_only=True)
class Example:
    """One input of a law, and the questions that the law then asks before it looks at an answer."""

    drawn: Mapping[str, object]
    asked: tuple[Call, ...]


class _LookedError(BaseException):
    """The law has looked at an answer. Not an `Exception`: no law swallows it."""


def _look(*_: object, **__: object) -> Never:
    raise _LookedError


class _Pending:
    """An answer that isn't there yet: it can be passed around, and that is all."""

    __hash__ = __bool__ = __len__ = __iter__ = __next__ = __getitem__ = __contains__ = __call__ = _look
    __eq__ = __ne__ = __lt__ = __le__ = __gt__ = __ge__ = _look
    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = __mod__ = __rmod__ = __pow__ = __rpow__ = _look
    __truediv__ = __rtruediv__ = __floordiv__ = __rfloordiv__ = __neg__ = __pos__ = __abs__ = __round__ = _look
    __and__ = __rand__ = __or__ = __ror__ = __xor__ = __rxor__ = __invert__ = _look
    __int__ = __float__ = __complex__ = __index__ = __str__ = __repr__ = __format__ = __bytes__ = _look
    __getattr__ = __reversed__ = __enter__ = __deepcopy__ = __copy__ = __reduce_ex__ = _look


class _Listener:
    """A candidate that hears the calls and answers nothing."""

    def __init__(self) -> None:
        self.heard: list[Call] = []

    def __call__(self, *args: object, **kwargs: object) -> _Pending:
        """Note a call of the entry point."""
        return self._hear(Call(args=args, kwargs=kwargs))

    def call(self, args: Sequence[object], *, files: Mapping[str, str | bytes | None] | None = None) -> _Pending:
        """Note a call with files."""
        return self._hear(Call(args=args, files=files or {}))

    def take(self, count: int, *args: object) -> Never:
        """Note a call that asks for some items of an iterator: what comes of it is a list, which is looked at."""
        self._hear(Call(args=args, take=count))
        raise _LookedError

    def method(self, *_: object) -> Never:
        """Refuse: a method is one of an answer."""
        raise _LookedError

    def _hear(self, call: Call) -> _Pending:
        writer = Writer("")
        for value in (*call.args, *call.kwargs.values()):
            writer.value(value)
        if writer.functions:  # one of the law's own, which has to be there, or an answer, which is not
            raise _LookedError
        self.heard.append(copy.deepcopy(call))
        return _Pending()


def explore(law: Property, body: Callable[..., None], *, seed: int, task: str) -> None:
    """Generate inputs for `body`, and shrink one that it raises on.

    Raises:
        Exception: what `body` raises on the smallest failing input; Hypothesis's own errors.
    """
    number = int.from_bytes(hashlib.sha256(repr((seed, task, law.id)).encode()).digest()[:8])
    run = settings(
        max_examples=EXAMPLES,
        database=None,
        deadline=None,
        derandomize=False,
        phases=(Phase.generate, Phase.shrink),
        suppress_health_check=list(HealthCheck),
        report_multiple_bugs=False,
        print_blob=False,
        verbosity=Verbosity.quiet,
    )(hypothesis.seed(number)(given(**law.strategies)(body)))
    run()


def plan_examples(law: Property, *, seed: int, task: str) -> tuple[Example, ...] | None:
    """Return the examples that a solution which keeps the law is asked, in order.

    None where they can't be known without a solution: the law draws on the way, or passes functions.
    """
    found: list[Example] = []

    def body(**drawn: object) -> None:
        if any(isinstance(value, DataObject) or callable(value) for value in drawn.values()):
            raise TypeError("an input that is made on the way")
        kept = copy.deepcopy(drawn)
        listener = _Listener()
        try:
            law.check(listener, **drawn)
        except UnsatisfiedAssumption:
            if not listener.heard:
                raise
        except _LookedError:
            pass
        except Exception:
            if not listener.heard:
                raise  # of the law's own; else it has looked at an answer's type
        found.append(Example(drawn=kept, asked=tuple(listener.heard)))

    try:
        explore(law, body, seed=seed, task=task)
    except Exception:  # noqa: BLE001 - Hypothesis's errors and the law's own: running it against a solution will tell
        return None
    return tuple(found)
