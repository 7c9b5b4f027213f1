"""Progress: a display for a person at a terminal, and anywhere else an event from time to time."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from datetime import timedelta
from decimal import Decimal
from threading import RLock
from types import TracebackType
from typing import Protocol, Self, TextIO

import structlog
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, TaskID, TextColumn
from rich.progress import Progress as Bars
from rich.table import Column

from codegen_eval.events import Event
from codegen_eval.pace import Pace
from codegen_eval.verdict import Verdict

_MOST_SHOWN = 3
"""How many solutions in work are named at once."""
_TOLD_SECONDS = 30.0
"""Between two events, where there is no terminal."""
_BAR_SHARE, _LONGEST_BAR = 5, 30
"""A bar takes this part of the terminal's width, and no more than so many columns."""


class Progress(Protocol):
    """Where the pipeline tells how far it is. Called from several threads; never raises."""

    def start(self, total: int) -> None:
        """Begin to judge, with so many solutions to do."""

    def solution_started(self, solution: str) -> None:
        """Tell that work on a solution began."""

    def layer_finished(self, solution: str, layer: str, verdict: Verdict) -> None:
        """Tell what a layer said."""

    def solution_finished(self, solution: str, verdict: Verdict) -> None:
        """Tell that a solution is done."""

    def solution_recalled(self, solution: str) -> None:
        """Tell that a solution is done without work: it was judged before, or there is nothing to judge."""

    def stop(self) -> None:
        """End, and leave the terminal as it was. May be called twice."""

    def __enter__(self) -> Self: ...

    def __exit__(
        self, kind: type[BaseException] | None, exc: BaseException | None, traceback: TracebackType | None
    ) -> None: ...


class RunProgress(Progress, Protocol):
    """Where a run, which asks models before it judges, tells how far it is."""

    def start_replies(self, total: int) -> None:
        """Begin to ask models, with so many replies to come."""

    def reply_had(self, spent: Decimal) -> None:
        """Tell that a reply is there, and what was spent so far, in US dollars."""


class SilentProgress:
    """Say nothing."""

    def start_replies(self, total: int) -> None:
        """Do nothing."""

    def reply_had(self, spent: Decimal) -> None:
        """Do nothing."""

    def start(self, total: int) -> None:
        """Do nothing."""

    def solution_started(self, solution: str) -> None:
        """Do nothing."""

    def layer_finished(self, solution: str, layer: str, verdict: Verdict) -> None:
        """Do nothing."""

    def solution_finished(self, solution: str, verdict: Verdict) -> None:
        """Do nothing."""

    def solution_recalled(self, solution: str) -> None:
        """Do nothing."""

    def stop(self) -> None:
        """Do nothing."""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, exc: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.stop()


class EventProgress(SilentProgress):
    """Say how far it is in an event from time to time, for logs that nobody watches."""

    def __init__(
        self, what: str = "solutions", *, seconds: float = _TOLD_SECONDS, clock: Callable[[], float] = time.monotonic
    ) -> None:
        """Count what is called `what`; no two events are closer than so many seconds."""
        self._what = what
        self._seconds = seconds
        self._clock = clock
        self._told = clock()
        self._pace: Pace | None = None
        self._lock = RLock()

    def start_replies(self, total: int) -> None:
        """Begin to count replies."""
        self._begin(total)

    def reply_had(self, spent: Decimal) -> None:
        """Count the reply."""
        self._advance("replies", recalled=False, usd=float(spent))

    def start(self, total: int) -> None:
        """Begin to count solutions."""
        self._begin(total)

    def solution_finished(self, solution: str, verdict: Verdict) -> None:  # noqa: ARG002  the seam tells them
        """Count the solution."""
        self._advance(self._what, recalled=False)

    def solution_recalled(self, solution: str) -> None:  # noqa: ARG002  the seam tells it
        """Count the solution, and not as speed."""
        self._advance(self._what, recalled=True)

    def _begin(self, total: int) -> None:
        with self._lock:
            self._pace = Pace(total, now=self._clock())

    def _advance(self, what: str, *, recalled: bool, **facts: float) -> None:
        now = self._clock()
        with self._lock:
            pace = self._pace
            if pace is None:
                return
            pace.advance(now=now, recalled=recalled)
            if now - self._told < self._seconds:
                return
            self._told = now
            done, total, left = pace.done, pace.total, pace.seconds_left()
        seconds = None if left is None else round(left)
        structlog.get_logger().info(
            Event.PROGRESS_MADE, what=what, done=done, total=total, seconds_left=seconds, **facts
        )


class TerminalProgress:
    """A bar with replies had and what they cost, then one with solutions done and in work. Gone when it ends.

    Where a terminal is narrow the names of what is in work give way, and the rest stays.
    """

    def __init__(
        self, console: Console, what: str = "solutions", *, name: Callable[[str], str] = str, clock: Callable[[], float]
    ) -> None:
        """Count what is called `what`; `name` makes of the id of a solution what is shown of it."""
        self._bars = Bars(
            TextColumn("{task.description}"),
            BarColumn(bar_width=min(_LONGEST_BAR, console.width // _BAR_SHARE)),
            MofNCompleteColumn(),
            TextColumn("{task.fields[left]}", style="progress.remaining"),
            TextColumn(
                "{task.fields[now]}", markup=False, table_column=Column(ratio=1, no_wrap=True, overflow="ellipsis")
            ),
            console=console,
            expand=True,
            transient=True,
        )
        self._what = what
        self._name = name
        self._clock = clock
        self._bar: TaskID | None = None
        self._replies: TaskID | None = None
        self._pace = Pace(0, now=0.0)
        self._working: dict[str, str] = {}
        self._lock = RLock()

    def start_replies(self, total: int) -> None:
        """Show the bar of replies."""
        with self._lock:
            if self._bar is not None:
                self._bars.remove_task(self._bar)
                self._bar = None
            self._replies = self._bars.add_task("replies", total=total, now="", left=_duration(None))
            self._pace = Pace(total, now=self._clock())
            self._bars.start()

    def reply_had(self, spent: Decimal) -> None:
        """Count the reply, and show what was spent."""
        with self._lock:
            if self._replies is not None:
                self._pace.advance(now=self._clock())
                left = _duration(self._pace.seconds_left())
                now = f"${spent:.4f} spent" if spent else ""
                self._bars.update(self._replies, advance=1, now=now, left=left)

    def start(self, total: int) -> None:
        """Show the bar of solutions."""
        with self._lock:
            if self._replies is not None:
                self._bars.remove_task(self._replies)
                self._replies = None
            self._bar = self._bars.add_task(self._what, total=total, now="", left=_duration(None))
            self._pace = Pace(total, now=self._clock())
            self._bars.start()

    def solution_started(self, solution: str) -> None:
        """Name the solution among those in work."""
        with self._lock:
            self._working[solution] = _printable(self._name(solution))
            self._show()

    def layer_finished(self, solution: str, layer: str, verdict: Verdict) -> None:
        """Name the last layer and its verdict beside the solution, while it is in work."""
        with self._lock:
            if solution in self._working:
                self._working[solution] = _printable(f"{self._name(solution)} ({layer}: {verdict})")
                self._show()

    def solution_finished(self, solution: str, verdict: Verdict) -> None:  # noqa: ARG002  the seam tells it; the bar counts
        """Count the solution."""
        self._count(solution, recalled=False)

    def solution_recalled(self, solution: str) -> None:
        """Count the solution, and not as speed."""
        self._count(solution, recalled=True)

    def stop(self) -> None:
        """Take the bar away and show the cursor again."""
        self._bars.stop()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, exc: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.stop()

    def _count(self, solution: str, *, recalled: bool) -> None:
        with self._lock:
            self._working.pop(solution, None)
            self._pace.advance(now=self._clock(), recalled=recalled)
            self._show(advance=1)

    def _show(self, *, advance: int = 0) -> None:
        if self._bar is None:
            return
        shown = list(self._working.values())
        more = f" +{len(shown) - _MOST_SHOWN}" if len(shown) > _MOST_SHOWN else ""
        now = "  ".join(shown[:_MOST_SHOWN]) + more
        self._bars.update(self._bar, advance=advance, now=now, left=_duration(self._pace.seconds_left()))


def make_progress(
    stream: TextIO, *, environ: Mapping[str, str], what: str = "solutions", name: Callable[[str], str] = str
) -> RunProgress:
    """Return a display on `stream` where that is a terminal which can move its cursor; else one that logs events."""
    if not stream.isatty():
        return EventProgress(what)
    if environ.get("TERM") == "dumb":
        return SilentProgress()
    console = Console(file=stream, no_color=bool(environ.get("NO_COLOR")), highlight=False)
    return TerminalProgress(console, what, name=name, clock=time.monotonic)


def _duration(seconds: float | None) -> str:
    """Return a duration as `0:01:30`."""
    return "-:--:--" if seconds is None else str(timedelta(seconds=round(seconds)))


def _printable(text: str) -> str:
    """Escape what could move the cursor: names of solutions may be names of files."""
    return "".join(char if char.isprintable() else "?" for char in text)
