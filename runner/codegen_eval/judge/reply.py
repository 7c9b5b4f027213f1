"""What comes back for one call, read strictly."""

from __future__ import annotations

import builtins
from collections.abc import Container, Mapping
from dataclasses import dataclass

from codegen_eval.judge import codec
from codegen_eval.judge.tags import MAX_NAME
from codegen_eval.judge.values import CandidateError, FromCandidate, Shipped, TamperingError

ERROR_TEXT = 500
PASSED_ON: dict[str, type[Exception]] = {
    name: kind
    for name, kind in vars(builtins).items()
    if isinstance(kind, type) and issubclass(kind, Exception) and not issubclass(kind, Warning | ExceptionGroup)
}
"""The builtin exceptions a candidate may be seen to raise. Anything else is a `CandidateError`."""
_NOT_PASSED_ON = frozenset({"Exception", "StopIteration", "StopAsyncIteration"})
"""An `Exception` and nothing more says nothing; the others would end a test's own loop and look like its end."""
_BEYOND = ("SystemExit", "KeyboardInterrupt", "GeneratorExit", "BaseException")
"""Builtins that are no `Exception`."""
_WARNINGS = frozenset(
    name for name, kind in vars(builtins).items() if isinstance(kind, type) and issubclass(kind, Warning)
)
_RAISABLE = (PASSED_ON.keys() | _WARNINGS) - _NOT_PASSED_ON
"""What tests may see a solution raise."""
MOST_ARGUMENTS = 8
_UNIONS: dict[str, type[FromCandidate]] = {}


def _exception_class(name: str) -> type[FromCandidate]:
    """Return the class that is both a builtin exception and `FromCandidate`."""
    if name not in _UNIONS:
        base = PASSED_ON[name]
        plain = base if not issubclass(base, UnicodeError) else UnicodeError
        _UNIONS[name] = type(f"Candidate{name}", (FromCandidate, plain), {"__init__": Exception.__init__})
    return _UNIONS[name]


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """What came back for one call: a value or an exception."""

    value: object = None
    error: FromCandidate | None = None
    too_large: str | None = None
    """What could not be sent, where the worker said so."""
    after: tuple[object, ...] | None = None
    states: tuple[Shipped, ...] = ()
    """Objects of a problem set's tests, as they are after the call."""

    def result(self) -> object:
        """Return the value or raise the exception."""
        if self.error is not None:
            raise self.error
        if self.too_large is not None:
            error = CandidateError(f"returned {self.too_large}")
            error.text, error.class_name = f"returned {self.too_large}", "no value"
            raise error
        return self.value


def read_reply(frame: bytes, expected: object, sent: Container[int]) -> Reply:
    """Read one reply strictly. `sent` are the objects of a problem set's tests that its worker has got."""
    message = codec.parse(frame)
    if message.get("id") != expected or type(message.get("id")) is not int:
        raise TamperingError("it answered a call that was not made")
    keys = message.keys() - {"id", "a"}
    reader = codec.Reader(known=sent)
    states: tuple[Shipped, ...] = ()
    if sent and "g" in keys:
        keys -= {"g"}
        states = _states(message["g"], reader)
    value = reader.value(message["r"]) if keys == {"r"} else None
    after: tuple[object, ...] | None = None
    if isinstance(raw := message.get("a"), list):
        after = tuple(reader.value(item) for item in raw)
    match sorted(keys):
        case ["r"]:
            return Reply(value=value, after=after, states=states)
        case ["e"] | ["e", "r"]:
            return Reply(error=_error(message["e"], reader), after=after, states=states)
        case ["u"] if isinstance(message["u"], str):
            return Reply(too_large=message["u"][:100])
        case _:
            raise TamperingError("a reply that is neither value nor exception")


def _states(raw: object, reader: codec.Reader) -> tuple[Shipped, ...]:
    """Read what became of objects of a problem set's tests."""
    found: list[Shipped] = []
    for one in raw if isinstance(raw, list) else [None]:
        match one:
            case [number, list(pairs)]:
                try:
                    found.append(Shipped(reader.known(number), "", reader.attributes(pairs)))
                except (TypeError, ValueError) as exc:
                    raise TamperingError("malformed attributes") from exc
            case _:
                raise TamperingError("malformed states of objects")
    return tuple(found)


def _origin(said: Mapping[object, object]) -> tuple[str, str] | None:
    """Return module and name of a class of the standard library; who makes it again looks whether it knows that."""
    match said.get("l"):
        case None:
            return None
        case [str(module), str(name)] if len(module) + len(name) <= MAX_NAME and all(
            part.isidentifier() for part in (*module.split("."), name)
        ):
            return module, name
        case _:
            raise TamperingError("a malformed origin of an exception")


def _arguments(said: Mapping[object, object], reader: codec.Reader) -> tuple[object, ...] | None:
    raw = said.get("a")
    if raw is None:
        return None
    if not isinstance(raw, list) or len(raw) > MOST_ARGUMENTS:
        raise TamperingError("malformed arguments of an exception")
    return tuple(reader.value(item) for item in raw)


def _error(raw: object, reader: codec.Reader) -> FromCandidate:
    """Make the exception that stands for what the solution raised."""
    match raw:
        case {"t": str(name), "m": list(above), "s": str(text), **rest} if all(isinstance(base, str) for base in above):
            found = next((base for base in above if base in PASSED_ON), "")
            kind = _exception_class(found) if found and found not in _NOT_PASSED_ON else CandidateError
            error = kind(text[:ERROR_TEXT])
            error.text, error.class_name = text[:ERROR_TEXT], name[:100]
            beyond = None if "Exception" in above else next((base for base in above if base in _BEYOND), None)
            error.builtin = beyond or next((base for base in above if base in _RAISABLE), "Exception")
            error.origin, error.arguments = _origin(rest), _arguments(rest, reader)
            return error
        case _:
            raise TamperingError("a malformed exception")
