"""Reviews that are asked for ahead, in threads of their own, so that no sandbox is held while a model thinks."""

from __future__ import annotations

import contextlib
import threading
import time
from concurrent.futures import Future, InvalidStateError
from queue import SimpleQueue

from codegen_eval.errors import InterruptedRunError
from codegen_eval.layers.llm_review import ReviewPolicy
from codegen_eval.review.reviewer import Reviewed, Reviewer
from codegen_eval.solution import Solution
from codegen_eval.task import Task


class ReviewDesk:
    """Has solutions reviewed, several at once, in the order in which they will be judged.

    Its threads are daemons: a call to a model may take minutes, and nobody who interrupts a run waits for it.
    """

    def __init__(self, reviewer: Reviewer, *, policy: ReviewPolicy = ReviewPolicy.CONFIRMED, concurrency: int) -> None:
        self.policy = policy
        self._reviewer = reviewer
        self._concurrency = concurrency
        self._queue: SimpleQueue[tuple[Task, Solution, Future[Reviewed]] | None] = SimpleQueue()
        self._lock = threading.Lock()
        self._threads: list[threading.Thread] = []
        self._reviews: dict[str, Future[Reviewed]] = {}
        """Those that were begun and not taken."""

    @property
    def identity(self) -> str:
        """What determines what becomes of a solution beside itself and its task."""
        return f"{self._reviewer.identity} {self.policy}"

    def begin(self, task: Task, solution: Solution) -> None:
        """Begin to have a solution reviewed."""
        review: Future[Reviewed] = Future()
        with self._lock:
            self._reviews[solution.id] = review
            self._queue.put((task, solution, review))
            if len(self._threads) < self._concurrency:
                thread = threading.Thread(target=self._work, name=f"review-{len(self._threads)}", daemon=True)
                self._threads.append(thread)
                thread.start()

    def take(self, solution: Solution) -> Reviewed | None:
        """Return the review of a solution once it is there, and forget it; None where none was begun.

        Raises:
            CodegenEvalError: what ends a run: access refused, a budget used up.
            InterruptedRunError: the desk was closed.
        """
        with self._lock:
            review = self._reviews.get(solution.id)
        if review is None:
            return None
        try:
            return review.result()
        finally:
            with self._lock:
                self._reviews.pop(solution.id, None)

    def _work(self) -> None:
        while (job := self._queue.get()) is not None:
            task, solution, review = job
            if review.done():
                continue
            try:
                reviewed = self._reviewer.review(task, solution)
            except BaseException as exc:  # noqa: BLE001 - handed on to the thread that waits, which raises it
                with contextlib.suppress(InvalidStateError):
                    review.set_exception(exc)
            else:
                with contextlib.suppress(InvalidStateError):
                    review.set_result(reviewed)

    def close(self, *, grace_seconds: float = 0.0) -> None:
        """Begin no more reviews, and let nobody wait for one.

        What was asked for is paid for, so it gets some time to come and go into the ledger.
        """
        with self._lock:
            reviews, threads = list(self._reviews.values()), list(self._threads)
        for review in reviews:
            with contextlib.suppress(InvalidStateError):
                review.set_exception(InterruptedRunError("the run was stopped"))
        for _ in threads:
            self._queue.put(None)
        deadline = time.monotonic() + grace_seconds
        for thread in threads:
            thread.join(max(0.0, deadline - time.monotonic()))
