"""JSON files on disk: written whole or not at all, read as if an enemy had written them."""

from __future__ import annotations

import contextlib
import errno
import json
import os
import re
import secrets
import stat
from collections.abc import Iterable
from pathlib import Path
from typing import NoReturn, TypeVar

from pydantic import BaseModel, ValidationError

from codegen_eval.errors import EnvironmentFaultError, InputError, ResultsError

MAX_BYTES = 256 << 20
"""Largest file that is read: some hundred thousand solutions."""
MAX_DEPTH = 32
"""Deepest nesting that is parsed; what `dump_json` writes has ten levels."""
_FORMS = ("", ".part", ".done", ".old", ".old.part")
"""What follows the name of a file that is written, while it is or before it was."""
_ELSEWHERE = "choose another place with `--out`"
_MAX_PROBLEMS = 20
_MAX_SHOWN = 200
_TOKEN = re.compile(rb'"(?:[^"\\]|\\.)*+"?|[\[{]|[\]}]', re.DOTALL)
_USERS_FAULT = frozenset(
    {
        errno.ENOENT,  # no such folder
        errno.ENOTDIR,  # a file where a folder should be
        errno.EISDIR,  # a folder where a file should be
        errno.EACCES,  # not allowed
        errno.EPERM,  # not allowed
        errno.EROFS,  # read-only
        errno.ENAMETOOLONG,  # no possible name
        errno.ELOOP,  # links in a circle
    }
)

Value = TypeVar("Value", bound=BaseModel)


def dump_json(value: BaseModel) -> bytes:
    """Return canonical JSON: keys sorted, indented by one, ASCII, a line feed at the end."""
    data = value.model_dump(mode="json", by_alias=True)
    return (json.dumps(data, sort_keys=True, indent=1, ensure_ascii=True, allow_nan=False) + "\n").encode("ascii")


def load_json(path: Path, kind: type[Value]) -> Value:
    """Read a value that `dump_json` wrote.

    Raises:
        ResultsError: the file is missing, no regular file, too large, not strict JSON, or holds something else.
    """
    raw = _read(path)
    _parse(path, raw)
    try:
        return kind.model_validate_json(raw, strict=True)
    except ValidationError as exc:
        raise _fault(path, _problems(exc)) from None  # pydantic's error holds the whole input
    except (ValueError, RecursionError) as exc:
        raise _fault(path, f"it is not strict JSON: {str(exc)[:_MAX_SHOWN]}") from exc


def keys_of(path: Path) -> frozenset[str]:
    """Return the names of what the object in a file holds; none where it is no object.

    Raises:
        ResultsError: the file is missing, no regular file, too large, or not strict JSON.
    """
    return _parse(path, _read(path))


def _parse(path: Path, raw: bytes) -> frozenset[str]:
    """Refuse what is no strict JSON, and return the names of what its object holds; none where it is no object."""
    _check_depth(path, raw)
    keys = _Keys()
    try:
        found = json.loads(raw.decode(), object_pairs_hook=keys, parse_constant=_reject_constant)
    except UnicodeDecodeError as exc:
        raise _fault(path, f"it is not UTF-8 (byte {exc.start})") from exc
    except json.JSONDecodeError as exc:
        raise _fault(path, f"it is not JSON: {exc.msg} (line {exc.lineno}, column {exc.colno})") from exc
    except (ValueError, RecursionError) as exc:
        raise _fault(path, f"it is not strict JSON: {str(exc)[:_MAX_SHOWN]}") from exc
    return frozenset() if found is not None else frozenset(keys.latest)


def write_atomic(path: Path, data: bytes) -> None:
    """Write a file so that at any moment the old or the new one is there, whole.

    A link is followed; what is there and not a regular file (a folder, a device) is left alone.

    Raises:
        InputError: it can't be written there.
        EnvironmentFaultError: the disk is full or broken.
    """
    try:
        target = Path(os.path.realpath(path))
        temporary = target.with_name(f".evalrun-{secrets.token_hex(8)}.tmp")
        if target.exists() and not target.is_file():
            raise InputError(f"`{path}` can't be written: it is not a regular file")
        try:
            _write_through(temporary, data)
            temporary.replace(target)
        except BaseException:
            with contextlib.suppress(OSError):
                temporary.unlink()
            raise
        _sync_folder(target.parent)
    except (OSError, ValueError) as exc:
        reason = exc.strerror if isinstance(exc, OSError) and exc.strerror else str(exc)
        kind = InputError if isinstance(exc, ValueError) or exc.errno in _USERS_FAULT else EnvironmentFaultError
        raise kind(f"`{path}` can't be written: {reason}", hint="choose another place with `--out`") from exc


def check_writable(path: Path) -> None:
    """Say now what `write_atomic` would say later, without writing.

    Raises:
        InputError: it can't be written there.
    """
    hint = _ELSEWHERE
    try:
        target = Path(os.path.realpath(path))
        target.lstat()
    except FileNotFoundError:
        pass  # to be made
    except (OSError, ValueError) as exc:  # too long, a file in place of a folder, or no name at all
        reason = exc.strerror if isinstance(exc, OSError) and exc.strerror else str(exc)
        raise InputError(f"`{path}` can't be written: {reason}", hint=hint) from exc
    if target.exists() and not target.is_file():
        raise InputError(f"`{path}` can't be written: it is not a regular file", hint=hint)
    if not target.parent.is_dir():
        raise InputError(f"`{path}` can't be written: there is no folder `{target.parent}`", hint=hint)
    if not os.access(target.parent, os.W_OK | os.X_OK):
        raise InputError(f"`{path}` can't be written: the folder can't be written to", hint=hint)


def refuse_overwriting(written: Iterable[Path], read: Iterable[Path]) -> None:
    """Refuse to write over a file that is read, also by another name, or into a folder that is.

    So with what a file is called until it is whole.

    Raises:
        InputError: naming both.
    """
    names = [path.with_name(path.name + ending) for path in written for ending in _FORMS]
    for given in read:
        for path in names:
            target, source = Path(os.path.realpath(path)), Path(os.path.realpath(given))
            same = path.exists() and given.exists() and path.samefile(given)
            if same or target.is_relative_to(source):
                raise InputError(f"`{given}` is read, and `{path}` would be written over it", hint=_ELSEWHERE)


def _write_through(path: Path, data: bytes) -> None:
    with path.open("xb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())


def _sync_folder(folder: Path) -> None:
    """Make the new name durable, where the file system knows how."""
    with contextlib.suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def _read(path: Path) -> bytes:
    """Return the bytes of a regular file; a pipe or a device doesn't make us wait."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        with open(descriptor, "rb") as file:  # noqa: PTH123 - a descriptor has no Path
            if not stat.S_ISREG(os.fstat(descriptor).st_mode):
                raise _fault(path, "it is not a regular file")
            raw = file.read(MAX_BYTES + 1)
    except (OSError, ValueError) as exc:
        raise _fault(path, exc.strerror if isinstance(exc, OSError) and exc.strerror else str(exc)) from exc
    if len(raw) > MAX_BYTES:
        raise _fault(path, f"it is larger than {MAX_BYTES >> 20} MiB")
    return raw


def _check_depth(path: Path, raw: bytes) -> None:
    """Refuse deep nesting before a recursive parser sees it."""
    depth = 0
    for token in _TOKEN.finditer(raw):
        match token.group()[:1]:
            case b"[" | b"{":
                depth += 1
            case b"]" | b"}":
                depth -= 1
        if depth > MAX_DEPTH:
            raise _fault(path, f"it is nested deeper than {MAX_DEPTH} levels (byte {token.start()})")


class _Keys:
    """Refuses a key that stands twice in one object. Nothing is built: the typed parser builds."""

    def __init__(self) -> None:
        self.latest: set[str] = set()
        """Of the object that ended last: at the end, of the one around all others."""

    def __call__(self, pairs: list[tuple[str, object]]) -> None:
        self.latest = set()
        for key, _ in pairs:
            if key in self.latest:
                raise ValueError(f"the key {ascii(key)[:_MAX_SHOWN]} stands twice in one object")
            self.latest.add(key)


def _reject_constant(name: str) -> NoReturn:
    raise ValueError(f"`{name}` is no JSON number")


def _problems(exc: ValidationError) -> str:
    """Return every problem with its place, in printable ASCII."""
    found = exc.errors(include_url=False, include_context=False, include_input=False)
    lines = [f"{_where(error['loc'])}: {ascii(error['msg'])[1:-1][:_MAX_SHOWN]}" for error in found[:_MAX_PROBLEMS]]
    if len(found) > _MAX_PROBLEMS:
        lines.append(f"and {len(found) - _MAX_PROBLEMS} more")
    return "; ".join(lines)


def _where(place: tuple[int | str, ...]) -> str:
    text = "".join(f"[{part}]" if isinstance(part, int) else f".{ascii(part)[1:-1][:60]}" for part in place)
    return f"`{text.lstrip('.') or '(whole file)'}`"


def _fault(path: Path, what: str) -> ResultsError:
    return ResultsError(f"results file `{path}`: {what}", hint="`evalrun run` and `evalrun evaluate` write such files")
