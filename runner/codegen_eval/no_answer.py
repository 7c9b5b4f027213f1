"""What the battery says where there is nothing to judge: a reply that was cut, refused, or holds no code.

No layer runs. The first one fails the solution, with a class of its own, so that it neither passes nor is taken for a
wrong one; the others are skipped. The solution's outcome says why.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from codegen_eval.solution import Outcome
from codegen_eval.verdict import FailureClass, Finding, LayerResult, Verdict

_WHY: Mapping[Outcome, str] = {
    Outcome.TRUNCATED: "the reply was cut, also with more room",
    Outcome.REFUSED: "the model, or a filter of its provider, refused to answer",
    Outcome.NO_CODE: "the reply holds no code",
}


def results_without_answer(outcome: Outcome, layers: Sequence[str]) -> dict[str, LayerResult]:
    """Return what each layer says of a solution that can't be judged."""
    finding = Finding(failure_class=FailureClass.NO_ANSWER, message=_WHY[outcome])
    results = {
        layer: LayerResult(layer=layer, verdict=Verdict.SKIP, reason="there is no answer to judge") for layer in layers
    }
    if layers:
        results[layers[0]] = LayerResult(layer=layers[0], verdict=Verdict.FAIL, findings=(finding,))
    return results
