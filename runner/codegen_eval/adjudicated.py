"""Precision, recall and the catch matrix from what people said of a run's solutions. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import TypeAlias

from codegen_eval.adjudication import RULED_CLASSES, Adjudication, Adjudications, Ruling, up_for_ruling
from codegen_eval.answers import Spent, is_caught, is_flagged
from codegen_eval.results import Results, ScoredSolution
from codegen_eval.stats import Stratum, share, share_interval, wilson
from codegen_eval.verdict import SEEDED_CLASSES, FailureClass


@dataclass(frozen=True, slots=True, kw_only=True)
class TrueCatch:
    """True failures of one class among the adjudicated solutions, and what a layer made of them."""

    failure_class: FailureClass
    caught: int
    right: int
    """Of the caught: a finding names the class."""
    true: int


@dataclass(frozen=True, slots=True, kw_only=True)
class LayerRuling:
    """What adjudication says of one layer."""

    layer: str
    flags: int
    """Solutions that it flags."""
    ruled: int
    """Of these, those of which a person said true or false."""
    true: int
    """Of these, those that have a failure."""
    recall: float | None
    """Estimated share of all true failures that it flags; None where too little is adjudicated."""
    recall_interval: tuple[float, float] | None
    catch: tuple[TrueCatch, ...]
    """A solution with several classes counts in each."""

    @property
    def precision(self) -> float | None:
        """True ones among its flags that were ruled on; None where none was."""
        return self.true / self.ruled if self.ruled else None

    @property
    def precision_interval(self) -> tuple[float, float] | None:
        """95 % interval of the precision (Wilson)."""
        return wilson(self.true, self.ruled)


@dataclass(frozen=True, slots=True, kw_only=True)
class AdjudicatedScore:
    """What adjudication says of a run. `unsure` counts in nothing but its own number."""

    flagged: int
    """Solutions that some layer flags."""
    flagged_ruled: int
    unflagged: int
    unflagged_ruled: int
    unsure: int
    true: int
    """Solutions with a true failure, among those that were ruled on."""
    missed: int
    """Of these, those that no layer flags."""
    failures: float | None
    """Estimate of the true failures in the whole run; None where too little is adjudicated."""
    usd_per_caught: Decimal | None
    """What one true failure that some layer flags cost, with all answers; None where none is, or nothing was paid."""
    layers: tuple[LayerRuling, ...]


def score_adjudications(results: Results, adjudications: Adjudications) -> AdjudicatedScore | None:
    """Count and estimate; None where nobody said anything.

    Flagged solutions are ruled on all, or in a random order as far as a person got, and the others are a random sample.
    So the solutions fall into strata, each of which is represented by its ruled ones: flagged by the layer, flagged by
    other layers only, flagged by none. Recall is a ratio of stratified expansion estimates, N_h t_h / n_h summed over
    strata: W. G. Cochran, "Sampling Techniques" (3rd ed. 1977), 5.3 and 5.11. Its interval is that of `share_interval`.
    """
    if not adjudications.entries:
        return None
    known = adjudications.by_solution()
    candidates = up_for_ruling(results)
    flagged = [s for s in candidates if is_caught(s)]
    others = [s for s in candidates if not is_caught(s)]
    ruled = [s for s in candidates if _ruling(s, known) is not None]
    whole = [_stratum(flagged, known), _stratum(others, known)]
    caught = sum(bool(_ruling(s, known)) for s in flagged)
    spent = Spent.on(call for s in results.solutions for call in s.solution.calls)
    return AdjudicatedScore(
        flagged=len(flagged),
        flagged_ruled=whole[0].ruled,
        unflagged=len(others),
        unflagged_ruled=whole[1].ruled,
        unsure=sum(entry.ruling is Ruling.UNSURE for entry in adjudications.entries),
        true=caught + whole[1].true,
        missed=whole[1].true,
        failures=sum(h.estimate for h in whole) if all(h.is_represented for h in whole) else None,
        usd_per_caught=spent.per(caught) if spent.calls else None,
        layers=tuple(_score(layer, flagged, others, ruled, known) for layer in results.layers),
    )


Known: TypeAlias = Mapping[str, Adjudication]


def _ruling(scored: ScoredSolution, known: Known) -> bool | None:
    entry = known.get(scored.solution.id)
    return None if entry is None or entry.ruling is Ruling.UNSURE else entry.ruling is Ruling.TRUE


def _stratum(solutions: Sequence[ScoredSolution], known: Known) -> Stratum:
    said = [ruling for s in solutions if (ruling := _ruling(s, known)) is not None]
    return Stratum(size=len(solutions), ruled=len(said), true=sum(said))


def _score(
    layer: str,
    flagged: Sequence[ScoredSolution],
    others: Sequence[ScoredSolution],
    ruled: Iterable[ScoredSolution],
    known: Known,
) -> LayerRuling:
    own = [s for s in flagged if is_flagged(s, layer)]
    elsewhere = [s for s in flagged if not is_flagged(s, layer)]
    first, rest = _stratum(own, known), (_stratum(elsewhere, known), _stratum(others, known))
    return LayerRuling(
        layer=layer,
        flags=first.size,
        ruled=first.ruled,
        true=first.true,
        recall=share(first, rest),
        recall_interval=share_interval(first, rest),
        catch=_catch(layer, ruled, known),
    )


def _catch(layer: str, ruled: Iterable[ScoredSolution], known: Known) -> tuple[TrueCatch, ...]:
    true, caught, right = Counter[FailureClass](), Counter[FailureClass](), Counter[FailureClass]()
    for scored in ruled:
        fails = is_flagged(scored, layer)
        for failure_class in known[scored.solution.id].classes:
            true[failure_class] += 1
            caught[failure_class] += fails
            right[failure_class] += fails and scored.result(layer).names(failure_class)
    shown = [c for c in RULED_CLASSES if c in SEEDED_CLASSES or true[c]]
    return tuple(TrueCatch(failure_class=c, caught=caught[c], right=right[c], true=true[c]) for c in shown)
