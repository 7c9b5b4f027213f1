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
    """One input of a law, and the first question that the law then asks, which no answer can have influenced."""

    drawn: Mapping[str, object]
    first: Call | None


class _AskedError(BaseException):
    """The law has asked its first question. Not an `Exception`: no law swallows it."""


class _Listener:
    """A candidate that hears the first call and answers nothing."""

    def __init__(self) -> None:
        self.heard: Call | None = None

    def __call__(self, *args: object, **kwargs: object) -> Never:
        """Note a call of the entry point."""
        self._hear(Call(args=args, kwargs=kwargs))

    def call(self, args: Sequence[object], *, files: Mapping[str, str | bytes | None] | None = None) -> Never:
        """Note a call with files."""
        self._hear(Call(args=args, files=files or {}))

    def _hear(self, call: Call) -> Never:
        self.heard = self.heard or call
        raise _AskedError


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
            if listener.heard is None:
                raise
        except _AskedError:
            pass
        found.append(Example(drawn=kept, first=listener.heard))

    try:
        explore(law, body, seed=seed, task=task)
    except Exception:  # noqa: BLE001 - Hypothesis's errors and the law's own: running it against a solution will tell
        return None
    return tuple(found)
