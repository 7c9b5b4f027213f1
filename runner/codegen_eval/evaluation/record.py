"""What an evaluation found: the summary, and the line of each sample."""

from __future__ import annotations

from pathlib import Path

from pydantic import Field, model_validator

from codegen_eval.fault import Fault
from codegen_eval.frozen import FormatOne, Frozen
from codegen_eval.json_file import keys_of, load_json
from codegen_eval.samples import Coverage
from codegen_eval.verdict import Finding, Verdict

from .pass_at_k import PassAtK

MAX_SAMPLES = 20_000_000
"""Of one evaluation, so that a summary somebody made up costs no memory."""


class LayerLine(Frozen):
    """What one layer said of one sample."""

    layer: str
    verdict: Verdict
    reason: str | None = None
    findings: tuple[Finding, ...] = ()


class SampleLine(Frozen):
    """One judged sample."""

    task_id: str
    index: int
    """Among the samples of its problem."""
    origin: str
    """File and line, or file."""
    rule: str
    """How the program was made of the sample."""
    extraction: str | None = None
    passed: bool
    """The problem's own tests pass. What other layers say stands beside."""
    layers: tuple[LayerLine, ...]


class Excluded(Frozen):
    """A problem that counts in no score."""

    problem: str
    reason: str


class LayerAdds(Frozen):
    """What a layer said of the samples that pass the problem's own tests."""

    layer: str
    judged: int = Field(ge=0)
    """It passed or failed them."""
    rejected: int = Field(ge=0)

    @model_validator(mode="after")
    def _adds_up(self) -> LayerAdds:
        if self.rejected > self.judged:
            raise ValueError("more samples are rejected than judged")
        return self


class RuleLoss(Frozen):
    """Failing samples that would pass as the program of another rule."""

    rule: str
    tried: int = Field(ge=0)
    would_pass: int = Field(ge=0)

    @model_validator(mode="after")
    def _adds_up(self) -> RuleLoss:
        if self.would_pass > self.tried:
            raise ValueError("more samples would pass than were tried")
        return self


class ProblemScore(Frozen):
    """One problem."""

    problem: str
    samples: int = Field(ge=0, le=MAX_SAMPLES)
    passed: int = Field(ge=0)
    base_passed: int | None = Field(default=None, ge=0)
    """Of the tests of the original set, where there are added ones."""
    known_bad: str | None = None

    @model_validator(mode="after")
    def _adds_up(self) -> ProblemScore:
        if max(self.passed, self.base_passed or 0) > self.samples:
            raise ValueError("more samples pass than there are")
        return self


class Evaluation(Frozen):
    """The summary of an evaluation."""

    format: FormatOne = 1
    dataset: str
    dataset_sha256: str
    layers: tuple[str, ...]
    coverage: Coverage
    limit: int | None = None
    """Most samples that were judged, where not all were to be."""
    references: int = Field(ge=0)
    """Problems whose canonical solution was run."""
    references_passed: int = Field(ge=0)
    excluded: tuple[Excluded, ...]
    scored_samples: int = Field(ge=0)
    """Of problems that count."""
    errors: int = Field(ge=0)
    """Of these, samples on which something of ours broke; they count as not passed."""
    pass_at_k: tuple[PassAtK, ...]
    base_pass_at_k: tuple[PassAtK, ...] = ()
    """By the tests of the original set alone, where there are added ones."""
    adds: tuple[LayerAdds, ...]
    losses: tuple[RuleLoss, ...] = ()
    """Which failures another rule of reading the sample would have saved, where that was asked."""
    problems: tuple[ProblemScore, ...]
    fault_count: int = Field(ge=0)
    faults: tuple[Fault, ...] = Field(default=())

    @model_validator(mode="after")
    def _adds_up(self) -> Evaluation:
        if sum(one.samples for one in self.problems) != self.scored_samples:
            raise ValueError("its problems have another number of samples than it says")
        if self.scored_samples > MAX_SAMPLES:
            raise ValueError(f"more than {MAX_SAMPLES} samples")
        return self


def is_evaluation(path: Path) -> bool:
    """Say whether a JSON file is the summary of an evaluation rather than the results of a run.

    Raises:
        ResultsError: it can't be read, or is no strict JSON.
    """
    return "pass_at_k" in keys_of(path)


def load_evaluation(path: Path) -> Evaluation:
    """Read an `evaluated.json` that anybody may have written.

    Raises:
        ResultsError: it is missing, too large, or no summary of an evaluation; says what and where.
    """
    return load_json(path, Evaluation)
