"""Conclusions from what a probe returned. What has not the form that a probe gives shows nothing, so nothing bites."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from codegen_eval.sandbox.limit import Seen, Trial

DONE = "done"
ABSENT = frozenset({"ENOSYS", "EAFNOSUPPORT", "ESOCKTNOSUPPORT", "EPROTONOSUPPORT", "ENODEV"})
"""Errors by which a kernel says that it has no such thing."""
_SHOWN = 4

Judge = Callable[[object, Trial], Seen]


def unreadable(value: object) -> Seen:
    """Conclude nothing."""
    return Seen(bites=False, what=f"the probe returned {type(value).__name__} of a form that is not its own")


def attempts(value: object) -> Mapping[str, str] | None:
    """Return what a probe says of its attempts, None where it says nothing of the kind."""
    if not isinstance(value, dict) or not value:
        return None
    told = {str(name): str(result) for name, result in value.items()}
    return told if all(isinstance(result, str) for result in value.values()) else None


def refused(value: object, trial: Trial) -> Seen:
    """It bites where every attempt met an error."""
    del trial
    told = attempts(value)
    return unreadable(value) if told is None else judge_attempts(told)


def judge_attempts(told: Mapping[str, str], *, also: list[str] | None = None) -> Seen:
    """It bites where every attempt met an error and nothing else was noticed."""
    worked = [name for name, result in told.items() if result == DONE] + (also or [])
    if worked:
        return Seen(bites=False, what=f"worked: {listed(worked)}")
    results = sorted(set(told.values()))
    if set(results) <= ABSENT:
        return Seen(bites=True, what=f"the kernel has none ({', '.join(results)})")
    return Seen(bites=True, what=f"refused: {', '.join(results)}")


def unreached(*names: str) -> Judge:
    """It bites where every attempt met an error, and none of these listeners of the host was reached."""

    def judge(value: object, trial: Trial) -> Seen:
        told = attempts(value)
        if told is None:
            return unreadable(value)
        return judge_attempts(
            told, also=[f"the host's listener `{name}` was reached" for name in trial.bait.reached(*names)]
        )

    return judge


def at_most(limit: int, unit: str, *, divisor: int = 1) -> Judge:
    """It bites where a count stays below a limit."""

    def judge(value: object, trial: Trial) -> Seen:
        del trial
        count = value[0] if isinstance(value, list) and value else value
        if type(count) is not int:
            return unreadable(value)
        bites = 0 <= count <= limit
        return Seen(bites=bites, what=f"{'stopped' if bites else 'not stopped'} at {count // divisor} {unit}")

    return judge


def never(what: str) -> Judge:
    """It does not bite where the worker is still there to say so: what was tried should have ended it."""

    def judge(value: object, trial: Trial) -> Seen:
        del trial
        return Seen(bites=False, what=what) if value == DONE else unreadable(value)

    return judge


def listed(names: list[str]) -> str:
    """Return some names, and how many more there are."""
    more = f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
    return ", ".join(names[:_SHOWN]) + more
