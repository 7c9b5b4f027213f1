"""Laws of the events."""

from __future__ import annotations

import io
import json

import pytest
import structlog
from hypothesis import given
from hypothesis import strategies as st

from codegen_eval.events import MAX_CHARS, MAX_TRACE_CHARS, UNLOGGED, Event, LogFormat, configure


class Terminal(io.StringIO):
    """A stream that says it is a terminal."""

    def isatty(self) -> bool:
        """Say so."""
        return True


def _lines(stream: io.StringIO) -> list[dict[str, object]]:
    return [json.loads(line) for line in stream.getvalue().splitlines()]


def test_events_are_json_lines_where_nobody_watches() -> None:
    """One object in a line: the event, its level, its time in UTC, and the facts with their types."""
    stream = io.StringIO()
    configure(environ={}, stream=stream)

    structlog.get_logger().info(Event.LAYER_FINISHED, layer="unit", seconds=1.5, cases=3, reason=None)

    (line,) = _lines(stream)
    assert str(line.pop("timestamp")).endswith("Z")
    assert line == {
        "event": "layer_finished",
        "level": "info",
        "layer": "unit",
        "seconds": 1.5,
        "cases": 3,
        "reason": None,
    }


@pytest.mark.parametrize("key", sorted(UNLOGGED))
def test_prompts_and_sources_are_never_logged(key: str) -> None:
    """A fact that holds a prompt, a source or a key is left out, whoever logs it."""
    stream = io.StringIO()
    configure(environ={}, stream=stream)

    structlog.get_logger().warning(Event.LAYER_BROKE, **{key: "secret"})

    assert "secret" not in stream.getvalue()


@given(st.text(max_size=2 * MAX_CHARS), st.sampled_from([LogFormat.JSON, LogFormat.CONSOLE]))
def test_hostile_facts_stay_short_and_on_their_line(text: str, log_format: LogFormat) -> None:
    """No fact can break its line, move the cursor of a terminal, or flood the log."""
    stream = io.StringIO()
    configure(log_format, environ={}, stream=stream)

    structlog.get_logger().warning(Event.LAYER_BROKE, fact=text)

    written = stream.getvalue()
    assert written.endswith("\n")
    assert written[:-1].isprintable()
    assert len(written) < 12 * MAX_CHARS


@pytest.mark.parametrize(
    ("log_format", "stream", "is_json"),
    [
        (LogFormat.AUTO, io.StringIO, True),
        (LogFormat.AUTO, Terminal, False),
        (LogFormat.JSON, Terminal, True),
        (LogFormat.CONSOLE, io.StringIO, False),
    ],
)
def test_the_format_follows_the_stream_unless_told(
    log_format: LogFormat, stream: type[io.StringIO], *, is_json: bool
) -> None:
    out = stream()
    configure(log_format, environ={}, stream=out)

    structlog.get_logger().warning(Event.LAYER_BROKE)

    assert out.getvalue().startswith("{") is is_json


@pytest.mark.parametrize(
    ("stream", "verbosity", "levels"),
    [
        (io.StringIO, 0, ["info", "warning"]),
        (io.StringIO, 1, ["debug", "info", "warning"]),
        (Terminal, 0, ["warning"]),
        (Terminal, 1, ["info", "warning"]),
        (Terminal, 9, ["debug", "info", "warning"]),
    ],
)
def test_a_terminal_shows_warnings_unless_asked_for_more(
    stream: type[io.StringIO], verbosity: int, levels: list[str]
) -> None:
    """A person sees the progress display; a machine sees every event but the debugging ones; `-v` adds a level."""
    out = stream()
    configure(environ={"NO_COLOR": "1"}, verbosity=verbosity, stream=out)

    log = structlog.get_logger()
    for level in ("debug", "info", "warning"):
        getattr(log, level)("happened")

    assert [level for level in ("debug", "info", "warning") if level in out.getvalue()] == levels


@pytest.mark.parametrize(("environ", "coloured"), [({}, True), ({"NO_COLOR": "1"}, False), ({"NO_COLOR": ""}, True)])
def test_no_color_is_respected(environ: dict[str, str], *, coloured: bool) -> None:
    out = Terminal()
    configure(environ=environ, stream=out)

    structlog.get_logger().warning(Event.LAYER_BROKE)

    assert ("\x1b[" in out.getvalue()) is coloured


def test_an_exception_is_one_line_of_json() -> None:
    """A traceback does not spread over lines, and its end, which says what happened, is kept."""
    stream = io.StringIO()
    configure(environ={}, stream=stream)

    structlog.get_logger().error(Event.LAYER_BROKE, exc_info=ValueError("x" * MAX_TRACE_CHARS + "the end"))

    (line,) = _lines(stream)
    assert str(line["exception"]).endswith("the end")
    assert len(str(line["exception"])) <= MAX_TRACE_CHARS + 1
