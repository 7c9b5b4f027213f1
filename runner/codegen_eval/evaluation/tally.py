"""Counts what is judged, problem by problem; holds no sample."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from codegen_eval.datasets import Problem
from codegen_eval.pipeline import Judged
from codegen_eval.references import why_excluded
from codegen_eval.verdict import LayerResult, Verdict

from .pass_at_k import PassAtK, estimate
from .record import Excluded, LayerAdds, ProblemScore
from .words import passes_base


class Tally:
    """Counts the samples of one evaluation."""

    def __init__(self, problems: Mapping[str, Problem], layers: Sequence[str]) -> None:
        self._problems = problems
        self._layers = tuple(layers)
        self.excluded: dict[str, str] = {}
        """Problems that count in no score, with the reason."""
        self.references = self.references_passed = 0
        self._samples: Counter[str] = Counter()
        self._passed: Counter[str] = Counter()
        self._base: Counter[str] = Counter()
        self._errors: Counter[str] = Counter()
        self._judged: Counter[tuple[str, str]] = Counter()
        self._rejected: Counter[tuple[str, str]] = Counter()

    def add_reference(self, problem: str, result: LayerResult) -> None:
        """Count a canonical solution; one that does not pass excludes its problem."""
        self.references += 1
        if result.verdict is Verdict.PASS:
            self.references_passed += 1
            return
        self.excluded[problem] = why_excluded(result)

    def add(self, judged: Judged) -> bool:
        """Count a sample; say whether it passes the problem's own tests."""
        problem, unit = judged.solution.task, judged.results["unit"]
        passed = unit.verdict is Verdict.PASS
        self._samples[problem] += 1
        self._passed[problem] += passed
        self._base[problem] += passes_base(unit)
        self._errors[problem] += any(result.verdict is Verdict.ERROR for result in judged.results.values())
        for layer in self._layers:
            verdict = judged.results[layer].verdict
            if passed and layer != "unit" and verdict in {Verdict.PASS, Verdict.FAIL}:
                self._judged[problem, layer] += 1
                self._rejected[problem, layer] += verdict is Verdict.FAIL
        return passed

    @property
    def has_base(self) -> bool:
        """Say whether the tests of an original set can be told from added ones."""
        return any(problem.test_form == "inputs" for problem in self._problems.values())

    @property
    def scored_samples(self) -> int:
        """Samples of problems that count."""
        return sum(count for problem, count in self._samples.items() if problem not in self.excluded)

    @property
    def errors(self) -> int:
        """Of these, samples on which something of ours broke."""
        return sum(count for problem, count in self._errors.items() if problem not in self.excluded)

    def estimates(self, ks: Sequence[int], *, base: bool = False) -> tuple[PassAtK, ...]:
        """Return pass@k for each k that some problem has answers for."""
        right = self._base if base else self._passed
        counts = [(self._samples[name], right[name]) for name in self._scored()]
        found = (estimate(counts, k) for k in ks)
        return tuple(one for one in found if one is not None)

    def adds(self) -> tuple[LayerAdds, ...]:
        """Return what each layer said of what passes the problem's own tests."""
        return tuple(
            LayerAdds(
                layer=layer,
                judged=sum(self._judged[name, layer] for name in self._scored()),
                rejected=sum(self._rejected[name, layer] for name in self._scored()),
            )
            for layer in self._layers
            if layer != "unit"
        )

    def problems(self) -> tuple[ProblemScore, ...]:
        """Return the score of each problem that has samples and counts, in the order of the set."""
        return tuple(
            ProblemScore(
                problem=name,
                samples=self._samples[name],
                passed=self._passed[name],
                base_passed=self._base[name] if self.has_base else None,
                known_bad=self._problems[name].known_bad,
            )
            for name in self._scored()
        )

    def exclusions(self) -> tuple[Excluded, ...]:
        """Return the problems that do not count, in the order of the set."""
        return tuple(
            Excluded(problem=name, reason=self.excluded[name]) for name in self._problems if name in self.excluded
        )

    def _scored(self) -> list[str]:
        return [name for name in self._problems if name in self._samples and name not in self.excluded]
