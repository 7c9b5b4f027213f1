"""The prompt that asks for a review."""

from __future__ import annotations

import re

from codegen_eval.review.claim import MAX_CLAIMS
from codegen_eval.solution import Solution
from codegen_eval.task import Task
from codegen_eval.template import prompt_templates
from codegen_eval.verdict import SEEDED_CLASSES

_SHORTEST_FENCE = 3
_MEANINGS: dict[str, str] = {
    "wrong-logic": "the result is wrong on ordinary input",
    "missed-edge-case": "ordinary input works, an edge that the task names or implies does not",
    "insecure-pattern": "untrusted input reaches an interpreter, shell, query or path; weak secrets",
    "silent-type-error": "a value of the wrong type is returned or accepted without an error",
    "performance-trap": "right, and far slower than it need be on large input",
}


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
            classes=[(each.value, _MEANINGS[each.value]) for each in SEEDED_CLASSES],
            most=MAX_CLAIMS,
        )
    )
    return text.rstrip("\n") + "\n"


def render_correction(prompt: str, problem: str) -> str:
    """Return the prompt once more, with what was wrong with the form of an answer to it."""
    return (
        f"{prompt}\nAn earlier answer to this did not have the form asked for ({problem}). "
        "Answer again, with one call of the tool and nothing else.\n"
    )
