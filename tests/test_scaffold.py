"""Laws of the scaffold, and of validating tasks of one's own."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from codegen_eval.cli.main import run_argv
from codegen_eval.errors import InputError
from codegen_eval.scaffold import KINDS, make_task
from codegen_eval.solution import Strategy
from codegen_eval.strategy import Prompts
from codegen_eval.task_loader import find_folders, load_task

DATA = Path(__file__).parent / "data" / "tasks"


def validate(*arguments: str) -> int:
    """Run the command in the sandbox that is everywhere."""
    return run_argv(["tasks", "validate", *arguments, "--sandbox", "subprocess"])


@pytest.mark.slow
@pytest.mark.parametrize(
    "kind", [pytest.param(kind, marks=pytest.mark.slow if kind != "class" else []) for kind in KINDS]
)
def test_a_scaffold_is_sound_as_it_is(tmp_path: Path, capsys: pytest.CaptureFixture[str], kind: str) -> None:
    """What `tasks new` writes passes `tasks validate`."""
    assert run_argv(["tasks", "new", "my-task2", "--dir", str(tmp_path), "--kind", kind]) == 0
    capsys.readouterr()

    assert validate(str(tmp_path)) == 0
    assert capsys.readouterr().out.startswith("my-task2: ok (")


def test_cases_in_lines_alone_are_a_task(capsys: pytest.CaptureFixture[str]) -> None:
    """A task whose cases are JSON lines is as sound as another."""
    assert validate(str(DATA / "line_sum"), "--json") == 0

    assert json.loads(capsys.readouterr().out)["line_sum"]["problems"] == []


def test_nothing_is_written_over(tmp_path: Path) -> None:
    """A scaffold goes nowhere where something is, and names that are none are refused."""
    make_task("one", tmp_path, "function")
    (tmp_path / "one" / "cases.py").write_text("mine")

    with pytest.raises(InputError, match="is there already"):
        make_task("one", tmp_path, "class")
    assert (tmp_path / "one" / "cases.py").read_text() == "mine"
    with pytest.raises(InputError, match=r"did you mean `generator`"):
        make_task("two", tmp_path, "genrator")
    for name in ("../x", "A", "", "a/b", "-x"):
        with pytest.raises(InputError, match="can't be the id"):
            make_task(name, tmp_path, "function")


def test_names_follow_from_the_id(tmp_path: Path) -> None:
    """The entry point is an identifier, whatever the id."""
    for name, function, kind in (("2-sum", "task_2_sum", "Task2Sum"), ("class", "class_", "Class")):
        make_task(name, tmp_path, "function")
        assert load_task(tmp_path / name).text.entry_point == function
        make_task(name, tmp_path / "classes", "class")
        assert load_task(tmp_path / "classes" / name).text.entry_point == kind


@pytest.mark.parametrize(
    ("kind", "wanted"),
    [
        ("class", ["Write this class:", "one = Sample(3)\none.push(1)", "assert one.pop() == 2"]),
        ("generator", ["assert list(itertools.islice(sample([1, 2, 3, 4], 2), 2)) == [[1, 2], [3, 4]]"]),
        ("async", ["assert asyncio.run(sample([1, 2, 3, 4], 2)) == [4, 6]"]),
        ("callable", ["def halve(number: int) -> int:", "assert sample(halve, [2, 3, 8]) == [1, None, 4]"]),
        ("program", ["Write a program", "# given this standard input:\n#   bob 3", "# the program prints:\n#   ann 4"]),
    ],
)
def test_a_model_is_shown_cases_of_every_kind(tmp_path: Path, kind: str, wanted: list[str]) -> None:
    """What `test-first` shows says how a solution is used, and is the same each time."""
    make_task("sample", tmp_path, kind)
    task = load_task(tmp_path / "sample")

    shown = Prompts().messages(task, Strategy.TEST_FIRST)[-1].content

    assert [text for text in wanted if text not in shown] == []
    assert " at 0x" not in shown


def line_of(path: Path, text: str) -> int:
    """Return the line on which a text stands."""
    return next(number for number, line in enumerate(path.read_text().splitlines(), 1) if text in line)


def test_a_bug_that_is_no_file_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A pipe among the bugs makes nobody wait."""
    make_task("piped", tmp_path, "function")
    os.mkfifo(tmp_path / "piped" / "bugs" / "pipe.py")

    assert validate(str(tmp_path), "--json") == 2
    told = json.loads(capsys.readouterr().out)
    assert told["piped"]["problems"] == ["`bugs/pipe.py` is not a regular file"]


def test_what_is_unsound_is_told_task_by_task(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A task that can't be read stops no other; the exit code says that there was one."""
    for name in ("broken", "dull", "wrong"):
        make_task(name, tmp_path, "function")
    (tmp_path / "broken" / "bugs" / "below.py").write_text("def broken(:\n")
    cases = tmp_path / "broken" / "cases.py"
    cases.write_text(cases.read_text().replace('Case("empty", ([], 5), []', 'Case("empty", ([], 5)'))
    dull = tmp_path / "dull" / "cases.py"
    dull.write_text(dull.read_text().replace("([5, 6], 5), [5]", "([9, 2, 3], 5), [2, 3]"))
    wrong = tmp_path / "wrong" / "reference.py"
    wrong.write_text(wrong.read_text().replace("<=", "<"))

    assert validate(str(tmp_path), "--json") == 2
    told = json.loads(capsys.readouterr().out)
    unread = told["broken"]["problems"]
    assert len(unread) == 2
    assert "`cases.py`: case `empty` needs exactly one of" in "".join(unread)
    assert "`bugs/below.py` does not compile: " in "".join(unread)
    assert all("(line " in problem for problem in unread)
    assert told["dull"]["problems"] == [
        "bug `below.py` passes every case",
        (
            "case `equals-limit` fails no mutant or planted bug that passes all the shown cases"
            f" (cases.py, line {line_of(dull, 'equals-limit')})"
        ),
    ]
    said = [problem for problem in told["wrong"]["problems"] if "the reference fails case `equals-limit`" in problem]
    assert said == [
        (
            "the reference fails case `equals-limit`: returned another value, got [], expected [5]"
            f" (cases.py, line {line_of(wrong.with_name('cases.py'), 'equals-limit')})"
        )
    ]
    assert len(told["wrong"]["problems"]) == len(set(told["wrong"]["problems"]))


def test_tasks_are_named_by_id_or_place(tmp_path: Path) -> None:
    """An id, a folder of one task and a folder of tasks all find their tasks; what is no task is refused."""
    one, two = (make_task(name, tmp_path, "function")[0].parent for name in ("one", "two"))

    assert find_folders([str(tmp_path)]) == [one, two]
    assert find_folders([str(two)]) == [two]
    assert find_folders(["one"], tmp_path) == [one]
    assert [path.name for path in find_folders(["fizzbuzz"])] == ["fizzbuzz"]
    assert len(find_folders([])) == 10
    with pytest.raises(InputError, match="there is no task in"):
        find_folders([str(one / "bugs")])
    with pytest.raises(InputError, match="there is no folder"):
        find_folders([str(tmp_path / "three")])
