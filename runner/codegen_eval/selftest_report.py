"""What the self-test found: a value, its table for people, and its JSON."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from codegen_eval.attack import Category
from codegen_eval.frozen import Frozen
from codegen_eval.render.printable import printable
from codegen_eval.verdict import Verdict

_COLUMNS = ("forged", "escaped", "lingered", "disturbed", "misreported", "errors", "not stopped")


class ControlOutcome(Frozen):
    """Whether an attack gets through where it should."""

    what: str
    """What was left out: a naive harness of a style, or limits."""
    succeeded: bool | None
    """None where it could not be tried."""
    reason: str | None = None
    """Why it could not be tried."""


class AttackOutcome(Frozen):
    """What one attack came to."""

    id: str
    category: Category
    tries: str
    verdict: Verdict
    forged: bool = False
    """It passed, or the layer that has to fail it did not."""
    escaped: bool = False
    """It reached what it must not reach, or used more than a limit allows."""
    lingered: bool = False
    """Something of it was there after its sandbox was closed."""
    disturbed: bool = False
    """An honest solution that was judged beside it did not pass."""
    misreported: bool = False
    """It failed for another reason than the one that the manifest names."""
    error: str | None = None
    """What broke on our side; a solution must not be able to bring that about."""
    not_stopped: bool = False
    """It got through where only a boundary would have stopped it, in a sandbox that is none."""
    notes: tuple[str, ...] = ()
    """What was seen, where it did not hold or was not stopped."""
    controls: tuple[ControlOutcome, ...] = ()

    @property
    def held(self) -> bool:
        """Say whether the harness held."""
        bad = self.forged or self.escaped or self.lingered or self.disturbed or self.misreported
        return not (bad or self.error is not None)


class SelftestReport(Frozen):
    """The outcome of a self-test."""

    sandbox: str
    isolated: bool
    python: str
    outcomes: tuple[AttackOutcome, ...]
    left: tuple[str, ...] = ()
    """Containers and folders that were there at the end and belong to no one attack."""
    notes: tuple[str, ...] = ()

    @property
    def held(self) -> bool:
        """Say whether everything held, and every control that was run showed its attack to be one."""
        controls = (control.succeeded for outcome in self.outcomes for control in outcome.controls)
        return not self.left and all(outcome.held for outcome in self.outcomes) and False not in controls


_COUNTED: dict[str, Callable[[AttackOutcome], bool]] = {
    "forged": lambda one: one.forged,
    "escaped": lambda one: one.escaped,
    "lingered": lambda one: one.lingered,
    "disturbed": lambda one: one.disturbed,
    "misreported": lambda one: one.misreported,
    "errors": lambda one: one.error is not None,
    "not stopped": lambda one: one.not_stopped,
}


def to_json(report: SelftestReport) -> str:
    """Return the report as JSON."""
    counts = {column: sum(map(_COUNTED[column], report.outcomes)) for column in _COLUMNS}
    summary = {"held": report.held, "attacks": len(report.outcomes), "counts": counts}
    body = report.model_dump_json(indent=1).removeprefix("{")
    head = ",\n".join(f' "{name}": {_json(value)}' for name, value in summary.items())
    return "{\n" + head + "," + body + "\n"


def _json(value: object) -> str:
    import json

    return json.dumps(value)


def render_report(report: SelftestReport) -> str:
    """Return the table by category, and the names of what did not hold."""
    kind = "isolated" if report.isolated else "no boundary"
    lines = [f"Sandbox: {printable(report.sandbox)} ({kind}), Python {printable(report.python)}", ""]
    controlled = any(outcome.controls for outcome in report.outcomes)
    headings = ["category", "attacks", *_COLUMNS, *(["controls"] if controlled else [])]
    rows = [_row(c.value, [o for o in report.outcomes if o.category is c], controls=controlled) for c in Category]
    rows = [row for row in rows if row[1] != "0"]
    rows.append(_row("all", report.outcomes, controls=controlled))
    widths = [max(len(row[at]) for row in (headings, *rows)) for at in range(len(headings))]
    for row in (headings, *rows):
        first, *rest = (text.ljust(width) if not at else text.rjust(width) for at, (text, width) in _cells(row, widths))
        lines.append("  ".join([first, *rest]).rstrip())
    lines += _named("Not held", (o for o in report.outcomes if not o.held))
    lines += _named("Not stopped, since this sandbox is no boundary", (o for o in report.outcomes if o.not_stopped))
    failed = [(o.id, c.what) for o in report.outcomes for c in o.controls if c.succeeded is False]
    if failed:
        lines += ["", "Controls in which an attack did not get through, so it shows nothing:"]
        lines += [f"  {name}: {what}" for name, what in failed]
    untried = [f"  {o.id}: {c.what}: {c.reason}" for o in report.outcomes for c in o.controls if c.succeeded is None]
    if untried:
        lines += ["", "Controls that could not be tried here:", *map(printable, untried)]
    if report.left:
        lines += ["", "Left behind:", *(f"  {printable(each)}" for each in report.left)]
    lines += [f"\nnote: {printable(note)}" for note in report.notes]
    lines += ["", "All held." if report.held else "Something did not hold."]
    return "\n".join(lines) + "\n"


def _cells(row: list[str], widths: list[int]) -> Iterable[tuple[int, tuple[str, int]]]:
    return enumerate(zip(row, widths, strict=True))


def _row(label: str, outcomes: Iterable[AttackOutcome], *, controls: bool) -> list[str]:
    listed = list(outcomes)
    total = len(listed)
    row = [label, str(total)]
    for column in _COLUMNS:
        count = sum(map(_COUNTED[column], listed))
        row.append(f"{count}/{total}" if column != "not stopped" else str(count))
    if controls:
        ran = [c.succeeded for outcome in listed for c in outcome.controls if c.succeeded is not None]
        row.append(f"{sum(ran)}/{len(ran)}")
    return row


def _named(title: str, outcomes: Iterable[AttackOutcome]) -> list[str]:
    lines: list[str] = []
    for outcome in outcomes:
        words = [column for column in _COLUMNS if _COUNTED[column](outcome)]
        lines.append(f"  {outcome.id} ({', '.join(words)}): {outcome.tries}")
        lines += [f"    - {printable(note)}" for note in outcome.notes]
    return ["", f"{title}:", *lines] if lines else []
