"""HumanEval: a prompt that is continued, and a `check` that gets the function.

One record: `task_id`, `prompt`, `entry_point`, `canonical_solution` (a body), `test`.
"""

from __future__ import annotations

from codegen_eval.lexis import defined_names, text_before

from .fields import BadRecordError, Fields
from .problem import CheckTests, Problem, PromptForm
from .suite import check_suite, count_asserts, used_names


def read_humaneval(fields: Fields, line: int) -> tuple[Problem, CheckTests]:
    """Return the problem of one record.

    Raises:
        BadRecordError: it is no record of this set.
    """
    return continued(fields, line, "humaneval"), check_suite(fields.text("test"))


def continued(fields: Fields, line: int, dataset: str, *, prompt_key: str = "prompt") -> Problem:
    """Return a problem whose prompt is the beginning of the program, with a `check` as its test.

    Raises:
        BadRecordError: it is no record of this form.
    """
    prompt, entry_point = fields.text(prompt_key), fields.name("entry_point")
    canonical = prompt + fields.text("canonical_solution")
    test = fields.text("test")
    return Problem(
        dataset=dataset,
        id=fields.id("task_id"),
        line=line,
        prompt=prompt,
        form=PromptForm.CODE,
        entry_point=entry_point,
        preamble=helpers_of(prompt, entry_point),
        canonical=canonical,
        test_form="check",
        test_count=count_asserts(test),
        uses=used_names(canonical, entry_point, test),
    )


def helpers_of(prompt: str, entry_point: str) -> str:
    """Return the imports and helper functions that stand before the entry point in a prompt.

    Raises:
        BadRecordError: the prompt doesn't begin the entry point.
    """
    if entry_point not in defined_names(prompt):
        raise BadRecordError(f"`prompt` does not define `{entry_point}`, its `entry_point`")
    return text_before(prompt, entry_point)
