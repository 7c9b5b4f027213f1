"""Where one solution is judged: its sandbox, its judge, and a sandbox for the reference, opened at the first need."""

from __future__ import annotations

from collections import deque

from codegen_eval.errors import SandboxLostError
from codegen_eval.interfaces import Sandbox, SandboxProvider
from codegen_eval.judge.pool import Judge, JudgePool
from codegen_eval.review.reviewer import Reviewed
from codegen_eval.solution import Solution
from codegen_eval.suite import Suite

_OPEN_TRIES = 2


def open_sandbox(provider: SandboxProvider) -> Sandbox:
    """Open a sandbox, in two tries.

    Raises:
        SandboxLostError: no guest came up, twice.
        SandboxUnavailableError: none will.
    """
    for attempt in range(1, _OPEN_TRIES + 1):
        try:
            return provider.open()
        except SandboxLostError:
            if attempt == _OPEN_TRIES:
                raise
    raise SandboxLostError("no sandbox came up")


class SpareSandboxes:
    """Sandboxes that hold tests and never a solution, so that one may serve many; each use starts a fresh worker."""

    def __init__(self, provider: SandboxProvider) -> None:
        self._provider = provider
        self._idle: deque[Sandbox] = deque()

    def take(self) -> Sandbox:
        """Return one that nobody uses.

        Raises:
            SandboxLostError, SandboxUnavailableError: as for `open_sandbox`.
        """
        while True:
            try:
                found = self._idle.pop()
            except IndexError:
                return open_sandbox(self._provider)
            if not found.lost:
                return found
            found.close()

    def give_back(self, sandbox: Sandbox) -> None:
        """Take one back."""
        self._idle.append(sandbox)

    def close(self) -> None:
        """Remove those that nobody uses."""
        while self._idle:
            self._idle.pop().close()


class Place:
    """One solution's sandbox and judge, opened at the first need."""

    def __init__(
        self,
        provider: SandboxProvider,
        judges: JudgePool,
        folder: str,
        solution: Solution,
        *,
        suite: Suite | None = None,
        spare: SpareSandboxes | None = None,
    ) -> None:
        self._provider = provider
        self.suite = suite
        """Tests that came with the problem, for a judge without a folder."""
        self._spare = spare
        self._judges = judges
        self._folder = folder
        self._solution = solution
        self._sandbox: Sandbox | None = None
        self._reference: Sandbox | None = None
        self._judge: Judge | None = None
        self.reviewed: Reviewed | None = None
        """What a reviewer said of the solution; None where nobody was asked, or it is known already what came of it."""
        self.gave_second_try = False
        """It hung once and was repeated: or it could hang in every layer twice. Losing its sandbox takes no time."""
        self.patience = 1.0
        """More than 1 once it has computed until a wall limit: its CPU budget should decide in later layers, too."""

    @property
    def lost(self) -> bool:
        """Say whether a sandbox is gone."""
        return any(sandbox is not None and sandbox.lost for sandbox in (self._sandbox, self._reference))

    def judge(self) -> Judge:
        """Return the judge, over a sandbox that is there.

        Raises:
            SandboxLostError: no guest came up, twice.
            SandboxUnavailableError: none will.
        """
        if self.lost:
            self.close()  # what one layer did to the sandbox is not held against the next
        if self._sandbox is None:
            self._sandbox = open_sandbox(self._provider)
        if self._judge is None or self._judge.closed:  # what one layer did to its judge is not held against the next
            self._judge = self._judges.take(self._folder)
            self._judge.open(self._solution, self._sandbox, self.suite)
        return self._judge

    def reference(self) -> Sandbox:
        """Return a sandbox for the task's reference or a suite's tests, which share none with a solution.

        Raises:
            SandboxLostError, SandboxUnavailableError: as for `judge`.
        """
        if self._reference is None:
            self._reference = open_sandbox(self._provider) if self._spare is None else self._spare.take()
        return self._reference

    def renew_judge(self) -> None:
        """Throw the judge away; the next use gets a fresh one."""
        if self._judge is not None:
            self._judge.close()
            self._judge = None

    def close(self) -> None:
        """End judge and sandboxes."""
        whole = self._judge is not None and not self._judge.closed
        self.renew_judge()
        if self._sandbox is not None:
            self._sandbox.close()
        if self._reference is not None:
            if self._spare is not None and whole and not self._reference.lost:
                self._spare.give_back(self._reference)
            else:
                self._reference.close()
        self._sandbox = self._reference = None
