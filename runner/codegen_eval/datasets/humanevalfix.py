"""HumanEvalFix (the Python part of HumanEvalPack): a function with a bug that a person put in, to be repaired.

One record: `task_id` (`Python/3`), `prompt`, `entry_point`, `canonical_solution` and `buggy_solution` (bodies), `test`
and `example_test`, which call `check` themselves. The model is shown the buggy function with its description, as in the
set's variant with docstrings; the other variant shows the very tests that decide.
"""

from __future__ import annotations

from .fields import Fields
from .humaneval import helpers_of
from .problem import CheckTests, Problem, PromptForm
from .suite import check_suite, count_asserts, used_names


def read_humanevalfix(fields: Fields, line: int) -> tuple[Problem, CheckTests]:
    """Return the problem of one record.

    Raises:
        BadRecordError: it is no record of this set.
    """
    prompt, entry_point = fields.text("prompt"), fields.name("entry_point")
    canonical = prompt + fields.text("canonical_solution")
    buggy = prompt + fields.text("buggy_solution")
    test = fields.text("test")
    problem = Problem(
        dataset="humanevalfix",
        id=fields.id("task_id"),
        line=line,
        prompt=f"{buggy.rstrip()}\n\n# The function `{entry_point}` has a bug. Write the whole program without it.\n",
        form=PromptForm.PROSE,
        entry_point=entry_point,
        preamble=helpers_of(prompt, entry_point),
        canonical=canonical,
        buggy=buggy,
        test_form="check",
        test_count=count_asserts(test),
        uses=used_names(canonical, entry_point, test),
    )
    return problem, check_suite(test, shown=fields.text_or("example_test", ""))
