"""Laws of cases in JSON lines: values of every kind, and every mistake with its line."""

from __future__ import annotations

import datetime as dt
import json
import math
from collections import Counter, OrderedDict, deque
from decimal import Decimal
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from codegen_eval.case_lines import read_case_lines
from codegen_eval.case_value import ValueFormError, read_value
from codegen_eval.task import SandboxPath, Step

GOOD = '{"id": "a", "args": [1], "returns": 2, "aimed_at": "wrong-logic"}'


def read(folder: Path, *lines: str | bytes) -> tuple[list[str], list[str]]:
    """Return the ids of the cases in these lines, and what is wrong."""
    path = folder / "cases.jsonl"
    path.write_bytes(b"\n".join(line if isinstance(line, bytes) else line.encode() for line in lines))
    problems: list[str] = []
    return [case.id for case, _ in read_case_lines(path, problems)], problems


@pytest.mark.parametrize(
    ("written", "value"),
    [
        ({"$tuple": [1, {"$tuple": []}]}, (1, ())),
        ({"$set": [1, {"$tuple": [2]}]}, {1, (2,)}),
        ({"$frozenset": ["a"]}, frozenset("a")),
        ({"$dict": [[1, "a"], [{"$tuple": [1]}, None]]}, {1: "a", (1,): None}),
        ({"$deque": [1]}, deque([1])),
        ({"$counter": [["a", 2]]}, Counter(a=2)),
        ({"$ordered": [["b", 1], ["a", 2]]}, OrderedDict(b=1, a=2)),
        ({"$bytes": "00ff"}, b"\x00\xff"),
        ({"$float": "-inf"}, -math.inf),
        ({"$complex": [1, -2.5]}, 1 - 2.5j),
        ({"$decimal": "1.50"}, Decimal("1.50")),
        ({"$fraction": "1/3"}, Fraction(1, 3)),
        ({"$range": [0, 10, 2]}, range(0, 10, 2)),
        ({"$date": "2024-02-29"}, dt.date(2024, 2, 29)),
        ({"$time": "12:30:00"}, dt.time(12, 30)),
        ({"$datetime": "2024-02-29T12:30:00"}, dt.datetime(2024, 2, 29, 12, 30)),  # noqa: DTZ001 - as it is written
        ({"$timedelta": 1.5}, dt.timedelta(seconds=1.5)),
        ({"$path": "a/b"}, SandboxPath("a/b")),
        ({"plain": [{"x": {"$set": []}}]}, {"plain": [{"x": set()}]}),
    ],
)
def test_a_tag_stands_for_its_value(written: object, value: object) -> None:
    """Every tag gives a value of its very type."""
    found = read_value(written)

    assert found == value
    assert type(found) is type(value)


@pytest.mark.parametrize(
    ("written", "said"),
    [
        ({"$tupel": [1]}, "did you mean `$tuple`?"),
        ({"$tuple": 1}, "`$tuple` needs a list"),
        ({"$set": [[1]]}, "`$set` needs"),
        ({"$tuple": [], "x": 1}, "stands beside other keys"),
        ({"$bytes": "0"}, "`$bytes` needs"),
        ({"$float": "1.5"}, "`$float` needs"),
        ({"$float": []}, "`$float` needs"),
        ({"$fraction": "1/0"}, "`$fraction` needs"),
        ({"$decimal": "x"}, "`$decimal` needs"),
        ({"$date": "2023-02-29"}, "`$date` needs"),
        ({"$path": "../etc"}, "`$path` needs"),
        ({"$dict": [[1]]}, "`$dict` needs"),
        ({"$range": [1, "2"]}, "`$range` needs"),
    ],
)
def test_a_tag_that_means_nothing_is_refused(written: object, said: str) -> None:
    """What does not fit a tag is told, with what would."""
    with pytest.raises(ValueFormError) as caught:
        read_value(written)
    assert said in str(caught.value)


@given(st.recursive(st.none() | st.booleans() | st.integers() | st.text(), st.lists, max_leaves=9))
def test_plain_json_stands_for_itself(value: object) -> None:
    """What JSON has needs no tag."""
    assert read_value(json.loads(json.dumps(value))) == value


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("{", "it is not JSON"),
        ("[1]", "it is not an object"),
        (GOOD.replace('"args"', '"arg"'), "unknown key `arg`; did you mean `args`?"),
        (GOOD.replace('"id": "a", ', ""), "it lacks the key `id`"),
        (GOOD.replace("wrong-logic", "wrong-logik"), "did you mean `wrong-logic`?"),
        (GOOD.replace(', "aimed_at": "wrong-logic"', ""), "it lacks the key `aimed_at`"),
        (GOOD.replace(' "returns": 2,', ""), "needs exactly one of `returns` and `raises`"),
        (GOOD.replace('"returns": 2', '"raises": "ValueErorr"'), "did you mean `ValueError`?"),
        (GOOD.replace("[1]", "1"), "`args` is not a list"),
        (GOOD.replace("[1]", "[NaN]"), "is no JSON"),
        (GOOD.replace("}", ', "id": "b"}'), "stands twice"),
        (GOOD.replace("}", ', "shown": 1}'), "has `shown` that is not True or False"),
        (GOOD.replace("}", ', "take": 0}'), "has `take` that is not a number"),
        (GOOD.replace("}", ', "files": {"../x": ""}}'), "no path below"),
        (GOOD.replace('"returns": 2', '"steps": [{"nam": "x"}]'), "step 1: it has an unknown key `nam`"),
        ("[" * 100_000, "nested too deeply"),
        (b"\xff", "is not UTF-8 text"),
    ],
)
def test_every_mistake_is_told_with_its_line(tmp_path: Path, line: str | bytes, said: str) -> None:
    """A bad line is told with its number; the others are read."""
    ids, problems = read(tmp_path, GOOD, "", line, GOOD.replace('"a"', '"c"'))

    assert len(problems) == 1
    assert said in problems[0]
    assert problems[0].endswith("(line 3)")
    assert ids == ([] if isinstance(line, bytes) else ["a", "c"])


def test_steps_are_read_as_they_are_written_in_python(tmp_path: Path) -> None:
    """Steps have the same words as in `cases.py`; what is not said is not looked at."""
    steps = (
        '[{"name": "push", "args": [1]}, {"name": ".size", "returns": null}, {"name": "pop", "raises": "IndexError"}]'
    )
    path = tmp_path / "cases.jsonl"
    path.write_text(f'{{"id": "a", "aimed_at": "wrong-logic", "steps": {steps}}}')

    ((case, number),) = read_case_lines(path, [])

    assert number == 1
    assert case.steps == (Step("push", (1,)), Step(".size", (), None), Step("pop", raises=IndexError))
