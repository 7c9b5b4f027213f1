"""BigCodeBench: functions that call many libraries, judged by classes of `unittest` in the scope of the solution.

One record: `task_id`, `complete_prompt`, `instruct_prompt`, `code_prompt`, `canonical_solution` (a body), `test`,
`entry_point`, `libs` (a Python list, written as a text). The set has two variants, one that goes on with code and one
that answers a description; they differ in the prompt only, and have a name each.
"""

from __future__ import annotations

import re
import sys

from codegen_eval.lexis import defined_names

from .fields import BadRecordError, Fields
from .humaneval import continued
from .problem import Problem, PromptForm, UnittestTests
from .suite import case_methods

_CASE_CLASS = re.compile(r"^class[ \t]+(\w+)[ \t]*\([ \t]*(?:unittest\.)?TestCase[ \t]*\)", re.MULTILINE)
_DECIDING = "TestCases"
"""The only class that the set's own harness runs."""
_LIBRARY = re.compile(r"[A-Za-z_]\w*")


def read_bigcodebench(fields: Fields, line: int) -> tuple[Problem, UnittestTests]:
    """Return the problem of one record, with the prompt to go on with.

    Raises:
        BadRecordError: it is no record of this set.
    """
    problem, test = continued(fields, line, "bigcodebench", prompt_key="complete_prompt"), fields.text("test")
    classes = tuple(_CASE_CLASS.findall(test))
    if not classes:
        raise BadRecordError("`test` has no class of `unittest.TestCase`")
    if _DECIDING in defined_names(test):
        if _DECIDING not in classes:
            raise BadRecordError(f"`{_DECIDING}` of `test` is derived from more than `unittest.TestCase`")
        classes = (_DECIDING,)
    methods = case_methods(test, classes)
    named = dict.fromkeys(_LIBRARY.findall(fields.text_or("libs", "")))
    told = {
        "libraries": tuple(name for name in named if name not in sys.stdlib_module_names),
        "test_form": "unittest",
        "test_count": len(methods) or 1,
    }
    return problem.model_copy(update=told), UnittestTests(code=test, case_classes=classes, methods=methods)


def read_bigcodebench_instruct(fields: Fields, line: int) -> tuple[Problem, UnittestTests]:
    """Return the problem of one record, with the description.

    Raises:
        BadRecordError: it is no record of this set.
    """
    problem, tests = read_bigcodebench(fields, line)
    prompt = fields.text("instruct_prompt")
    shown = {"dataset": "bigcodebench-instruct", "prompt": prompt, "form": PromptForm.PROSE}
    return problem.model_copy(update=shown), tests
