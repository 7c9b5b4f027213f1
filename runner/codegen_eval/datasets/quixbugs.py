"""QuixBugs, packed one program to a record: classic algorithms with one defective line each.

One record: `id`, `entry_point`, `buggy`, `correct`, `test` (defines `check`). Both programs end in a docstring that
says what they should do.
"""

from __future__ import annotations

from .fields import Fields
from .problem import CheckTests, Problem, PromptForm
from .suite import check_suite, count_asserts, used_names


def read_quixbugs(fields: Fields, line: int) -> tuple[Problem, CheckTests]:
    """Return the problem of one record.

    Raises:
        BadRecordError: it is no record of this set.
    """
    entry_point, buggy, correct = fields.name("entry_point"), fields.text("buggy"), fields.text("correct")
    test = fields.text("test")
    problem = Problem(
        dataset="quixbugs",
        id=fields.id("id"),
        line=line,
        prompt=f"{buggy.strip()}\n\n# One line of `{entry_point}` is wrong. Write the whole program without the bug.\n",
        form=PromptForm.PROSE,
        entry_point=entry_point,
        canonical=correct,
        buggy=buggy,
        test_form="check",
        test_count=_count_cases(fields) or count_asserts(test),
        uses=used_names(correct, entry_point, test),
    )
    return problem, check_suite(test)


def _count_cases(fields: Fields) -> int:
    """Return the number of test cases, without those that the set itself leaves out because they are slow."""
    if "testcases" not in fields or fields.value("testcases") is None:
        return 0
    slow = len(fields.items("slow_testcases")) if "slow_testcases" in fields else 0
    return len(fields.items("testcases")) - slow
