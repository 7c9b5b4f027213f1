"""MBPP, the full set and the one that was checked by hand: a sentence, and assertions that call the function by name.

One record of the full set: `task_id` (a number), `text`, `code`, `test_list`, `test_setup_code`, `challenge_test_list`;
of the other: `prompt` for `text`, and `test_imports`. No field says which function is under test: it is the one that
the tests mention and the canonical program defines. Classes beside it make its arguments.
"""

from __future__ import annotations

from collections.abc import Sequence

from codegen_eval.lexis import attributes, defined_classes, defined_names, free_names, methods

from .fields import BadRecordError, Fields
from .problem import AssertTests, Problem, PromptForm
from .suite import used_names


def read_mbpp(fields: Fields, line: int) -> tuple[Problem, AssertTests]:
    """Return the problem of one record.

    Raises:
        BadRecordError: it is no record of this set.
    """
    text = fields.text("prompt") if "prompt" in fields and "text" not in fields else fields.text("text")
    canonical, asserts = fields.text("code"), fields.texts("test_list")
    if not asserts:
        raise BadRecordError("`test_list` is empty")
    challenge = fields.texts_or_none("challenge_test_list")
    setup = "\n".join(
        part for part in (*fields.texts_or_none("test_imports"), fields.text_or("test_setup_code", "")) if part
    )
    entry_point = entry_point_of((*asserts, *challenge, setup), canonical)
    problem = Problem(
        dataset="mbpp",
        id=qualified(fields.id("task_id")),
        line=line,
        prompt=f"{text.strip()}\nYour code should pass these tests:\n\n" + "\n".join(asserts) + "\n",
        form=PromptForm.PROSE,
        entry_point=entry_point,
        canonical=canonical,
        test_form="assert",
        test_count=len(asserts),
        uses=used_names(canonical, entry_point, setup, *asserts, *challenge),
    )
    return problem, AssertTests(setup=setup, asserts=asserts, challenge=challenge)


def entry_point_of(tests: Sequence[str], program: str) -> str:
    """Return the function under test: the one that the tests mention and the program defines, or else a class.

    Raises:
        BadRecordError: they mention none, or more than one would be under test, of which a solution is asked for one
            only, and the tests would have the canonical one's.
    """
    defined, classes = defined_names(program), defined_classes(program)
    mentioned = list(dict.fromkeys(name for text in tests for name in free_names(text) if name in defined))
    functions = [name for name in mentioned if name not in classes]
    names = ", ".join(map(repr, mentioned[:5]))
    if not mentioned:
        raise BadRecordError("the tests mention nothing that `code` defines")
    if len(functions) > 1 or not (functions or len(mentioned) == 1):
        raise BadRecordError(f"the tests mention more of `code` than one ({names}): which is under test?")
    if len(mentioned) > 1 and any(attributes(text) & methods(program) for text in tests):
        raise BadRecordError(f"the tests ask for methods and mention more of `code` than one ({names})")
    return (functions or mentioned)[0]


def qualified(number: str) -> str:
    """Return the id under which other tools write a number of this set."""
    return number if "/" in number else f"MBPP/{number}"
