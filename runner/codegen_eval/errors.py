"""All exceptions of the harness, in one tree.

::

    CodegenEvalError                 exit 3
    ├── InputError                   exit 2   something the user gave is wrong
    │   ├── TaskError                         a task's files do not validate
    │   ├── CorpusError                       a corpus's files do not validate
    │   ├── SolutionFileError                 a solution file is missing or not text
    │   ├── ResultsError                      a results file does not validate
    │   ├── DatasetError                      a problem set can't be read, or holds no problem
    │   ├── SamplesError                      samples can't be read, or belong to no problem
    │   └── UnsafeSandboxError                untrusted code was about to run without a boundary
    ├── InterruptedRunError          exit 130 the user stopped a run, which can go on later
    └── EnvironmentFaultError        exit 3   something around us is broken
        ├── SandboxUnavailableError           no sandbox of the kind asked for can be had
        ├── SandboxTooWeakError               a limit that the sandbox promises does not bite
        ├── SandboxLostError                  the sandbox ended before its guest said *ready*
        ├── JudgeLostError                    a judge process ended without a verdict
        ├── LedgerError                       the ledger can't be read or written
        ├── BudgetExhaustedError              the next call of a model could exceed the budget
        ├── StorageError                      a store of results can't be reached, or did not keep them
        └── ModelError                        a model provider can't answer
            ├── ModelAccessError     exit 2   a key is missing or refused, or an account may not
            ├── ModelRequestError    exit 2   the provider refuses what is asked for: a model's name, a parameter
            │   └── ModelAddressError         there is a server at the address, and none of the provider's form
            └── ModelUnavailableError         no answer now: overload, a dropped connection, half a reply

What a *solution* does wrong is never an exception that leaves a layer: it is a `Finding`.
"""

from __future__ import annotations

from datetime import timedelta


class CodegenEvalError(Exception):
    """Carry what went wrong, where, and what to do next."""

    exit_code: int = 3

    def __init__(self, message: str, *, hint: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint


class InputError(CodegenEvalError):
    """Something the user gave is wrong; they can mend it."""

    exit_code = 2


class InterruptedRunError(CodegenEvalError):
    """The user stopped a run that can go on later."""

    exit_code = 130


class TaskError(InputError):
    """A task's files do not validate."""


class CorpusError(InputError):
    """A corpus's files do not validate."""


class SolutionFileError(InputError):
    """A solution file is missing or not text."""


class ResultsError(InputError):
    """A results file is missing or does not validate."""


class DatasetError(InputError):
    """A problem set can't be read, or holds no problem."""


class SamplesError(InputError):
    """Samples can't be read, or belong to no problem."""


class UnsafeSandboxError(InputError):
    """Untrusted code was about to run in a sandbox that is no boundary, without consent."""


class EnvironmentFaultError(CodegenEvalError):
    """Something around us is broken; the solution is not to blame."""


class SandboxUnavailableError(EnvironmentFaultError):
    """No sandbox of the kind asked for can be had here."""


class SandboxTooWeakError(EnvironmentFaultError):
    """A limit that the sandbox promises does not bite on this machine."""


class SandboxLostError(EnvironmentFaultError):
    """The sandbox ended, or did not start, before its guest said *ready*."""


class JudgeLostError(EnvironmentFaultError):
    """A judge process ended without a verdict and before it met any value of the solution."""


class LedgerError(EnvironmentFaultError):
    """The ledger can't be read or written."""


class BudgetExhaustedError(EnvironmentFaultError):
    """The next call of a model could cost more than is left of the budget."""


class StorageError(EnvironmentFaultError):
    """A store of results can't be reached, refuses, or did not keep what it was given."""

    def __init__(self, message: str, *, hint: str | None = None, during_transfer: bool = False) -> None:
        super().__init__(message, hint=hint)
        self.during_transfer = during_transfer
        """Whether it broke off in the middle, where trying again may help."""


class ModelError(EnvironmentFaultError):
    """A model provider can't answer."""


class ModelAccessError(ModelError):
    """A key is missing or refused, or the account may not use the model. No other call of the run would fare better."""

    exit_code = 2


class ModelRequestError(ModelError):
    """The provider refuses what is asked for, as a model that it does not have. Asking again would not help."""

    exit_code = 2


class ModelAddressError(ModelRequestError):
    """A server answers at the address, and knows no such path."""


class ModelUnavailableError(ModelError):
    """No answer can be had now; another attempt may get one."""

    def __init__(
        self,
        message: str,
        *,
        hint: str | None = None,
        overloaded: bool = False,
        retry_after: timedelta | None = None,
    ) -> None:
        super().__init__(message, hint=hint)
        self.overloaded = overloaded
        """The provider asks for fewer calls at once."""
        self.retry_after = retry_after
        """How long the provider asks to wait."""
