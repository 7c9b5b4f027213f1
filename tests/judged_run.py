"""Runs in which some solutions are flagged, and what people say of them."""

from __future__ import annotations

from codegen_eval.adjudication import Adjudication, Adjudications, Ruling, digest_of
from codegen_eval.results import Results
from codegen_eval.verdict import SEEDED_CLASSES, FailureClass, Verdict
from factories import make_layer_result, make_results, make_scored, make_solution


def flagged_run(*flags: str) -> Results:
    """Return a run in which each solution is flagged by the layers whose first letters are given."""
    scored = tuple(
        make_scored(
            solution=make_solution(task=f"t{n:02}"),
            layers=tuple(
                make_layer_result(layer=layer, verdict=Verdict.FAIL if layer[0] in letters else Verdict.PASS)
                for layer in ("unit", "props")
            ),
        )
        for n, letters in enumerate(flags)
    )
    return make_results(solutions=scored, layers=("unit", "props"))


def say(value: Results, *rulings: tuple[int, Ruling]) -> Adjudications:
    """Return what was said of some solutions, by their numbers; true failures are of wrong logic."""
    return Adjudications(entries=tuple(entry(value, n, ruling) for n, ruling in rulings))


def entry(value: Results, number: int, ruling: Ruling, *classes: FailureClass) -> Adjudication:
    """Return what was said of one solution."""
    solution = value.solutions[number].solution
    given_classes = classes or ((SEEDED_CLASSES[0],) if ruling is Ruling.TRUE else ())
    return Adjudication(solution=solution.id, digest=digest_of(solution.source), ruling=ruling, classes=given_classes)
