"""Values for tests: keyword-only, everything defaulted, so that a test shows only what matters."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal

from codegen_eval.interfaces import EndReason
from codegen_eval.results import Results, ScoredSolution, Truth
from codegen_eval.solution import Call, Outcome, Solution, Strategy
from codegen_eval.task import Case, PerformanceCase, Property, Task, TaskText
from codegen_eval.verdict import CheckedClaim, ClaimOutcome, FailureClass, Finding, LayerResult, Verdict, combine


def make_finding(
    *,
    failure_class: FailureClass = FailureClass.WRONG_LOGIC,
    message: str = "wrong value",
    check: str | None = None,
    line: int | None = None,
    ended: EndReason | None = None,
) -> Finding:
    """Return a finding."""
    return Finding(failure_class=failure_class, message=message, check=check, line=line, ended=ended)


def make_layer_result(
    *,
    layer: str = "unit",
    verdict: Verdict = Verdict.PASS,
    classes: tuple[FailureClass, ...] = (),
    ended: EndReason | None = None,
    claims: tuple[CheckedClaim, ...] = (),
    calls: tuple[Call, ...] = (),
) -> LayerResult:
    """Return a layer's result, with one finding for each class; a FAIL has at least one."""
    if verdict is Verdict.FAIL and not classes:
        classes = (FailureClass.WRONG_LOGIC,)
    findings = tuple(make_finding(failure_class=c, ended=ended) for c in classes)
    reason = None if verdict in {Verdict.PASS, Verdict.FAIL} else "for some reason"
    return LayerResult(layer=layer, verdict=verdict, findings=findings, reason=reason, claims=claims, calls=calls)


def make_claim(
    *, failure_class: FailureClass = FailureClass.WRONG_LOGIC, outcome: ClaimOutcome = ClaimOutcome.CONFIRMED
) -> CheckedClaim:
    """Return one claim of a reviewer, executed."""
    return CheckedClaim(
        failure_class=failure_class, summary="it is wrong", input="[1]", outcome=outcome, reason="it was run"
    )


def make_call(
    *,
    turn: int = 0,
    input_tokens: int = 100,
    output_tokens: int = 50,
    cached_tokens: int = 0,
    estimated: bool = True,
    usd: str | None = "0.001",
) -> Call:
    """Return one exchange with a model."""
    price = None if usd is None else Decimal(usd)
    return Call(
        turn=turn,
        input_tokens=input_tokens,
        output_tokens=output_tokens,
        cached_tokens=cached_tokens,
        estimated=estimated,
        usd=price,
    )


def make_solution(
    *,
    task: str = "fizzbuzz",
    strategy: Strategy | None = Strategy.BARE,
    id: str | None = None,  # noqa: A002 - the field's name
    source: str = "def fizzbuzz(n):\n    return []\n",
    model: str = "mock",
    sample: int = 0,
    outcome: Outcome = Outcome.OK,
    draft_of: str | None = None,
    calls: tuple[Call, ...] = (),
) -> Solution:
    """Return a solution; its id follows from task, strategy, sample and being a draft unless given."""
    sampled = f"#{sample}" if sample else ""
    made = f"{task}/{strategy.value if strategy else 'own'}{sampled}{'~draft' if draft_of else ''}"
    return Solution(
        id=made if id is None else id,
        task=task,
        strategy=strategy,
        model=model,
        sample=sample,
        source=source,
        outcome=outcome,
        draft_of=draft_of,
        calls=calls,
    )


def make_scored(
    *, solution: Solution | None = None, layers: tuple[LayerResult, ...] = (make_layer_result(),)
) -> ScoredSolution:
    """Return a solution with what the layers said; the verdict follows."""
    verdict = combine(result.verdict for result in layers)
    return ScoredSolution(solution=solution or make_solution(), verdict=verdict, layers=layers)


def make_results(
    *,
    solutions: tuple[ScoredSolution, ...] = (),
    layers: tuple[str, ...] = ("unit",),
    truth: Mapping[str, FailureClass] | None = None,
    corpus: str | None = None,
    models: tuple[str, ...] = (),
    drafts: tuple[ScoredSolution, ...] = (),
) -> Results:
    """Return the results of a run over these solutions; has truth where `truth` is given."""
    return Results(
        format=1,
        seed=0,
        max_mutants=20,
        tasks=tuple(sorted({s.solution.task for s in solutions})),
        strategies=tuple(x for x in Strategy if any(s.solution.strategy is x for s in solutions)),
        layers=layers,
        models=models,
        corpus=corpus,
        drafts=drafts,
        solutions=solutions,
        has_truth=truth is not None,
        truth={i: Truth(failure_class=c, summary=f"{c.value} in {i}") for i, c in (truth or {}).items()},
    )


def make_task(
    *,
    id: str = "double",  # noqa: A002 - the field's name
    entry_point: str = "double",
    cases: tuple[Case, ...] = (Case("two", (2,), 4, aimed_at=FailureClass.WRONG_LOGIC),),
    performance: tuple[PerformanceCase, ...] = (),
    properties: tuple[Property, ...] = (),
    reference: str = "def double(n):\n    return 2 * n\n",
) -> Task:
    """Return a task about doubling a number."""
    text = TaskText(
        entry_point=entry_point,
        signature=f"def {entry_point}(n: int) -> int:",
        summary="Double a number",
        statement="Return twice the number.",
        constraints=("The answer is an int.",),
        edge_cases=("0 gives 0.",),
    )
    return Task(
        id=id,
        text=text,
        cases=cases,
        performance=performance,
        properties=properties,
        reference=reference,
        digest="0" * 64,
    )
