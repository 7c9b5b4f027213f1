"""Laws of reading tasks: everything that is wrong is told at once, with its place."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from codegen_eval.errors import InputError, TaskError
from codegen_eval.task_loader import discover_tasks, find_task, load_task

TOML = """\
entry_point = "double"
signature = "def double(n: int) -> int:"
summary = "Twice a number"
statement = "Return twice the number."
constraints = ["The answer is an int."]
edge_cases = ["0 gives 0."]
"""
CASES = """\
from codegen_eval.task import Case
from codegen_eval.verdict import FailureClass

CASES = (
    Case("two", (2,), 4, aimed_at=FailureClass.WRONG_LOGIC, shown=True),
    Case("zero", (0,), 0, aimed_at=FailureClass.MISSED_EDGE_CASE),
)
"""
PROPERTIES = """\
from hypothesis import strategies as st
from codegen_eval.task import prop
from codegen_eval.verdict import FailureClass


@prop(FailureClass.WRONG_LOGIC, n=st.integers())
def halves_again(candidate, n):
    assert candidate(n) // 2 == n


@prop(FailureClass.WRONG_LOGIC, n=st.integers())
def is_even(candidate, n):
    assert candidate(n) % 2 == 0


PROPERTIES = (halves_again, is_even)
"""
REFERENCE = "def double(n: int) -> int:\n    return 2 * n\n"
FILES = {"task.toml": TOML, "cases.py": CASES, "properties.py": PROPERTIES, "reference.py": REFERENCE}


def write_task(root: Path, name: str = "double", **changed: str | None) -> Path:
    """Write a task's folder; `cases_py="..."` changes a file, None leaves it out."""
    folder = root / name
    folder.mkdir()
    for file, text in (FILES | {key.replace("_", "."): value for key, value in changed.items()}).items():
        if text is not None:
            (folder / file).write_text(text, encoding="utf-8")
    return folder


def complaint(folder: Path) -> str:
    """Return what is said against a task."""
    with pytest.raises(TaskError) as caught:
        load_task(folder)
    return caught.value.message


def test_a_sound_folder_is_a_task(tmp_path: Path) -> None:
    """A folder of four sound files is the task that they describe."""
    task = load_task(write_task(tmp_path))

    assert task.id == "double"
    assert [case.id for case in task.shown] == ["two"]
    assert [law.id for law in task.properties] == ["halves_again", "is_even"]
    assert task.performance == ()
    assert task.reference == REFERENCE


def test_every_problem_is_told_at_once(tmp_path: Path) -> None:
    """What is wrong in several files is told in one error, each with the file it stands in."""
    folder = write_task(
        tmp_path,
        task_toml=TOML.replace("summary", "sumary"),
        cases_py=CASES.replace(", shown=True", "").replace('"zero"', '"two"'),
        properties_py=PROPERTIES.replace(", is_even)", ",)"),
        reference_py="def triple(n): ...\n",
    )

    said = complaint(folder)
    assert "task `double`: `task.toml` has an unknown key `sumary` (line 3); did you mean `summary`?" in said
    assert "`task.toml` lacks the key `summary`" in said
    assert "the id `two` is used 2 times" in said
    assert "`cases.py` has no shown case" in said
    assert "`properties.py` has fewer than 2 properties" in said


def test_of_an_unknown_kind_no_case_is_wrong(tmp_path: Path) -> None:
    """What only a wrong `task.toml` makes wrong is not told."""
    toml = TOML.replace("edge_cases", "edges") + 'kind = "class"\n'
    cases = CASES.replace("Case(", "Case(steps=(), ", 1) + "from codegen_eval.task import Step\n"
    cases += 'CASES += (Case(id="steps", args=(), steps=(Step(".x", returns=1),), '
    cases += "aimed_at=FailureClass.WRONG_LOGIC),)\n"

    said = complaint(write_task(tmp_path, task_toml=toml, cases_py=cases))

    assert "lacks the key `edge_cases`" in said
    assert "of kind" not in said


def test_missing_files_are_named_together(tmp_path: Path) -> None:
    """Every file that is missing is named."""
    said = complaint(write_task(tmp_path, cases_py=None, reference_py=None))

    assert "`cases.py` is missing" in said
    assert "`reference.py` is missing" in said


@pytest.mark.parametrize(
    ("changed", "expected"),
    [
        ({"task_toml": TOML + "oops = [\n"}, "`task.toml` is not TOML"),
        (
            {"task_toml": TOML.replace('["0 gives 0."]', "[]")},
            "`task.toml` `edge_cases` is empty: it needs one item at least (line",
        ),
        ({"task_toml": TOML.replace('"double"', '"dou ble"')}, "`task.toml` `entry_point`"),
        ({"task_toml": TOML + "[[parameters]]\nname = 'n'\nuntrustd = true\n"}, "parameters.0.untrustd"),
        ({"cases_py": "\n1 / 0\n"}, "`cases.py` raises ZeroDivisionError: division by zero (line 2)"),
        ({"cases_py": "import sys\nsys.exit(3)\n"}, "`cases.py` raises SystemExit: 3 (line 2)"),
        ({"cases_py": "x = 1\nCASES = (\n"}, "`cases.py` raises SyntaxError"),
        ({"cases_py": "x = 1\n"}, "`cases.py` does not define `CASES`"),
        ({"cases_py": "CASES = 3\n"}, "`cases.py`: `CASES` is not a tuple"),
        ({"cases_py": CASES + "CASES += (1,)\n"}, "`CASES` holds a int where a Case is due"),
        ({"cases_py": CASES.replace("aimed_at=FailureClass.MISSED_EDGE_CASE", "shown=True")}, "raises TypeError"),
        ({"cases_py": CASES.replace("(0,), 0,", "(0,),")}, "needs exactly one of `returns` and `raises` (line 6)"),
        ({"cases_py": CASES.replace("_EDGE_CASE)", "_EDGE_CASE, shown=True)")}, "`cases.py` has no hidden case"),
        ({"cases_py": CASES.replace('"zero"', '"Zero!"')}, "the id `Zero!` may hold only"),
        ({"cases_py": CASES.replace('"zero"', '"is_even"')}, "the id `is_even` is used 2 times"),
        ({"properties_py": "x = 1\n"}, "`properties.py` does not define `PROPERTIES`"),
        ({"properties_py": PROPERTIES.replace("is_even(candidate, n)", "is_even(candidate, m)")}, "property `is_even`"),
        (
            {"cases_py": CASES.replace("FailureClass.MISSED_EDGE_CASE", "FailureClass.MISSED")},
            "(line 6); there are WRONG_LOGIC, MISSED_EDGE_CASE, ",
        ),
        ({"cases_py": CASES + "CASES += (Case(None, (1,), 2, aimed_at=None),)\n"}, "has an id that is not a text"),
        ({"reference_py": "def triple(n): ...\n"}, "`reference.py` does not define `double`"),
        ({"reference_py": "x = 1\ndef double(:\n"}, "`reference.py` does not compile: invalid syntax (line 2)"),
    ],
)
def test_a_problem_is_told_with_its_place(tmp_path: Path, changed: dict[str, str], expected: str) -> None:
    """A task that is wrong in one way does not load, and the error says where and why."""
    assert expected in complaint(write_task(tmp_path, **changed))


def test_a_failing_file_is_one_problem(tmp_path: Path) -> None:
    """A file that raises is not accused of what it would have defined behind that."""
    said = complaint(write_task(tmp_path, cases_py="1 / 0\n", properties_py="1 / 0\n"))

    assert said.splitlines() == [
        "task `double`: `cases.py` raises ZeroDivisionError: division by zero (line 1)",
        "task `double`: `properties.py` raises ZeroDivisionError: division by zero (line 1)",
    ]


def test_a_name_that_is_no_id_is_refused(tmp_path: Path) -> None:
    """A folder whose name could not be an id is no task."""
    assert "the folder's name may hold only" in complaint(write_task(tmp_path, "Double It"))


def test_loading_leaves_no_module_behind(tmp_path: Path) -> None:
    """A task's files may define dataclasses, and leave nothing among the imported modules."""
    extra = (
        "from __future__ import annotations\nfrom dataclasses import dataclass\n\n\n@dataclass\nclass P:\n    x: Foo\n"
    )
    folder = write_task(tmp_path, cases_py=extra + CASES)
    before = set(sys.modules)

    load_task(folder)
    assert not [name for name in set(sys.modules) - before if "double" in name]


def test_the_reference_is_never_executed(tmp_path: Path) -> None:
    """The reference is text for the host, whatever it would do."""
    task = load_task(write_task(tmp_path, reference_py=REFERENCE + "raise SystemExit\n"))

    assert task.reference.endswith("raise SystemExit\n")


def test_the_digest_tells_contents_apart(tmp_path: Path) -> None:
    """The digest is the same for the same files, and another where a byte differs."""
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    (tmp_path / "c").mkdir()
    one, same = load_task(write_task(tmp_path / "a")), load_task(write_task(tmp_path / "b"))
    other = load_task(write_task(tmp_path / "c", reference_py=REFERENCE + "\n"))

    assert one.digest == same.digest
    assert one.digest != other.digest


def test_tasks_are_sorted_and_stray_files_passed_over(tmp_path: Path) -> None:
    """Tasks come sorted by id; what is no task is passed over."""
    for name in ("zeta", "alpha", "mid"):
        write_task(tmp_path, name)
    (tmp_path / "README.md").write_text("", encoding="utf-8")
    (tmp_path / "empty").mkdir()

    assert list(discover_tasks(tmp_path)) == ["alpha", "mid", "zeta"]


def test_problems_of_all_tasks_are_told_together(tmp_path: Path) -> None:
    """Two broken tasks are told of in one error."""
    write_task(tmp_path, "one", reference_py=None)
    write_task(tmp_path, "two", cases_py="1 / 0\n")

    with pytest.raises(TaskError, match=r"(?s)task `one`.*task `two`"):
        discover_tasks(tmp_path)


@pytest.mark.parametrize("there", [True, False])
def test_a_folder_without_tasks_is_an_error(tmp_path: Path, *, there: bool) -> None:
    """Where there is no task, the user is told so instead of getting an empty run."""
    folder = tmp_path / "tasks"
    if there:
        folder.mkdir()

    with pytest.raises(TaskError, match="there is no"):
        discover_tasks(folder)


def test_an_unknown_task_is_answered_with_the_nearest(tmp_path: Path) -> None:
    """A misspelt id is an error of the user's, with the id that was probably meant."""
    write_task(tmp_path)

    with pytest.raises(InputError) as caught:
        find_task("dubble", tmp_path)
    assert caught.value.hint == "did you mean `double`?"
