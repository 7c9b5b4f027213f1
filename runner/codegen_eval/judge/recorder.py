"""The candidate as a law holds it: it notes what is asked, and may know an answer already."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from codegen_eval.judge.candidate import Call, Candidate, Reply


class DivergedError(Exception):
    """A law asked another first question than when its examples were planned."""


class Recorder:
    """A candidate that notes the calls made through it."""

    def __init__(self, candidate: Candidate, calls: list[Call]) -> None:
        self._candidate = candidate
        self._calls = calls
        self._known: tuple[Call, Reply] | None = None

    def know(self, call: Call | None, reply: Reply | None) -> None:
        """Take the answer to the next question, which was asked ahead; forget one that nobody wanted."""
        self._known = None if call is None or reply is None else (call, reply)

    def __call__(self, *args: object, **kwargs: object) -> object:
        """Call the entry point."""
        return self._ask(Call(args=args, kwargs=kwargs))

    def call(self, args: Sequence[object], *, files: Mapping[str, str | bytes | None] | None = None) -> object:
        """Call the entry point with files in the worker's directory."""
        return self._ask(Call(args=args, files=files or {}))

    def method(self, handle: object, name: str, *args: object) -> object:
        """Call a method of an object that the solution returned."""
        return self._candidate.method(handle, name, *args)

    def _ask(self, call: Call) -> object:
        self._calls.append(call)
        known, self._known = self._known, None
        if known is None:
            return self._candidate.batch([call])[0].result()
        asked, reply = known
        if not self._candidate.same_question(call, asked):
            raise DivergedError
        self._candidate.last = reply
        return reply.result()
