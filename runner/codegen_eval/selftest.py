"""The self-test: the shipped attacks against a real sandbox, through the pipeline that judges every solution.

Beside each attack the reference of its task is judged, as an honest neighbour. What an attack did is told by its
verdict, by the marks that the lookout has seen, and by how its neighbours fared.
"""

from __future__ import annotations

import secrets
import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Self

import structlog

from codegen_eval.attack import LINGERING, Attack, Effect, attack_folder, fill
from codegen_eval.battery import LAYERS
from codegen_eval.errors import EnvironmentFaultError
from codegen_eval.events import Event
from codegen_eval.interfaces import EndReason, NoStore, Sandbox, SandboxFacts, SandboxProvider
from codegen_eval.judge.bench import CPU_SHARE, Settings
from codegen_eval.lookout import Lookout
from codegen_eval.pipeline import Judged, Pipeline, Plan
from codegen_eval.progress import Progress
from codegen_eval.sandbox.choice import Wish, choose_sandbox
from codegen_eval.selftest_report import AttackOutcome, SelftestReport
from codegen_eval.solution import Solution
from codegen_eval.task import Task
from codegen_eval.task_loader import find_task
from codegen_eval.verdict import Finding, LayerResult, Verdict, combine

_NEIGHBOUR = "#neighbour"
_SHOWN_CHARS = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class Stage:
    """What runs of attacks have in common."""

    wish: Wish
    jobs: int
    timeout: float


class Timeline:
    """Progress that remembers when each solution ran, and tells the lookout when an attack's sandbox was closed."""

    def __init__(self, inner: Progress, lookout: Lookout, tokens: Mapping[str, str]) -> None:
        self._inner = inner
        self._lookout = lookout
        self._tokens = tokens
        self._lock = threading.Lock()
        self.started: dict[str, float] = {}
        self.finished: dict[str, float] = {}

    def start(self, total: int) -> None:
        """Begin."""
        self._inner.start(total)

    def solution_started(self, solution: str) -> None:
        """Note the time."""
        with self._lock:
            self.started[solution] = time.monotonic()
        self._inner.solution_started(solution)

    def layer_finished(self, solution: str, layer: str, verdict: Verdict) -> None:
        """Pass it on."""
        self._inner.layer_finished(solution, layer, verdict)

    def solution_finished(self, solution: str, verdict: Verdict) -> None:
        """Note the time, and that nothing of it may be there from now on."""
        with self._lock:
            self.finished[solution] = time.monotonic()
        if solution in self._tokens:
            self._lookout.note_end(self._tokens[solution])
        self._inner.solution_finished(solution, verdict)

    def solution_recalled(self, solution: str) -> None:
        """Pass it on: nothing of it ran."""
        self._inner.solution_recalled(solution)

    def stop(self) -> None:
        """End."""
        self._inner.stop()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, exc: BaseException | None, tb: TracebackType | None) -> None:
        self.stop()

    def beside(self, neighbour: str, attacks: Sequence[Attack]) -> set[str]:
        """Return the attacks that ran at the same time as a neighbour, or as the last one before it."""
        begin, end = self.started.get(neighbour, 0.0), self.finished.get(neighbour, time.monotonic())
        earlier = [a.id for a in attacks if self.finished.get(a.id, end) <= begin]
        last = max(earlier, key=lambda name: self.finished[name], default=None)
        during = {
            a.id
            for a in attacks
            if a.id in self.started and self.started[a.id] < end and self.finished.get(a.id, end) > begin
        }
        return during | ({last} if last is not None else set())


class WatchedProvider:
    """A provider that remembers where the sandboxes of its subject had their folders."""

    def __init__(self, inner: SandboxProvider) -> None:
        self._inner = inner
        self.folders: set[Path] = set()

    @property
    def name(self) -> str:
        """The word on the command line."""
        return self._inner.name

    def open(self) -> Sandbox:
        """Open a sandbox."""
        sandbox = self._inner.open()
        self.folders.add(Path(sandbox.workdir).parent)
        return sandbox

    @property
    def not_removed(self) -> tuple[str, ...]:
        """What could not be removed."""
        return self._inner.not_removed

    def facts(self) -> SandboxFacts:
        """Say what these sandboxes are."""
        return self._inner.facts()

    def close(self) -> None:
        """Close the provider."""
        self._inner.close()


def run_selftest(
    attacks: Sequence[Attack], stage: Stage, lookout: Lookout, progress: Progress, *, root: Path | None = None
) -> SelftestReport:
    """Run attacks against the sandbox that was wished for; `lookout` has a token for each.

    Raises:
        UnsafeSandboxError, SandboxUnavailableError: there is no sandbox to run them in.
    """
    run_id = secrets.token_hex(8)
    choice = choose_sandbox(stage.wish, run_id=run_id)
    if choice.warning:
        structlog.get_logger().warning(Event.SANDBOX_CHOSEN, sandbox=choice.provider.name, warning=choice.warning)
    provider = WatchedProvider(choice.provider)
    try:
        facts = provider.facts()
    except BaseException:
        provider.close()
        raise
    tasks = {attack.task: find_task(attack.task) for attack in attacks}
    tokens = {attack.id: token for attack, token in zip(attacks, lookout.tokens, strict=True)}
    solutions: list[Solution] = []
    for attack in attacks:
        solutions.append(attack_solution(attack, lookout.values(tokens[attack.id]), root=root))
        solutions.append(_neighbour(attack, tasks[attack.task][0]))
    timeline = Timeline(progress, lookout, tokens)
    judged = judge(solutions, tasks, provider, stage, timeline)
    lookout.look_back()
    suspects: dict[str, list[str]] = {}
    for attack in attacks:
        honest = judged[attack.id + _NEIGHBOUR]
        if _overall(honest) is not Verdict.PASS:
            for name in timeline.beside(attack.id + _NEIGHBOUR, attacks):
                suspects.setdefault(name, []).append(_why(honest))
    outcomes = tuple(
        assess(
            attack,
            tuple(judged[attack.id].results.values()),
            effects=lookout.seen(tokens[attack.id]),
            values=lookout.secret_values(tokens[attack.id]),
            isolated=facts.isolated,
            disturbed=tuple(suspects.get(attack.id, ())),
        )
        for attack in attacks
    )
    runtime = f", {stage.wish.runtime}" if stage.wish.runtime else ""
    return SelftestReport(
        sandbox=facts.name + runtime,
        isolated=facts.isolated,
        python=facts.python,
        outcomes=outcomes,
        left=_left(provider, run_id),
    )


def judge(
    solutions: Sequence[Solution],
    tasks: Mapping[str, tuple[Task, Path]],
    provider: SandboxProvider,
    stage: Stage,
    progress: Progress,
    *,
    layers: tuple[str, ...] = LAYERS,
) -> dict[str, Judged]:
    """Run the pipeline on solutions, as `evalrun check` does, and close the provider."""
    settings = Settings(wall_seconds=stage.timeout, cpu_seconds=CPU_SHARE * stage.timeout)
    pipeline = Pipeline(
        Plan(layers=layers, settings=settings, jobs=stage.jobs, memory_mib=stage.wish.memory_mib),
        tasks={name: task for name, (task, _) in tasks.items()},
        task_folders={name: folder for name, (_, folder) in tasks.items()},
        provider=provider,
        store=NoStore(),
        progress=progress,
    )
    return pipeline.run(solutions)


def attack_source(attack: Attack, values: Mapping[str, str], *, root: Path | None = None) -> str:
    """Return the source of an attack, told where the lookout is."""
    path = (attack_folder() if root is None else root) / f"{attack.id}.py"
    return fill(path.read_text(encoding="utf-8"), dict(values))


def attack_solution(attack: Attack, values: Mapping[str, str], *, root: Path | None = None) -> Solution:
    """Return an attack as a solution to be judged."""
    source = attack_source(attack, values, root=root)
    return Solution(id=attack.id, task=attack.task, strategy=None, model="", source=source)


def _neighbour(attack: Attack, task: Task) -> Solution:
    return Solution(id=attack.id + _NEIGHBOUR, task=task.id, strategy=None, model="", source=task.reference)


def assess(
    attack: Attack,
    results: Sequence[LayerResult],
    *,
    effects: frozenset[Effect],
    values: Mapping[str, str],
    isolated: bool,
    disturbed: tuple[str, ...] = (),
) -> AttackOutcome:
    """Say what an attack came to, from what the layers said and what was seen."""
    by_layer = {result.layer: result for result in results}
    overall = combine(result.verdict for result in results)
    decisive = by_layer.get(attack.fails)
    if attack.fails == "mutation" and by_layer["unit"].verdict is Verdict.FAIL:
        decisive = by_layer["unit"]  # mutation is for what passes its cases
    broken = [result for result in results if result.verdict is Verdict.ERROR]
    failed = decisive is not None and decisive.verdict is Verdict.FAIL
    findings = [finding for result in results for finding in result.findings]
    seen = effects | effects_in(attack, findings, values)
    forged = overall is Verdict.PASS or not (failed or broken)
    misreported = failed and decisive is not None and not _said(attack, decisive.findings, by_layer)
    lingering = seen & LINGERING
    reached = seen - LINGERING - (frozenset() if attack.effect is Effect.LOST else {Effect.LOST})
    excused = attack.boundary and not isolated and bool(lingering or reached or disturbed)
    notes = [f"seen: {', '.join(sorted(seen))}"] if seen else []
    if forged or misreported:
        notes += [_shown(result) for result in results if result.verdict is not Verdict.SKIP]
    return AttackOutcome(
        id=attack.id,
        category=attack.category,
        tries=attack.tries,
        verdict=overall,
        forged=forged,
        escaped=bool(reached) and not excused,
        lingered=bool(lingering) and not excused,
        disturbed=bool(disturbed) and not excused,
        misreported=misreported and not excused,
        error="; ".join(f"{result.layer}: {result.reason}" for result in broken) or None,
        not_stopped=excused,
        notes=(*notes, *disturbed),
    )


def effects_in(attack: Attack, findings: Sequence[Finding], values: Mapping[str, str]) -> frozenset[Effect]:
    """Return the effects that show in what the layers found."""
    seen: set[Effect] = set()
    said = [text for finding in findings for text in (finding.actual, finding.message) if text is not None]
    telling = [values["SECRET"]]
    if attack.effect is Effect.ANSWER:
        telling.append(fill(attack.answer, dict(values)))
    if any(text in each for text in telling for each in said):
        seen.add(Effect.ANSWER)
    if any(finding.ended is EndReason.SANDBOX_LOST for finding in findings):
        seen.add(Effect.LOST)
    return frozenset(seen)


def _said(attack: Attack, findings: Sequence[Finding], by_layer: Mapping[str, LayerResult]) -> bool:
    if not attack.says or attack.fails not in by_layer:
        return True
    words = [f"{finding.failure_class} {finding.message} {finding.ended}" for finding in findings]
    return any(say in word for say in attack.says for word in words)


def _overall(judged: Judged) -> Verdict:
    return combine(result.verdict for result in judged.results.values())


def _why(judged: Judged) -> str:
    bad = [r for r in judged.results.values() if r.verdict in {Verdict.FAIL, Verdict.ERROR}]
    return "an honest neighbour did not pass: " + "; ".join(map(_shown, bad))


def _shown(result: LayerResult) -> str:
    findings = [f"{f.failure_class}: {f.message}" for f in result.findings[:2]]
    return f"{result.layer} {result.verdict} {result.reason or '; '.join(findings)}"[:_SHOWN_CHARS].rstrip()


def _left(provider: WatchedProvider, run_id: str) -> tuple[str, ...]:
    """Name what the sandboxes left: containers of the run, folders on this machine."""
    left = [f"container {name}" for name in provider.not_removed]
    if provider.name == "docker":
        from codegen_eval.sandbox.engine import Engine
        from codegen_eval.sandbox.hardening import LABEL_RUN

        engine = Engine()
        try:
            left += [f"container {found.id}" for found in engine.containers(f"{LABEL_RUN}={run_id}")]
        except EnvironmentFaultError as exc:
            left.append(f"unknown: the engine could not be asked ({exc.message})")
        finally:
            engine.close()
        return tuple(dict.fromkeys(left))
    return (*left, *(f"folder {path}" for path in sorted(provider.folders) if path.is_dir() and path != Path("/tmp")))  # noqa: S108
