"""The candidate as a law holds it: it notes what is asked, and may know answers already."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping, Sequence

from codegen_eval.judge.candidate import Call, Candidate, call_on, taken
from codegen_eval.judge.reply import Reply


class Recorder:
    """A candidate that notes the calls made through it."""

    def __init__(self, candidate: Candidate, calls: list[Call]) -> None:
        self._candidate = candidate
        self._calls = calls
        self._known: deque[tuple[Call, Reply]] = deque()

    def know(self, known: Sequence[tuple[Call, Reply]]) -> None:
        """Take the answers to the next questions, which were asked ahead; forget those that nobody wanted."""
        self._known = deque(known)

    def __call__(self, *args: object, **kwargs: object) -> object:
        """Call the entry point."""
        return self._ask(Call(args=args, kwargs=kwargs))

    def call(self, args: Sequence[object], *, files: Mapping[str, str | bytes | None] | None = None) -> object:
        """Call the entry point with files in the worker's directory."""
        return self._ask(Call(args=args, files=files or {}))

    def method(self, handle: object, name: str, *args: object) -> object:
        """Call a method of an object that the solution returned."""
        return self._ask(call_on(handle, name, args))

    def take(self, count: int, *args: object) -> list[object]:
        """Call the entry point; return the first items of the iterator that it returns."""
        return taken(self._ask(Call(args=args, take=count)))

    def _ask(self, call: Call) -> object:
        self._calls.append(call)
        if self._known:
            asked, reply = self._known.popleft()
            if self._candidate.same_question(call, asked):
                self._candidate.last = reply
                return reply.result()
            self._known.clear()  # it went another way than it did without answers
        return self._candidate.batch([call])[0].result()
