"""The control: each attack where nothing stops it. One that does not get through there shows nothing.

Forgeries run against a naive harness, which is itself run inside a sandbox. Attacks on a limit run through the pipeline
in containers that lack this limit.
"""

from __future__ import annotations

import dataclasses
import secrets
from collections.abc import Sequence

from codegen_eval.attack import Attack, Control, NaiveStyle, attack_folder, fill
from codegen_eval.interfaces import Sandbox, WorkerLimits
from codegen_eval.judge.candidate import Candidate
from codegen_eval.judge.values import NotLoadedError, TamperingError, WorkerEndedError
from codegen_eval.lookout import Lookout
from codegen_eval.progress import Progress
from codegen_eval.sandbox.choice import choose_sandbox
from codegen_eval.sandbox.docker import DockerProvider
from codegen_eval.sandbox.engine import engine_is_local
from codegen_eval.sandbox.hardening import OptionValue, Weakening
from codegen_eval.selftest import Stage, attack_solution, attack_source, effects_in, judge
from codegen_eval.selftest_report import ControlOutcome, SelftestReport
from codegen_eval.task import Task
from codegen_eval.task_loader import find_task
from codegen_eval.verdict import Verdict

_ENTRY = "judge"
_CPU_SECONDS = 20.0
_WALL_SECONDS = 40.0
_WAITS = 6.5
"""Of the wall limit: a control that leaves out the limits of time gives a little more than that."""
_CHANCES = 3
"""A control shows what can happen; on a loaded machine a race may be lost once."""


def with_controls(
    report: SelftestReport, attacks: Sequence[Attack], stage: Stage, progress: Progress
) -> SelftestReport:
    """Return the report with the outcome of every control. Limits are left out in Docker only.

    Raises:
        UnsafeSandboxError, SandboxUnavailableError: there is no sandbox to run them in.
    """
    found: dict[str, list[ControlOutcome]] = {attack.id: [] for attack in attacks}
    with Lookout(len(attacks), wall_seconds=stage.timeout) as lookout:
        for name, outcome in _naive(attacks, stage, lookout, isolated=report.isolated).items():
            found[name].append(outcome)
    notes = list(report.notes)
    limited = [attack for attack in attacks if attack.control is not None]
    if limited and report.sandbox.startswith("docker"):
        for name, outcome in _without_limits(limited, stage, progress).items():
            found[name].append(outcome)
    elif limited:
        notes.append("limits are left out one by one in containers only: `evalrun selftest --sandbox docker --control`")
    outcomes = tuple(one.model_copy(update={"controls": tuple(found[one.id])}) for one in report.outcomes)
    return report.model_copy(update={"outcomes": outcomes, "notes": tuple(notes)})


# --- the naive harness ----------------------------------------------------------------------------------------------


def _naive(attacks: Sequence[Attack], stage: Stage, lookout: Lookout, *, isolated: bool) -> dict[str, ControlOutcome]:
    found: dict[str, ControlOutcome] = {}
    wish = dataclasses.replace(stage.wish, jobs=1, expected=1)
    provider = choose_sandbox(wish, run_id=secrets.token_hex(8)).provider
    sandbox: Sandbox | None = None
    try:
        for attack, token in zip(attacks, lookout.tokens, strict=True):
            if attack.naive is None or (attack.contained and not isolated):
                continue
            taken_in = False
            for _ in range(_CHANCES):
                if sandbox is None or sandbox.lost:
                    sandbox = provider.open()
                if taken_in := beats_naive(sandbox, attack, attack.naive, lookout.values(token)):
                    break
            what = f"naive harness, {attack.naive}"
            found[attack.id] = ControlOutcome(what=what, succeeded=taken_in)
    finally:
        if sandbox is not None:
            sandbox.close()
        provider.close()
    return found


def beats_naive(sandbox: Sandbox, attack: Attack, style: NaiveStyle, values: dict[str, str]) -> bool:
    """Say whether a naive harness of this style, run as if it were a solution, lets an attack pass."""
    task, _ = find_task(attack.task)
    candidate = Candidate(sandbox, _ENTRY, wall_seconds=_WALL_SECONDS)
    candidate.load((attack_folder() / "naive.py").read_text(encoding="utf-8"), WorkerLimits(cpu_seconds=_CPU_SECONDS))
    arguments = [style.value, attack_source(attack, values), _shown_tests(task), task.text.entry_point, task.reference]
    try:
        return candidate(*arguments, values["TOKEN"]) is True
    except (NotLoadedError, TamperingError, WorkerEndedError):
        return False
    finally:
        candidate.end()


def _shown_tests(task: Task) -> list[list[str]]:
    """Return arguments and expected values of the shown cases as source."""
    return [[repr(tuple(case.args)), repr(case.returns)] for case in task.cases if case.shown and case.raises is None]


# --- without a limit ------------------------------------------------------------------------------------------------


def _without_limits(attacks: Sequence[Attack], stage: Stage, progress: Progress) -> dict[str, ControlOutcome]:
    groups: dict[str, list[Attack]] = {}
    for attack in attacks:
        if attack.control is not None:
            groups.setdefault(attack.control.model_dump_json(), []).append(attack)
    found: dict[str, ControlOutcome] = {}
    for group in groups.values():
        found |= _group(group, stage, progress)
        if missed := [attack for attack in group if found[attack.id].succeeded is False]:
            found |= _group(missed, stage, progress)  # what is looked for may have come and gone between two looks
    return found


def _group(attacks: Sequence[Attack], stage: Stage, progress: Progress) -> dict[str, ControlOutcome]:
    """Run the attacks that get through without the same limits."""
    control = attacks[0].control
    if control is None:
        return {}
    if control.local and not engine_is_local():
        away = ControlOutcome(what=_left_out(control), succeeded=None, reason="the engine is on another machine")
        return dict.fromkeys((attack.id for attack in attacks), away)
    with Lookout(len(attacks), wall_seconds=stage.timeout, waits=_WAITS) as lookout:
        stage = dataclasses.replace(stage, timeout=control.slower * stage.timeout)
        tokens = {attack.id: token for attack, token in zip(attacks, lookout.tokens, strict=True)}
        provider = DockerProvider(
            run_id=secrets.token_hex(8),
            memory_mib=stage.wish.memory_mib,
            jobs=1,
            expected=len(attacks),
            weakening=weakening(control, lookout.secret_values(lookout.tokens[0])),
        )
        tasks = {attack.task: find_task(attack.task) for attack in attacks}
        solutions = [attack_solution(attack, lookout.values(tokens[attack.id])) for attack in attacks]
        judged = judge(solutions, tasks, provider, stage, progress, layers=control.layers)
        lookout.look_back()
        found: dict[str, ControlOutcome] = {}
        for attack in attacks:
            results = judged[attack.id].results.values()
            findings = [finding for result in results for finding in result.findings]
            seen = lookout.seen(tokens[attack.id])
            seen |= effects_in(attack, findings, lookout.secret_values(tokens[attack.id]))
            broken = [result.reason for result in results if result.verdict is Verdict.ERROR]
            found[attack.id] = ControlOutcome(
                what=_left_out(control),
                succeeded=None if broken else attack.effect in seen,
                reason=broken[0] if broken else None,
            )
    return found


def weakening(control: Control, values: dict[str, str]) -> Weakening:
    """Return what a control leaves out."""
    options: dict[str, OptionValue | None] = {}
    for name, value in control.options.items():
        if isinstance(value, dict):
            options[name] = {key: fill(v, values) if isinstance(v, str) else v for key, v in value.items()}  # type: ignore[assignment]  # one kind of value in each
        else:
            options[name] = tuple(fill(part, values) for part in value) if isinstance(value, tuple) else value
    return Weakening(options=options, guest=frozenset(control.guest), seccomp=control.seccomp, memory=control.memory)


def _left_out(control: Control) -> str:
    """Say what a control leaves out."""
    parts = [*control.options, *(f"the guest's {fence}" for fence in control.guest)]
    parts += ["the engine's seccomp"] if control.seccomp else []
    parts += ["the memory cap"] if control.memory else []
    parts += ["the time limits"] if control.slower > 1 else []
    return "without " + ", ".join(parts)
