"""HumanEvalFix (the Python part of HumanEvalPack): a function with a bug that a person put in, to be repaired.

One record: `task_id` (`Python/3`), `prompt`, `entry_point`, `canonical_solution` and `buggy_solution` (bodies), `test`
and `example_test`, which call `check` themselves. The model is shown the buggy function with its description, as in the
set's variant with docstrings; the other variant shows the very tests that decide.
"""

from __future__ import annotations

from .fields import Fields
from .humaneval import continued
from .problem import CheckTests, Problem, PromptForm
from .suite import check_suite


def read_humanevalfix(fields: Fields, line: int) -> tuple[Problem, CheckTests]:
    """Return the problem of one record.

    Raises:
        BadRecordError: it is no record of this set.
    """
    problem = continued(fields, line, "humanevalfix")
    buggy = problem.prompt + fields.text("buggy_solution")
    asked = f"# The function `{problem.entry_point}` has a bug. Write the whole program without it."
    shown = {"prompt": f"{buggy.rstrip()}\n\n{asked}\n", "form": PromptForm.PROSE, "buggy": buggy}
    tests = check_suite(fields.text("test"), shown=fields.text_or("example_test", ""))
    return problem.model_copy(update=shown), tests
