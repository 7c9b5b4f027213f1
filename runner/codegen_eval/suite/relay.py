"""Passes the calls of tests on to a solution, and remembers the last of them for the finding."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Mapping, Sequence

from codegen_eval.judge.candidate import Call, Candidate
from codegen_eval.judge.describe import clip, describe
from codegen_eval.judge.reply import Reply
from codegen_eval.judge.values import Shipped, TamperingError
from codegen_eval.judge.writer import CHANGEABLE

_MAX_RECORDED = 2000
_DEPTH = 50


class Relay:
    """What the tests hold in place of the solution."""

    def __init__(self, candidate: Candidate, recorded: list[Call] | None) -> None:
        self._candidate = candidate
        self._recorded = recorded
        """Where calls are noted that other layers may repeat; None: nowhere."""
        self._receives = False
        self.calls = 0
        self.tampered = False
        """It is the solution that sent what no honest worker sends, and not the tests."""
        self.began = 0.0
        """When the last call was made."""
        self.call: Call | None = None
        self.reply: Reply | None = None
        """Of that call; None where it did not come."""

    def __call__(self, *args: object, **kwargs: object) -> object:
        """Call the solution."""
        return self.relay(args, kwargs).result()

    def relay(self, args: Sequence[object], kwargs: Mapping[str, object]) -> Reply:
        """Call the solution; what ends its worker ends the tests."""
        self._receives |= any(map(_holds_objects, (*args, *kwargs.values())))
        mutable = any(isinstance(arg, CHANGEABLE) for arg in (*args, *kwargs.values()))
        self.call = Call(args=tuple(args), kwargs=dict(kwargs), after=mutable, relays=True, receives=self._receives)
        self.reply = None
        self.calls += 1
        self.began = time.monotonic()
        try:
            (self.reply,) = self._candidate.batch([self.call])
        except TamperingError:
            self.tampered = True
            raise
        if self._recorded is not None and not self._receives and len(self._recorded) < _MAX_RECORDED:
            self._recorded.append(Call(args=self.call.args, kwargs=self.call.kwargs, relays=True))
        return self.reply

    def shown(self, workdir: str) -> str | None:
        """Return the arguments of the last call, for people."""
        if self.call is None:
            return None
        parts = [describe(arg, workdir=workdir) for arg in self.call.args]
        parts += [f"{name}={describe(arg, workdir=workdir)}" for name, arg in self.call.kwargs.items()]
        return clip(", ".join(parts))


def _holds_objects(value: object, depth: int = 0) -> bool:
    """Say whether objects of the tests' own classes are in a value."""
    if isinstance(value, Shipped):
        return True
    if depth > _DEPTH:
        return False
    if isinstance(value, dict):
        return any(_holds_objects(item, depth + 1) for pair in value.items() for item in pair)
    if isinstance(value, list | tuple | set | frozenset | deque):
        return any(_holds_objects(item, depth + 1) for item in value)
    return False
