"""The summary of an evaluation for people."""

from __future__ import annotations

from codegen_eval.render.printable import printable

from .pass_at_k import PassAtK
from .record import Evaluation

_MOST_LISTED = 20


def render(found: Evaluation) -> str:
    """Return the summary as text."""
    seen = found.coverage
    only = (
        "" if found.limit is None or found.limit >= seen.samples else f", of which the first {found.limit} are judged"
    )
    lines = [
        f"{found.dataset}: {seen.samples} samples of {seen.sampled} of {seen.problems} problems{only}",
        f"reference pass rate {found.references_passed}/{found.references}",
    ]
    lines += [f"  excluded: {printable(one.problem)}: {printable(one.reason)}" for one in found.excluded[:_MOST_LISTED]]
    if len(found.excluded) > _MOST_LISTED:
        lines.append(f"  and {len(found.excluded) - _MOST_LISTED} more")
    lines += ["", f"scored: {found.scored_samples} samples of {len(found.problems)} problems"]
    if not found.problems:
        lines.append("there is no score: every problem that has samples is excluded")
    if found.errors:
        lines.append(f"errors of ours: {found.errors} samples, counted as not passed")
    lines += [f"  {_rate(one)}" for one in found.pass_at_k]
    if found.base_pass_at_k:
        lines.append("by the tests of the original set alone")
        lines += [f"  {_rate(one)}" for one in found.base_pass_at_k]
    if found.adds:
        lines += ["", "of what passes the problem's tests, rejected by"]
        lines += [f"  {one.layer:10} {one.rejected} of {one.judged}" for one in found.adds]
    if found.losses:
        lines += ["", "of what fails, passes as the program of another rule"]
        lines += [f"  {printable(one.rule):24} {one.would_pass} of {one.tried}" for one in found.losses]
    marked = [one for one in found.problems if one.known_bad]
    if marked:
        lines += ["", "known to be bad, and counted"]
        lines += [f"  {printable(one.problem)}: {printable(one.known_bad or '')}" for one in marked[:_MOST_LISTED]]
    if found.fault_count:
        lines += ["", f"{found.fault_count} lines could not be read"]
        lines += [f"  {fault}" for fault in found.faults[:_MOST_LISTED]]
    return "\n".join(lines) + "\n"


def _rate(one: PassAtK) -> str:
    return f"pass@{one.k:<4} {one.estimate:7.2%}  [{one.low:.1%}, {one.high:.1%}]  over {one.problems} problems"
