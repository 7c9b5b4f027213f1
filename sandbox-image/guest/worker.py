"""The worker: loads one solution, answers calls one by one, and knows nothing of what is expected."""

from __future__ import annotations

import _sitebuiltins
import builtins
import collections  # what solutions usually import is ready before the fork
import functools  # noqa: F401
import itertools  # noqa: F401
import json
import math  # noqa: F401
import os
import re  # noqa: F401
import string  # noqa: F401
import sys
import types
import typing

import codec
import decoder
import foreign
import freight
import manner
import raised
import wire

MODULE = "solution"
_MAX_CALLBACKS = 10_000
_REPLY_BYTES = 8 << 20
"""The host reads no longer reply."""
_READ_BYTES = 1 << 18
_PIECE_BYTES = 32 << 10
"""Half of what the smallest pipe holds: the supervisor looks before a worker has to wait for it."""
builtins.exit = _sitebuiltins.Quitter("exit", "Ctrl-D (i.e. EOF)")
builtins.quit = _sitebuiltins.Quitter("quit", "Ctrl-D (i.e. EOF)")
builtins.help = _sitebuiltins._Helper()  # noqa: SLF001 - as `site` does, which would look for packages, too


class UndecodableError(BaseException):
    """An answer that can't be made here. No `Exception`: tests would take it for one that the solution has raised."""


class Worker:
    """Serve one host through two pipes."""

    def __init__(self, inlet: int, outlet: int, bell: int, workdir: str) -> None:
        self._inlet = inlet
        self._outlet = outlet
        self._bell = bell
        self._inbox = bytearray()
        """Read, and not yet taken: a batch comes in few pieces."""
        self._unrung = 0
        """Bytes written since the supervisor was told to look."""
        self._workdir = workdir
        self._handles = foreign.Handles()
        self._encoder = codec.Encoder(MODULE, self._handles)
        self._decoder = decoder.Decoder(self._handles, self._callback)
        self._module = types.ModuleType(MODULE)
        self._incoming: freight.Incoming | None = None
        self._outgoing: freight.Outgoing | None = None
        self._callbacks = 0
        self._call_id = 0
        # a solution may replace these names; the worker goes on with what it holds
        self._dumps, self._loads = (
            json.JSONEncoder(allow_nan=False, separators=(",", ":")).encode,
            json.JSONDecoder().decode,
        )
        self._write, self._read = os.write, os.read

    def serve(self) -> None:
        """Say that this worker is up, then answer messages until end of file."""
        self._write(self._outlet, wire.UP)
        while (message := self._receive()) is not None:
            self._call_id = message["id"]
            reply = self._perform(message)
            failed = message["op"] == "load" and "e" in reply
            self._answer(reply, more=message.get("more", False) and not failed)
            if failed:
                return

    # --- bytes ------------------------------------------------------------------------------------------------------

    def _receive(self) -> dict[str, typing.Any] | None:  # the host's own messages
        head = self._take(wire.FRAME.size)
        if head is None:
            return None
        body = self._take(wire.FRAME.unpack(head)[0])
        return None if body is None else self._loads(body.decode("ascii"))

    def _take(self, count: int) -> bytes | None:
        while len(self._inbox) < count:
            part = self._read(self._inlet, _READ_BYTES)
            if not part:
                return None
            self._inbox += part
        taken = bytes(self._inbox[:count])
        del self._inbox[:count]
        return taken

    def _answer(self, message: dict[str, object], *, more: bool) -> None:
        """Send a message, or that it can't be sent."""
        body = self._body(message)
        if isinstance(body, str):
            body = self._dumps({"id": self._call_id, "u": body}).encode("ascii")
        self._send(body, more=more)

    def _body(self, message: dict[str, object]) -> bytes | str:
        """Return what stands for a message, or why nothing does."""
        try:
            body = self._dumps(message).encode("ascii")
        except (ValueError, TypeError, RecursionError, MemoryError):
            return "a value that can't be encoded"
        return body if len(body) <= _REPLY_BYTES else "a value larger than 8 MiB"

    def _send(self, body: bytes, *, more: bool) -> None:
        """Write a frame; where the host has asked for `more`, the supervisor need not look yet."""
        data = memoryview(wire.FRAME.pack(len(body)) + body)
        while data:
            count = self._write(self._outlet, data[:_PIECE_BYTES])
            data = data[count:]
            self._unrung += count
            if self._unrung >= _PIECE_BYTES or not (data or more):
                self._write(self._bell, b"!")
                self._unrung = 0

    # --- calls ------------------------------------------------------------------------------------------------------

    def _perform(self, message: dict[str, typing.Any]) -> dict[str, object]:
        """Do one thing and return the reply to it."""
        reply: dict[str, object] = {"id": message["id"]}
        given: list[object] = []
        """Arguments, and for tests of another program those with names as well."""
        self._encoder.begin()
        self._decoder.begin()
        if message.get("receives") and self._incoming is None:
            self._receive_objects()
        try:
            if message["op"] == "load":
                self._encoder.relays = bool(message.get("relays"))
                if message.get("ships"):
                    self._ship()
                self._load(
                    compile(message.pop("source"), "<solution>", "exec", dont_inherit=True), message.get("entry")
                )
                return reply | {"r": None}
            for path, content in message.get("files", {}).items():
                self._make_file(path, content)
            args = given = [self._decoder.decode(arg) for arg in message["args"]]
            kwargs = {name: self._decoder.decode(arg) for name, arg in message.get("kwargs", {}).items()}
            given = [*args, *kwargs.values()] if self._encoder.relays else args
            value = manner.settle(self._target(message)(*args, **kwargs), message)
            if message.get("after") and self._encoder.relays:  # what is in both, is one in both
                reply["r"], *reply["a"] = self._encoder.whole([value, *given])
            else:
                reply["r"] = self._keep(value) if message.get("keep") else self._encoder.whole([value])[0]
        except codec.TooLargeError as exc:
            reply["u"] = str(exc)
        except BaseException as exc:  # noqa: BLE001 - whatever a solution raises is its answer
            reply["e"] = raised.described(exc, self._encoder)
        self._add_state(message, reply, given)
        return reply

    def _add_state(self, message: dict[str, typing.Any], reply: dict[str, object], given: list[object]) -> None:
        """Add what became of the arguments, and of objects of the tests."""
        try:
            if message.get("after") and "a" not in reply:
                reply["a"] = None
                reply["a"] = self._encoder.whole(given)
            if self._incoming is not None and "e" not in reply:
                reply["g"] = self._incoming.states(self._encoder.encode)
        except codec.TooLargeError as exc:
            if "e" not in reply:
                reply.pop("r", None)
                reply["u"] = f"{exc}, in its arguments"
        except BaseException as exc:  # noqa: BLE001 - a hostile argument is the solution's answer, too
            reply.pop("u", None)
            reply["e"] = raised.described(exc, self._encoder)

    def _keep(self, value: object) -> dict[str, object]:
        """Keep an object, of whatever class, and return what tells the host its number."""
        return {"t": "h", "c": codec.class_name(type(value)), "v": self._handles.add(value)}

    def _load(self, code: types.CodeType, entry: str | None) -> None:
        """Run the solution as a module, and look whether it defines what will be called. No frame holds its source."""
        sys.modules[MODULE] = self._module
        exec(code, self._module.__dict__)  # noqa: S102 - running it is what the sandbox is for
        if entry is not None and not callable(self._module.__dict__.get(entry)):
            msg = f"it does not define {entry} as something that can be called"
            raise NameError(msg)

    def _target(self, message: dict[str, typing.Any]) -> typing.Callable[..., object]:
        """Return the function or method that a call names."""
        if "handle" in message:
            found: typing.Callable[..., object] = getattr(self._handles.get(message["handle"]), message["method"])
            return found
        name = message["target"]
        if name not in self._module.__dict__:
            msg = f"name {name!r} is not defined"
            raise NameError(msg)
        target: typing.Callable[..., object] = self._module.__dict__[name]
        return target

    def _make_file(self, path: str, content: str | None) -> None:
        """Make a file or, without content, a directory, below the worker's own directory."""
        full = os.path.join(self._workdir, path)
        os.makedirs(full if content is None else os.path.dirname(full), exist_ok=True)
        if content is not None:
            with open(full, "wb") as file:
                file.write(bytes.fromhex(content))

    def _callback(self, number: int) -> typing.Callable[..., object]:
        """Return a function that asks the host."""

        def ask(*args: object, **kwargs: object) -> object:
            self._callbacks += 1
            if self._callbacks > _MAX_CALLBACKS and self._outgoing is None:  # tests are bounded by the host
                msg = "too many callbacks"
                raise RuntimeError(msg)
            if self._outgoing is not None:
                self._outgoing.begin()
            question: dict[str, object] = {"id": self._call_id, "cb": number}
            go_on = self._encoder.begin()
            try:
                values = self._encoder.whole([*args, *kwargs.values()])
                question["args"] = values[: len(args)]
                if kwargs:
                    question["kwargs"] = dict(zip(kwargs, values[len(args) :], strict=True))
            finally:
                go_on()
            body = self._body(question)
            if isinstance(body, str):
                if self._outgoing is not None:  # tests go on without an answer, and are told why
                    raise ValueError(body)
                body = self._dumps({"id": self._call_id, "u": body}).encode("ascii")
            self._send(body, more=False)
            return self._answer_to([*args, *kwargs.values()])

        return ask

    def _answer_to(self, given: list[object]) -> object:
        """Return what the host answers to a question, or raise it; arguments become what they are on the other side."""
        message = self._receive()
        if message is None:
            os._exit(0)
        try:
            return self._made_of(message, given)
        except raised.OtherProgramError as exc:
            raise exc.error from None
        except Exception as exc:
            msg = f"an answer that can't be made here: {exc}"
            raise UndecodableError(msg) from exc

    def _made_of(self, message: dict[str, typing.Any], given: list[object]) -> object:
        """Return what a message answers.

        Raises:
            OtherProgramError: the other program has raised something.
        """
        self._decoder.begin()
        if self._outgoing is not None:
            self._outgoing.take_back(message.get("g", []), self._decoder.decode)
        for place, after in message.get("after", []):
            if isinstance(after, dict) and after["t"] == "&":  # it is in the answer, too
                restore(given[place], self._decoder.decode(after["v"]))
                self._decoder.name(after["n"], given[place])
            else:
                restore(given[place], self._decoder.decode(after))
        if "error" in message:
            raise raised.OtherProgramError(raised.made_again(message, self._decoder.decode))
        return self._decoder.decode(message["value"])

    def _ship(self) -> None:
        """Have objects of this program's own classes go to another one: it is the tests of a problem."""
        self._outgoing = freight.Outgoing(self._handles)
        self._encoder.ship = self._outgoing.encode
        self._decoder.foreign = foreign.Unknown

    def _receive_objects(self) -> None:
        """Take objects of another program: its tests."""
        self._incoming = freight.Incoming(self._module.__dict__)
        self._encoder.number_of = self._incoming.number_of
        self._decoder.unship, self._decoder.shipped = self._incoming.decode, self._incoming.get


def restore(argument: typing.Any, after: typing.Any) -> None:
    """Give a container that was passed on the items that it has on the other side, past what its class says."""
    if isinstance(argument, list) and type(after) is list:
        list.__setitem__(argument, slice(None), after)
    elif isinstance(argument, bytearray) and type(after) is bytearray:
        bytearray.__setitem__(argument, slice(None), after)
    elif isinstance(argument, dict) and isinstance(after, dict):
        base: typing.Any = collections.OrderedDict if isinstance(argument, collections.OrderedDict) else dict
        base.clear(argument)
        for key, item in after.items():
            base.__setitem__(argument, key, item)
    elif isinstance(argument, set) and type(after) is set:
        set.clear(argument)
        set.update(argument, after)
    elif isinstance(argument, collections.deque) and type(after) is collections.deque:
        collections.deque.clear(argument)
        collections.deque.extend(argument, after)
    elif type(argument).__name__ == "array" and type(argument) is type(after):
        argument[:] = after
