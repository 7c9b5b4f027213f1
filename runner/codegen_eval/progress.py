"""Progress: what a person at a terminal sees while a run goes on. Silent anywhere else."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from threading import RLock
from types import TracebackType
from typing import Protocol, Self, TextIO

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, TaskID, TextColumn, TimeRemainingColumn
from rich.progress import Progress as Bars

from codegen_eval.verdict import Verdict

_MOST_SHOWN = 3
"""How many solutions in work are named at once."""


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

    def stop(self) -> None:
        """Do nothing."""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, exc: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.stop()


class TerminalProgress:
    """A bar with replies had and what they cost, then one with solutions done and in work. Gone when it ends."""

    def __init__(self, console: Console) -> None:
        self._bars = Bars(
            TextColumn("{task.description}"),
            BarColumn(bar_width=30),
            MofNCompleteColumn(),
            TimeRemainingColumn(),
            TextColumn("{task.fields[now]}", markup=False),
            console=console,
            transient=True,
        )
        self._bar: TaskID | None = None
        self._replies: TaskID | None = None
        self._working: dict[str, str] = {}
        self._lock = RLock()

    def start_replies(self, total: int) -> None:
        """Show the bar of replies."""
        with self._lock:
            if self._bar is not None:
                self._bars.remove_task(self._bar)
                self._bar = None
            self._replies = self._bars.add_task("replies", total=total, now="")
            self._bars.start()

    def reply_had(self, spent: Decimal) -> None:
        """Count the reply, and show what was spent."""
        with self._lock:
            if self._replies is not None:
                self._bars.update(self._replies, advance=1, now=f"${spent:.4f} spent" if spent else "")

    def start(self, total: int) -> None:
        """Show the bar of solutions."""
        with self._lock:
            if self._replies is not None:
                self._bars.remove_task(self._replies)
                self._replies = None
            self._bar = self._bars.add_task("solutions", total=total, now="")
            self._bars.start()

    def solution_started(self, solution: str) -> None:
        """Name the solution among those in work."""
        with self._lock:
            self._working[solution] = _printable(solution)
            self._show()

    def layer_finished(self, solution: str, layer: str, verdict: Verdict) -> None:
        """Name the last layer and its verdict beside the solution."""
        with self._lock:
            self._working[solution] = _printable(f"{solution} ({layer}: {verdict})")
            self._show()

    def solution_finished(self, solution: str, verdict: Verdict) -> None:  # noqa: ARG002  the seam tells it; the bar counts
        """Count the solution."""
        with self._lock:
            self._working.pop(solution, None)
            self._show(advance=1)

    def stop(self) -> None:
        """Take the bar away and show the cursor again."""
        self._bars.stop()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, exc: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.stop()

    def _show(self, *, advance: int = 0) -> None:
        if self._bar is None:
            return
        shown = list(self._working.values())
        more = f" +{len(shown) - _MOST_SHOWN}" if len(shown) > _MOST_SHOWN else ""
        self._bars.update(self._bar, advance=advance, now="  ".join(shown[:_MOST_SHOWN]) + more)


def make_progress(stream: TextIO, *, environ: Mapping[str, str]) -> RunProgress:
    """Return a display on `stream` where that is a terminal which can move its cursor, else a silent one."""
    if not stream.isatty() or environ.get("TERM") == "dumb":
        return SilentProgress()
    console = Console(file=stream, no_color=bool(environ.get("NO_COLOR")), highlight=False)
    return TerminalProgress(console)


def _printable(text: str) -> str:
    """Escape what could move the cursor: names of solutions may be names of files."""
    return "".join(char if char.isprintable() else "?" for char in text)
