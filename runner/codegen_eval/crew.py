"""Do many slow jobs at a time, in threads that nobody has to wait for.

A call to a model may take minutes, and a thread can't be ended: so these are daemons, and a program that is interrupted
ends without them.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from queue import Empty, SimpleQueue
from typing import Generic, TypeVar

Job = TypeVar("Job")
Done = TypeVar("Done")


def do_all(
    jobs: Sequence[Job], work: Callable[[Job], Done], *, threads: int, stop: Callable[[], None], grace_seconds: float
) -> list[Done]:
    """Return what `work` makes of each job, in the order of the jobs.

    The first error ends it: `stop` is called, which should let nothing new begin, what is at work gets the grace to
    end, and the error is raised. An interrupt is raised at once.
    """
    crew = _Crew(jobs, work)
    crew.start(threads)
    try:
        done = crew.gather()
    except BaseException as exc:
        crew.halted.set()
        stop()
        if isinstance(exc, Exception):
            crew.wait(grace_seconds)
        raise
    return [done[index] for index in range(len(jobs))]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Result(Generic[Done]):
    """A job that was done."""

    index: int
    value: Done


class _Crew(Generic[Job, Done]):
    """Threads, what waits for them, and what they have done."""

    def __init__(self, jobs: Sequence[Job], work: Callable[[Job], Done]) -> None:
        self.halted = threading.Event()
        self._jobs = jobs
        self._work = work
        self._waiting: SimpleQueue[int] = SimpleQueue()
        self._told: SimpleQueue[_Result[Done] | BaseException | None] = SimpleQueue()
        """Results and errors; None from each thread at its end."""
        self._at_work = 0

    def start(self, threads: int) -> None:
        """Start so many threads, no more than there are jobs."""
        for index in range(len(self._jobs)):
            self._waiting.put(index)
        for number in range(min(threads, len(self._jobs))):
            threading.Thread(target=self._labour, name=f"crew-{number}", daemon=True).start()
            self._at_work += 1

    def gather(self) -> dict[int, Done]:
        """Return all results, by the index of their job; raise the first error."""
        done: dict[int, Done] = {}
        while self._at_work:
            match self._told.get():
                case None:
                    self._at_work -= 1
                case _Result() as result:
                    done[result.index] = result.value
                case error:
                    raise error
        return done

    def wait(self, seconds: float) -> None:
        """Wait until the threads have ended, at most so long."""
        deadline = time.monotonic() + seconds
        while self._at_work:
            try:
                told = self._told.get(timeout=max(0.0, deadline - time.monotonic()))
            except Empty:
                return
            if told is None:
                self._at_work -= 1

    def _labour(self) -> None:
        try:
            while not self.halted.is_set():
                index = self._waiting.get_nowait()
                self._told.put(_Result(index=index, value=self._work(self._jobs[index])))
        except Empty:
            pass
        except BaseException as exc:  # noqa: BLE001 - handed on to the thread that waits, which raises it
            self._told.put(exc)
        finally:
            self._told.put(None)
