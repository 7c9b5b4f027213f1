"""Events: one JSON object in a line of standard error for each thing that happened, or a line for people.

Events are short constants in the past tense; facts are keys. Prompts, replies and sources are never logged: they are
hostile, long, and stand in the ledger. What is logged all the same is cut, and its control characters are escaped.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from enum import StrEnum
from typing import TextIO

import structlog
from structlog.typing import EventDict, Processor, WrappedLogger

MAX_CHARS = 300
"""A text longer than this is cut."""
MAX_TRACE_CHARS = 4000
"""Of a longer traceback the end is kept."""
UNLOGGED = frozenset({"prompt", "messages", "reply", "source", "solution_source", "api_key"})
"""Keys that are left out, should somebody log them by mistake."""

_WARNING = 30
_INFO = 20
_DEBUG = 10


class Event(StrEnum):
    """What can have happened."""

    RUN_FINISHED = "run_finished"
    REPLY_RECEIVED = "reply_received"
    REPLY_RECALLED = "reply_recalled"
    """It was in the ledger, and was not paid for again."""
    PROTOCOL_DEVIATED = "protocol_deviated"
    """The run departs from what makes runs comparable, as by another temperature."""
    PROBLEM_LEFT_OUT = "problem_left_out"
    """Its own canonical solution does not pass its tests."""
    GENERATION_FINISHED = "generation_finished"
    CALL_FAILED = "call_failed"
    """A call to a model that is tried again."""
    LAYER_FINISHED = "layer_finished"
    LAYER_RECALLED = "layer_recalled"
    LAYER_BROKE = "layer_broke"
    LAYER_REPEATED = "layer_repeated"
    """It hung on a wall limit with CPU time to spare, and was tried once more, alone."""
    PROGRESS_MADE = "progress_made"
    """How much of how many is done, from time to time, and about how many seconds the rest takes."""
    LEDGER_SET_ASIDE = "ledger_set_aside"
    """A new run begins where an earlier one left what no results hold."""
    SANDBOX_CHOSEN = "sandbox_chosen"
    SANDBOX_ATTESTED = "sandbox_attested"
    """Its limits were tried on this machine, before anything is asked of a model."""


class LogFormat(StrEnum):
    """How events are written."""

    AUTO = "auto"
    """`console` on a terminal, else `json`."""
    JSON = "json"
    CONSOLE = "console"


def configure(
    log_format: LogFormat = LogFormat.AUTO,
    *,
    verbosity: int = 0,
    environ: Mapping[str, str],
    stream: TextIO | None = None,
) -> None:
    """Send events to standard error, or to `stream`.

    On a terminal only warnings are written unless asked for more, as a progress display tells the rest; as JSON lines
    all but debugging events are.
    """
    terminal = (stream or sys.stderr).isatty()
    as_json = log_format is LogFormat.JSON or (log_format is LogFormat.AUTO and not terminal)
    quiet = _INFO if as_json or not terminal else _WARNING
    renderer: Processor = (
        structlog.processors.JSONRenderer(sort_keys=False)
        if as_json
        else structlog.dev.ConsoleRenderer(colors=terminal and not environ.get("NO_COLOR"))
    )
    structlog.configure(
        processors=[
            structlog.contextvars.merge_contextvars,
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="iso", utc=True),
            structlog.processors.format_exc_info,
            _bound,
            renderer,
        ],
        wrapper_class=structlog.make_filtering_bound_logger(max(_DEBUG, quiet - 10 * verbosity)),
        logger_factory=structlog.WriteLoggerFactory(file=_Output(stream)),  # type: ignore[arg-type]  # it only writes
        cache_logger_on_first_use=False,
    )


class _Output:
    """Standard error as it is when something is written, so that a progress display can take its place."""

    def __init__(self, stream: TextIO | None) -> None:
        self._stream = stream

    def write(self, text: str) -> int:
        try:
            return (self._stream or sys.stderr).write(text)
        except OSError:  # as on a full disk, which is no reason to end the work
            return 0

    def flush(self) -> None:
        (self._stream or sys.stderr).flush()


def _bound(_logger: WrappedLogger, _method: str, event: EventDict) -> EventDict:
    """Leave out what is never logged; cut and escape the rest."""
    trace = event.pop("exception", None)
    bounded: EventDict = {key: _shorten(value) for key, value in event.items() if key not in UNLOGGED}
    if trace is not None:
        text = str(trace)
        bounded["exception"] = _escape(("…" if len(text) > MAX_TRACE_CHARS else "") + text[-MAX_TRACE_CHARS:])
    return bounded


def _shorten(value: object) -> object:
    """Return numbers as they are and everything else as a short printable text."""
    if value is None or isinstance(value, bool | int | float):
        return value
    text = str(value)
    return _escape(text[:MAX_CHARS] + ("…" if len(text) > MAX_CHARS else ""))


def _escape(text: str) -> str:
    return "".join(char if char.isprintable() else char.encode("unicode_escape").decode("ascii") for char in text)
