"""The candidate proxy: what tests hold in place of the solution."""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from codegen_eval.interfaces import EndReason, Exchange, Sandbox, WorkerEnd, WorkerLimits
from codegen_eval.judge import codec, values
from codegen_eval.judge.reply import ERROR_TEXT, PASSED_ON, Reply, read_reply
from codegen_eval.judge.values import (
    Handle,
    NotLoadedError,
    TamperingError,
    UnsentError,
    WorkerEndedError,
    WorkerNotUpError,
)
from codegen_eval.judge.writer import CHANGEABLE, Writer, containers_in
from codegen_eval.sandbox import wire
from codegen_eval.sandbox.session import is_callback
from codegen_eval.task import Kind

_MAX_CALLBACKS = 1000
"""How often one call may call functions that it was given."""
_MAX_QUESTIONS = 1_000_000
"""How often tests may call the solution in one piece of them; before that, as a rule, their CPU time is spent."""
_LOAD_ID = 0
_MANY, _FEW = 64, 8
"""Calls in one round trip; few after a large reply, for a limit holds for all that a round trip brings."""
_LARGE_BYTES = 256 << 10
_FLAT = frozenset({str, bool, int, float, type(None)})
_MANNERS = {Kind.CLASS: "keep", Kind.ASYNC: "await"}
"""What the worker does with what the entry point returns: keep it and tell its number; await it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """One call of the entry point, or of a method of a `Handle`."""

    args: Sequence[object] = ()
    kwargs: Mapping[str, object] = field(default_factory=dict)
    files: Mapping[str, str | bytes | None] = field(default_factory=dict)
    method: str | None = None
    handle: Handle | None = None
    after: bool = False
    """Ask for the arguments as they are after the call."""
    relays: bool = False
    """The arguments are those of a problem set's tests, which may be what no test of our own passes."""
    receives: bool = False
    """Objects of a problem set's tests may be among the arguments; ask for what became of them."""
    take: int | None = None
    """Of an iterator that is returned, ask for so many items, and for no more."""


class Relayed(Protocol):
    """A function that is passed to the tests of a problem set and passes their calls on to a solution."""

    def relay(self, args: Sequence[object], kwargs: Mapping[str, object]) -> Reply:
        """Call the solution."""


class Candidate:
    """A solution loaded in a worker of its own. Calling it calls the entry point.

    Raises:
        WorkerEndedError: from every verb, where the worker is gone; `ended` says how.
        TamperingError: from every verb, where the worker sent what no honest worker sends.
        NotLoadedError: from every verb, where running the source raised; what it raised is in it.
        WorkerNotUpError: from every verb, where the worker could not be started.
    """

    def __init__(
        self,
        sandbox: Sandbox,
        entry_point: str,
        *,
        wall_seconds: float,
        relays: bool = False,
        ships: bool = False,
        kind: Kind = Kind.FUNCTION,
    ) -> None:
        self._sandbox = sandbox
        self._kind = kind
        self._relays = relays
        """Tests of a problem set look at its answers: what is derived from a plain type counts as that."""
        self._ships = ships
        """It is the tests of a problem set: objects of its own classes leave it."""
        self._entry_point = entry_point
        self.wall_seconds = wall_seconds
        """Longest wait for one answer."""
        self._serial = _LOAD_ID
        self._largest = 0
        """Bytes of the largest reply so far."""
        self._sent: set[int] = set()
        """Objects of a problem set's tests that its worker has got."""
        self.ended: WorkerEnd | None = None
        self._to_load: dict[str, object] | None = None
        """Goes with the first calls, which saves a round trip."""
        self.loaded = False
        self.last: Reply | None = None

    def load(self, source: str, limits: WorkerLimits) -> None:
        """Start a worker, and have it run the solution's source before the first call."""
        self._sandbox.spawn(limits)
        self._serial = _LOAD_ID
        self.ended, self.loaded = None, False
        self._sent.clear()
        self._to_load = {"id": _LOAD_ID, "op": "load", "source": source, "entry": self._entry_point}
        self._to_load |= {"relays": True} if self._relays or self._ships else {}
        self._to_load |= {"ships": True} if self._ships else {}

    def settle(self) -> None:
        """Wait until the source has run."""
        if self._to_load is not None:
            list(self._converse([], Writer(self._sandbox.workdir)))

    def __call__(self, *args: object, **kwargs: object) -> object:
        """Call the entry point; return what it returns or raise what it raises."""
        return self.batch([Call(args=args, kwargs=kwargs)])[0].result()

    def call(self, args: Sequence[object], *, files: Mapping[str, str | bytes | None] | None = None) -> object:
        """Call the entry point with files in the worker's directory."""
        return self.batch([Call(args=args, files=files or {})])[0].result()

    def method(self, handle: object, name: str, *args: object) -> object:
        """Call a method of an object that the solution returned; with a point before the name, read an attribute."""
        return self.batch([call_on(handle, name, args)])[0].result()

    def take(self, count: int, *args: object) -> list[object]:
        """Call the entry point; return the first items of the iterator that it returns, and ask for no more."""
        return taken(self.batch([Call(args=args, take=count)])[0].result())

    def batch(self, calls: Iterable[Call]) -> list[Reply]:
        """Make calls as `stream` does; return their replies in order."""
        return list(self.stream(calls))

    def stream(self, calls: Iterable[Call], *, at_once: int = _MANY) -> Iterator[Reply]:
        """Make calls, up to `at_once` in a round trip; yield their replies, and raise where one doesn't come."""
        waiting = iter(calls)
        while window := list(itertools.islice(waiting, min(at_once, _FEW if self._largest > _LARGE_BYTES else _MANY))):
            writer, messages = self._writer(window), []
            for place, call in enumerate(window, 1):
                messages.append(self._message(call, writer))
                # a call that passes functions waits for what they answer: nothing may stand behind it
                if place < len(window) and not writer.functions:
                    continue
                if self.ended is not None:
                    raise WorkerEndedError
                for reply in self._converse(messages, writer):
                    self.last = reply
                    yield reply
                writer, messages = self._writer(window), []

    def _writer(self, window: Sequence[Call]) -> Writer:
        return Writer(self._sandbox.workdir, relays=any(call.relays for call in window))

    def same_question(self, one: Call, other: Call) -> bool:
        """Say whether two calls are the same bytes to the worker."""
        first, second = (pack(self._question(call, Writer(self.workdir, relays=call.relays))) for call in (one, other))
        return first == second

    def end(self) -> WorkerEnd:
        """End the worker.

        Raises:
            TamperingError: it had sent bytes that nobody asked for.
        """
        self.settle()
        end = self.ended or self._sandbox.end()
        self.ended = end
        if end.surplus_bytes:
            raise TamperingError("it sent bytes that nobody had asked for")
        return end

    @property
    def workdir(self) -> str:
        """Absolute path of the worker's directory."""
        return self._sandbox.workdir

    # --- messages ---------------------------------------------------------------------------------------------------

    def _message(self, call: Call, writer: Writer) -> dict[str, object]:
        self._serial += 1
        return {"id": self._serial} | self._question(call, writer)

    def _question(self, call: Call, writer: Writer) -> dict[str, object]:
        values = writer.whole([*call.args, *call.kwargs.values()])
        message: dict[str, object] = {"op": "call", "args": values[: len(call.args)]}
        if call.kwargs:
            message["kwargs"] = dict(zip(call.kwargs, values[len(call.args) :], strict=True))
        if call.files:
            message["files"] = {path: _file(content) for path, content in call.files.items()}
        if call.after:
            message["after"] = True
        if call.receives:
            message["receives"] = True
        if call.take is not None:
            message["take"] = call.take
        if call.handle is not None:
            message |= {"handle": call.handle.number, "method": call.method}
        else:
            message["target"] = self._entry_point
            if self._kind in _MANNERS:
                message[_MANNERS[self._kind]] = True
        return message

    def _converse(self, messages: list[dict[str, object]], writer: Writer) -> Iterator[Reply]:
        """Send messages, the source before them where it is due; serve callbacks, and yield a reply for each."""
        loads = self._to_load is not None
        if self._to_load is not None:
            messages, self._to_load = [self._to_load, *messages], None
        request = b"".join(pack(message | {"more": True}) for message in messages[:-1]) + pack(messages[-1])
        expected = [message["id"] for message in messages]
        self._sent |= writer.shipped
        replies = callbacks = 0
        while replies < len(expected):
            exchange = self._sandbox.exchange(request, len(expected) - replies, self.wall_seconds)
            request = b""
            for frame in exchange.frames:
                self._largest = max(self._largest, len(frame))
                if is_callback(frame):
                    callbacks += 1
                    if callbacks > (_MAX_QUESTIONS if self._ships else _MAX_CALLBACKS):
                        raise TamperingError("it called back without end")
                    request = self._call_back(frame, writer)
                else:
                    reply = read_reply(frame, expected[replies], self._sent)
                    replies += 1
                    if not loads:
                        yield reply
                    elif reply.error is not None:
                        raise NotLoadedError(reply.error)
                    else:
                        loads, self.loaded = False, True
            self._note_end(exchange)

    def _note_end(self, exchange: Exchange) -> None:
        if exchange.end is not None:
            self.ended = exchange.end
            if not exchange.end.up and exchange.end.reason is not EndReason.SANDBOX_LOST:
                raise WorkerNotUpError(exchange.end.reason.value)
            if exchange.end.surplus_bytes:
                raise TamperingError("it sent bytes that nobody had asked for")
            if exchange.end.reason is EndReason.GARBLED:
                raise TamperingError("it sent what no honest worker sends")
            raise WorkerEndedError

    def _call_back(self, frame: bytes, writer: Writer) -> bytes:
        """Call one of the test's functions for the solution."""
        message = codec.parse(frame)
        number, raw, named = message.get("cb"), message.get("args"), message.get("kwargs", {})
        if type(number) is not int or not 0 <= number < len(writer.functions) or not isinstance(raw, list):
            raise TamperingError("it called back a function that it was not given")
        if not isinstance(named, dict):
            raise TamperingError("it named arguments in a way that no worker does")
        reader = codec.Reader(ships=self._ships)
        args = [reader.value(arg) for arg in raw]
        kwargs = {name: reader.value(arg) for name, arg in named.items()}
        function = writer.functions[number]
        if self._ships and hasattr(function, "relay"):
            writer = Writer(self.workdir, relays=True, to_tests=True)
            return _pass_back(function.relay(args, kwargs), [*args, *kwargs.values()], writer)
        try:
            value = writer.value(function(*args, **kwargs))
        except Exception as exc:  # noqa: BLE001 - the test's function answers with an exception
            name = type(exc).__name__
            return pack({"error": name if name in PASSED_ON else "Exception", "text": str(exc)[:ERROR_TEXT]})
        return pack({"value": value})


def _pass_back(reply: Reply, given: Sequence[object], writer: Writer) -> bytes:
    """Frame what a solution answered, for the tests that asked; `given` are the arguments, those with names last.

    What is in an answer and in an argument as well, is one object there, too: so that argument is sent again.
    """
    if reply.too_large is not None:
        raise UnsentError(reply.too_large)
    message: dict[str, object] = {}
    if reply.states:
        message["g"] = [[one.number, writer.attributes(one.state or ())] for one in reply.states]
    answered = containers_in([reply.value]) if reply.after else set()
    changed = [
        (place, after)
        for place, (before, after) in enumerate(zip(given, reply.after or (), strict=False))
        if isinstance(before, CHANGEABLE) and not (answered.isdisjoint(containers_in([after])) and _like(before, after))
    ]
    *written, value = writer.whole([*(after for _, after in changed), reply.value])
    if changed:
        message["after"] = [[place, after] for (place, _), after in zip(changed, written, strict=True)]
    if reply.error is None:
        return pack(message | {"value": value})
    error = reply.error
    message |= {"error": error.builtin, "text": error.text}
    if error.origin is not None:
        message["from"] = list(error.origin)
    if error.arguments is not None:
        message["args"] = [writer.value(argument) for argument in error.arguments]
    return pack(message)


def _like(before: object, after: object) -> bool:
    """Say whether an argument is what it was, down to the order of keys and what in it is one."""
    if type(before) is type(after) is list and _FLAT.issuperset({*map(type, before), *map(type, after)}):
        return json.dumps(before) == json.dumps(after)
    one, other = (
        json.dumps(Writer("", relays=True, to_tests=True, by_number=True).whole([x])) for x in (before, after)
    )
    return one == other


def call_on(handle: object, name: str, args: Sequence[object] = (), kwargs: Mapping[str, object] | None = None) -> Call:
    """Return the call of a method of an object of the solution's, or the look at an attribute: a name as `.size`.

    Raises:
        TypeError: it is no such object.
    """
    if not isinstance(handle, Handle):
        raise TypeError("not an object of the solution's own class")
    if name.startswith("."):
        return Call(args=(name[1:],), method="__getattribute__", handle=handle)
    return Call(args=args, kwargs=kwargs or {}, method=name, handle=handle)


def taken(value: object) -> list[object]:
    """Return the items that came of an iterator.

    Raises:
        NotPlainError: the solution returned something else.
    """
    if not isinstance(value, values.Iterator):
        raise values.NotPlainError("the solution returned no iterator")
    return list(value.items)


def pack(message: Mapping[str, object]) -> bytes:
    """Frame one message to the worker."""
    body = json.dumps(message).encode("ascii")
    return wire.FRAME.pack(len(body)) + body


def _file(content: str | bytes | None) -> str | None:
    return None if content is None else (content.encode() if isinstance(content, str) else content).hex()
