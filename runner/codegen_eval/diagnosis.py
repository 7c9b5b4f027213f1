"""What is installed here, which sandbox would be used and why, and what to do about each complaint."""

from __future__ import annotations

import platform
import secrets

from codegen_eval.errors import CodegenEvalError, InputError
from codegen_eval.frozen import Frozen
from codegen_eval.layers.lint import find_tools
from codegen_eval.run_record import versions
from codegen_eval.sandbox.attestation import Attestation, Outcome
from codegen_eval.sandbox.bwrap import probe_bwrap
from codegen_eval.sandbox.choice import NAMES, Wish, choose_sandbox
from codegen_eval.sandbox.probe import probe_docker
from codegen_eval.sandbox.prober import MEMORY_MIB, SANDBOXES, attest
from codegen_eval.sandbox.survey import look_around


class Complaint(Frozen):
    """Something that is missing or weaker than it should be."""

    about: str
    problem: str
    hint: str | None = None


class Diagnosis(Frozen):
    """Everything that doctor looks at."""

    versions: dict[str, str]
    sandbox: str
    """The sandbox that a run would use; empty where there is none."""
    why: str
    isolated: bool
    """True where that sandbox is a security boundary."""
    facts: dict[str, str]
    complaints: tuple[Complaint, ...]
    attestation: Attestation | None = None
    """What trying its limits showed; None where there is no sandbox, or nobody asked."""

    @property
    def sound(self) -> bool:
        """There is a boundary, and no limit that it promises was seen to fail."""
        return self.isolated and not (self.attestation and self.attestation.broken)


def diagnose(sandbox: str, runtime: str | None, *, quick: bool = False) -> Diagnosis:
    """Try what a run would do: choose a sandbox, start one, and, unless it has to be `quick`, try its limits.

    Raises:
        InputError: there is no sandbox of that name.
    """
    if sandbox not in NAMES:
        raise InputError(f"unknown sandbox `{sandbox}`", hint=f"the sandboxes are {', '.join(NAMES)}")
    complaints = [*_about_sandboxes(sandbox, runtime), *_about_tools()]
    attestation = None
    name, why, isolated, facts = "", "", False, {"platform": platform.platform()}
    try:
        choice = choose_sandbox(
            Wish(
                name=sandbox,
                runtime=runtime,
                memory_mib=MEMORY_MIB,
                expected=1 if quick else 1 + SANDBOXES,
                allow_unsafe=True,
            ),
            run_id=secrets.token_hex(8),
        )
    except CodegenEvalError as exc:
        complaints.append(Complaint(about="sandbox", problem=exc.message, hint=exc.hint))
    else:
        try:
            choice.provider.open().close()
            told = choice.provider.facts()
            name, isolated = told.name, told.isolated
            facts |= {"sandbox_python": told.python} | dict(told.details)
            why = choice.warning or "it is a security boundary, and a sandbox was started to see that it works"
            if not quick:
                attestation = attest(choice.provider, look_around(choice.provider, runtime=runtime), runtime=runtime)
        except CodegenEvalError as exc:
            complaints.append(Complaint(about="sandbox", problem=exc.message, hint=exc.hint))
        finally:
            choice.provider.close()
    if not isolated:
        problem, hint = "there is no isolated sandbox", "see why above; until then only the shipped corpus runs unasked"
        if sandbox == "subprocess":
            problem, hint = "the one asked for is not isolated", "`evalrun doctor` looks for one that is"
        complaints.append(Complaint(about="sandbox", problem=problem, hint=hint))
    return Diagnosis(
        versions=versions(),
        sandbox=name,
        why=why,
        isolated=isolated,
        facts=facts,
        complaints=tuple(complaints),
        attestation=attestation,
    )


def _about_sandboxes(sandbox: str, runtime: str | None) -> list[Complaint]:
    """Say what stands against the sandboxes that this choice may mean."""
    complaints: list[Complaint] = []
    report = probe_docker(runtime=runtime)
    if sandbox in {"auto", "docker"}:
        if report.problem is not None:
            complaints.append(Complaint(about="docker", problem=report.problem, hint=report.hint))
        complaints += [Complaint(about="docker", problem=warning) for warning in report.warnings]
    if sandbox == "bwrap" or (sandbox == "auto" and runtime is None and report.problem is not None):
        bwrap = probe_bwrap()
        if bwrap.problem is not None:
            complaints.append(Complaint(about="bwrap", problem=bwrap.problem, hint=bwrap.hint))
        complaints += [Complaint(about="bwrap", problem=warning) for warning in bwrap.warnings]
    return complaints


def _about_tools() -> list[Complaint]:
    """Say which tools of the lint layer are missing."""
    found = {tool.name for tool in find_tools()}
    return [
        Complaint(about=name, problem="not found: lint goes without its annotations", hint=f"pip install {name}")
        for name in ("bandit", "ruff")
        if name not in found
    ]


def render_diagnosis(diagnosis: Diagnosis) -> str:
    """Return a diagnosis for people."""
    lines = [f"{name:16} {value}" for name, value in diagnosis.versions.items()]
    lines += ["", f"sandbox          {diagnosis.sandbox or 'none'}", f"because          {diagnosis.why or 'see below'}"]
    lines += [f"  {name:14} {value}" for name, value in diagnosis.facts.items()]
    lines.append("")
    for complaint in diagnosis.complaints:
        lines.append(f"! {complaint.about}: {complaint.problem}")
        if complaint.hint:
            lines.append(f"  hint: {complaint.hint}")
    if not diagnosis.complaints:
        lines.append("no complaints")
    if diagnosis.attestation is not None:
        lines += ["", *_attestation_lines(diagnosis.attestation)]
    return "\n".join(lines) + "\n"


def _attestation_lines(attestation: Attestation) -> list[str]:
    """Return the table of limits, and what to do about those that don't bite."""
    wide = max(len(each.limit) for each in attestation.limits)
    long = max(len(outcome) for outcome in Outcome)
    lines = [f"{'limit':{wide}}  {'outcome':{long}}  seen"]
    for each in attestation.limits:
        mark = "!" if each.outcome is Outcome.DOES_NOT_BITE else " "
        lines.append(f"{each.limit:{wide}} {mark}{each.outcome:{long}}  {each.seen}")
        if each.to_do:
            lines.append(f"{'':{wide}}  hint: {each.to_do}")
    told = [f"{outcome.value}: {count}" for outcome in Outcome if (count := attestation.counts()[outcome.name.lower()])]
    return [*lines, f"{len(attestation.limits)} limits of the {attestation.sandbox} sandbox; {', '.join(told)}"]
