"""The llm_review layer: an independent model reads the solution and claims, per failure class, what is wrong with it.

This is the seam: the prompt, the structured verdict and the layer. Without a reviewer the layer is skipped.
"""

from __future__ import annotations

import re
from typing import Protocol

from pydantic import Field

from codegen_eval.frozen import Frozen
from codegen_eval.solution import Solution
from codegen_eval.task import Task
from codegen_eval.template import prompt_templates
from codegen_eval.verdict import SEEDED_CLASSES, FailureClass, Finding, LayerResult, Verdict

_SHORTEST_FENCE = 3


class Claim(Frozen):
    """One thing that a reviewer says is wrong."""

    failure_class: FailureClass = Field(alias="class")
    summary: str = Field(max_length=500)
    failing_input: str | None = Field(default=None, max_length=2000)
    """Arguments as Python literals on which the solution is claimed to fail."""


class Review(Frozen):
    """A reviewer's whole answer: a claim for each class it finds, or none."""

    claims: tuple[Claim, ...] = Field(max_length=20)


class Reviewer(Protocol):
    """A model that reviews."""

    def review(self, task: Task, solution: Solution) -> Review:
        """Return what the model claims when it is shown `render_review(task, solution)`.

        Raises:
            ModelError: it gave no answer, or none of the form asked for.
        """


def render_review(task: Task, solution: Solution) -> str:
    """Return the prompt that asks for a review.

    The source stands in a fence of backticks that is longer than any run of them in it, so that it can't close the
    fence and speak outside.
    """
    longest = max(map(len, re.findall(r"`+", solution.source)), default=0)
    text = (
        prompt_templates()
        .get_template("llm_review.j2")
        .render(
            text=task.text,
            source=solution.source.removesuffix("\n"),
            fence="`" * max(_SHORTEST_FENCE, longest + 1),
            classes=[each.value for each in SEEDED_CLASSES],
        )
    )
    return text.rstrip("\n") + "\n"


class LlmReview:
    """Fail a solution for what an independent reviewer claims."""

    name = "llm_review"

    def __init__(self, reviewer: Reviewer | None = None) -> None:
        self._reviewer = reviewer

    def run(self, task: Task, solution: Solution) -> LayerResult:
        """Judge one solution; SKIP where there is no reviewer."""
        if self._reviewer is None:
            return LayerResult(layer=self.name, verdict=Verdict.SKIP, reason="no reviewer is configured")
        review = self._reviewer.review(task, solution)
        findings = tuple(
            Finding(failure_class=claim.failure_class, message=ascii(claim.summary)[1:-1], input=claim.failing_input)
            for claim in review.claims
        )
        verdict = Verdict.FAIL if findings else Verdict.PASS
        return LayerResult(layer=self.name, verdict=verdict, findings=findings)
