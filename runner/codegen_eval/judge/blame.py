"""Findings for workers that end, lie or do not load."""

from __future__ import annotations

from codegen_eval.interfaces import EndReason, WorkerEnd
from codegen_eval.judge.describe import clean, clip
from codegen_eval.judge.values import FromCandidate
from codegen_eval.verdict import FailureClass, Finding

_SAID: dict[EndReason, str] = {
    EndReason.CLOSED: "the worker was closed before it answered",
    EndReason.EXITED: "the process exited instead of answering",
    EndReason.KILLED: "the process was killed by a signal that nobody outside had sent",
    EndReason.OUT_OF_MEMORY: "the kernel killed it for memory",
    EndReason.CPU: "it spent its CPU budget without an answer",
    EndReason.WALL: "it gave no answer within the wall limit, with CPU time to spare",
    EndReason.OUTPUT: "it wrote more output than the cap",
    EndReason.GARBLED: "it sent what no honest worker sends",
    EndReason.SANDBOX_LOST: "its sandbox went away while it ran",
}
_SLOW = frozenset({EndReason.CPU, EndReason.WALL})


def on_end(end: WorkerEnd | None, aimed_at: FailureClass, *, check: str, shown_input: str | None) -> Finding:
    """Say how a worker ended while it owed an answer."""
    reason = EndReason.CLOSED if end is None else end.reason
    failure_class = aimed_at if reason in _SLOW else FailureClass.RESOURCE_LIMIT
    return Finding(failure_class=failure_class, message=_SAID[reason], check=check, input=shown_input, ended=reason)


def on_lingering(end: WorkerEnd, *, check: str | None = None) -> list[Finding]:
    """Say, where it is so, that a worker left processes behind that went on after its last answer."""
    if not end.lingering:
        return []
    message = "it left processes running after its last answer"
    return [Finding(failure_class=FailureClass.RESOURCE_LIMIT, message=message, check=check)]


def on_tampering(what: object, *, check: str | None = None, shown_input: str | None = None) -> Finding:
    """Say what a worker sent that it should not have."""
    return Finding(
        failure_class=FailureClass.VERDICT_TAMPERING, message=clean(str(what)), check=check, input=shown_input
    )


def on_load(error: FromCandidate, *, workdir: str) -> Finding:
    """Say that the source can't be loaded."""
    syntax = isinstance(error, SyntaxError)
    failure_class = FailureClass.SYNTAX_ERROR if syntax else FailureClass.WRONG_LOGIC
    text = clean(error.text, workdir=workdir)
    return Finding(
        failure_class=failure_class, message=f"loading it raises {clean(error.class_name)}: {text}", check="load"
    )


def raised(error: FromCandidate, *, workdir: str) -> str:
    """Show what a solution raised."""
    return clip(f"raises {clean(error.class_name)}: {clean(error.text, workdir=workdir)}")
