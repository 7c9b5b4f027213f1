"""Laws of what a task speaks of: signature, types, its own word, and files."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from codegen_eval.judge.domain import OutsideError, checked_files, fit
from codegen_eval.judge.literal import read_call
from codegen_eval.resources import resource_root
from codegen_eval.task import Case, Task
from codegen_eval.task_loader import discover_tasks, find_task
from codegen_eval.verdict import FailureClass
from factories import make_task


def task_of(signature: str, *cases: Case, accepts: Callable[..., bool] | None = None) -> Task:
    """Return a task of this signature."""
    task = make_task(entry_point="f", cases=cases)
    text = task.text.model_copy(update={"signature": signature})
    return Task(
        id=task.id, text=text, cases=cases, performance=(), properties=(), reference="", digest="", accepts=accepts
    )


def args_of(task: Task, call: str) -> tuple[object, ...]:
    """Return the arguments that are passed for a call."""
    return fit(task, read_call(call, task.text.entry_point))


@pytest.mark.parametrize("call", ["f([1], 2)", "f([1], n=2)", "f(items=[1], n=2)", "f(n=2, items=[1])"])
def test_names_are_put_in_their_place(call: str) -> None:
    """A solution may name its parameters otherwise: it is called by position."""
    assert args_of(task_of("def f(items: list[int], n: int) -> int:"), call) == ([1], 2)


FITTING = {
    "int": ("1", "-3"),
    "float": ("1", "1.5", "float('nan')"),
    "str": ("'a'",),
    "list[int]": ("[]", "[1]"),
    "list[list[str]]": ("[['a'], []]",),
    "dict[str, int]": ("{'a': 1}",),
    "tuple[int, str]": ("(1, 'a')",),
    "tuple[int, ...]": ("()", "(1, 2)"),
    "int | None": ("1", "None"),
    "Optional[int]": ("None",),
    "'int'": ("1",),
    "Something": ("1", "'a'"),
    "object": ("[]",),
}
UNFIT = {
    "int": ("True", "1.0", "'1'", "None"),
    "float": ("True", "'1'"),
    "str": ("b'a'", "1"),
    "list[int]": ("(1,)", "[1.0]", "[True]", "'ab'"),
    "list[list[str]]": ("[[1]]", "['a']"),
    "dict[str, int]": ("{1: 1}", "{'a': 'b'}", "[]"),
    "tuple[int, str]": ("(1,)", "('a', 1)"),
    "tuple[int, ...]": ("(1, 'a')", "[1]"),
    "int | None": ("'a'",),
    "Optional[int]": ("1.0",),
    "'int'": ("'a'",),
}


@pytest.mark.parametrize("annotation", FITTING)
def test_what_has_the_annotated_type_is_within_the_task(annotation: str) -> None:
    """The types that a signature names are accepted; an annotation that we don't know forbids nothing."""
    for value in FITTING[annotation]:
        args_of(task_of(f"def f(x: {annotation}) -> int:"), f"f({value})")


@pytest.mark.parametrize("annotation", UNFIT)
def test_what_has_another_type_is_outside_the_task(annotation: str) -> None:
    """A task says nothing of other types, at any level."""
    for value in UNFIT[annotation]:
        with pytest.raises(OutsideError):
            args_of(task_of(f"def f(x: {annotation}) -> int:"), f"f({value})")


def test_a_signature_binds_no_more_than_the_cases_keep_to_it() -> None:
    """Where a case passes another type, that type is the task's business."""
    case = Case("text", ("1",), 1, aimed_at=FailureClass.SILENT_TYPE_ERROR)

    assert args_of(task_of("def f(x: int) -> int:", case), "f('2')") == ("2",)


@pytest.mark.parametrize("call", ["f()", "f(1, 2, 3)", "f(1, x=2)", "f(1, z=2)", "f(y=2)"])
def test_what_does_not_bind_is_outside_the_task(call: str) -> None:
    """Too many arguments, unknown names and gaps show nothing."""
    task = task_of("def f(x: int, y: int = 0) -> int:")
    if call == "f()":
        assert args_of(task, call) == ()  # whether that will do, the reference says
        return
    with pytest.raises(OutsideError):
        args_of(task, call)


def test_a_task_can_say_what_it_leaves_open() -> None:
    """`ACCEPTS` refuses arguments on which the statement determines nothing."""
    task = task_of("def f(x: int) -> int:", accepts=lambda x: x > 0)

    assert args_of(task, "f(1)") == (1,)
    with pytest.raises(OutsideError, match="leaves open"):
        args_of(task, "f(0)")


@pytest.mark.parametrize("task", discover_tasks().values(), ids=lambda task: task.id)
def test_the_shipped_tasks_accept_their_own_cases(task: Task) -> None:
    """No task leaves open what its own cases ask."""
    accepts = find_task(task.id, resource_root() / "tasks")[0].accepts
    for case in task.cases:
        args = [getattr(arg, "relative", arg) for arg in case.args]
        assert accepts is None or accepts(*args)


OUTSIDE = {
    "binary_search": "binary_search([3, 1, 2], 1)",
    "flatten": "flatten(" + "[" * 51 + "]" * 51 + ")",
    "has_duplicates": "has_duplicates([float('nan')])",
    "moving_average": "moving_average([1e300, 1.0], 1)",
    "safe_calc": "safe_calc('9' * 400)",
    "list_files": "list_files('/proc')",
}


@pytest.mark.parametrize("task_id", OUTSIDE)
def test_what_the_shipped_statements_leave_open(task_id: str) -> None:
    """Lists that aren't sorted, depths and sizes beyond those named, and folders of the machine."""
    with pytest.raises(OutsideError):
        args_of(find_task(task_id)[0], OUTSIDE[task_id])


@pytest.mark.parametrize(
    "files",
    [
        {"/etc/x": ""},
        {"../x": ""},
        {"a/../../x": ""},
        {"a\0b": ""},
        {"a": "", "a/b": ""},
        {"a": "", "a/b/c": None},
        {"/".join("abcdefghij"): ""},
        {".": ""},
    ],
)
def test_files_stay_in_their_directory(files: dict[str, str | None]) -> None:
    """A claim's files lie in the current directory, and none within another file."""
    with pytest.raises(OutsideError):
        checked_files(files)


def test_files_and_directories_may_be_named() -> None:
    """A directory may hold files."""
    files = {"d": None, "d/a": "x", "d/e/f": ""}

    assert checked_files(files) == files
