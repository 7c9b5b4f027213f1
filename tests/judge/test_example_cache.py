"""Examples of shipped tasks come from the cache as they were planned, whatever is wrong with the cache."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from codegen_eval.judge.candidate import Call
from codegen_eval.judge.example_cache import ExampleCache
from codegen_eval.judge.examples import plan_examples
from codegen_eval.task import Property, SandboxPath, prop
from codegen_eval.task_loader import discover_tasks
from codegen_eval.verdict import FailureClass
from factories import make_task

PLAIN = st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.binary() | st.fractions() | st.dates()
KEYS = st.integers() | st.booleans() | st.floats(allow_nan=False) | st.text()
VALUES = st.recursive(
    PLAIN,
    lambda inner: st.lists(inner) | st.tuples(inner, inner) | st.dictionaries(KEYS, inner),
    max_leaves=8,
)


@prop(FailureClass.WRONG_LOGIC, value=VALUES, number=st.integers())
def anything(candidate: Callable[..., object], value: object, number: int) -> None:
    candidate(value, key=[value, number])


@prop(FailureClass.WRONG_LOGIC, name=st.text())
def with_a_path(candidate: Callable[..., object], name: str) -> None:
    candidate(SandboxPath(name))


def shown(planned: object) -> str:
    """Return what is in examples with every type and every order in sight."""
    return repr(planned)


@pytest.mark.slow
def test_what_comes_from_the_cache_is_what_was_planned(tmp_path: Path) -> None:
    """The second time, the same examples come from a file, to the last type; another seed has its own."""
    task = make_task(properties=(anything,))
    cache = ExampleCache(tmp_path / "cache")

    first = cache.plan(task, seed=1)
    (file,) = (tmp_path / "cache").iterdir()
    second = cache.plan(task, seed=1)

    assert shown(second) == shown(first) == shown({"anything": plan_examples(anything, seed=1, task=task.id)})
    assert shown(cache.plan(task, seed=2)) != shown(first)
    assert "anything" in json.loads(file.read_bytes().partition(b"\n")[2])["laws"]


@pytest.mark.slow
@pytest.mark.parametrize("seed", [0, 7])
def test_every_shipped_task_has_the_same_examples_from_the_cache(tmp_path: Path, seed: int) -> None:
    """Cold or warm, a shipped task asks the same questions."""
    for task in discover_tasks().values():
        cold = ExampleCache(tmp_path).plan(task, seed=seed)

        assert shown(ExampleCache(tmp_path).plan(task, seed=seed)) == shown(cold), task.id


def test_a_value_that_no_file_can_hold_is_planned_each_time(tmp_path: Path) -> None:
    """A path of the sandbox would come back as text, so its law is left out of the file, and nothing else is."""
    task = make_task(properties=(with_a_path, anything))
    cold = ExampleCache(tmp_path).plan(task, seed=0)
    (file,) = tmp_path.iterdir()

    warm = ExampleCache(tmp_path).plan(task, seed=0)

    assert list(json.loads(file.read_bytes().partition(b"\n")[2])["laws"]) == ["anything"]
    assert shown(warm) == shown(cold)
    assert warm["with_a_path"] is not None
    assert isinstance(warm["with_a_path"][0].asked[0].args[0], SandboxPath)


def signed(body: bytes) -> bytes:
    """Return a file that is whole and holds this."""
    return hashlib.sha256(body).hexdigest().encode() + b"\n" + body


WRONG = [
    b"{}",
    b'{"laws": 1}',
    b'{"laws": {"few": []}}',
    b'{"laws": {"few": [{"drawn": 1}]}}',
    b'{"laws": {"few": [{"drawn": {"flog": true}, "asked": []}]}}',
    b'{"laws": {"few": [{"drawn": {"flag": true}, "asked": [{"args": [], "kwargs": {}, "files": {"f": 1}}]}]}}',
]


@pytest.mark.slow
@given(st.binary(max_size=200) | st.sampled_from(WRONG) | st.sampled_from(WRONG).map(signed))
def test_a_damaged_file_is_planned_and_written_again(tmp_path_factory: pytest.TempPathFactory, damage: bytes) -> None:
    """Whatever stands in a file of the cache, the examples are those that were planned."""
    folder = tmp_path_factory.mktemp("cache")
    task = make_task(properties=(few,))
    cold = ExampleCache(folder).plan(task, seed=0)
    (file,) = folder.iterdir()
    good = file.read_bytes()
    file.write_bytes(damage)

    assert shown(ExampleCache(folder).plan(task, seed=0)) == shown(cold)
    assert file.read_bytes() == good


@prop(FailureClass.WRONG_LOGIC, flag=st.booleans())
def few(candidate: Callable[..., object], flag: bool) -> None:  # noqa: FBT001 - a law takes what is drawn
    candidate(flag)


def test_a_pipe_in_place_of_a_file_blocks_nobody(tmp_path: Path) -> None:
    """What is no regular file is not read, and replaced where it can be."""
    task = make_task(properties=(few,))
    cold = ExampleCache(tmp_path).plan(task, seed=0)
    (file,) = tmp_path.iterdir()
    file.unlink()
    os.mkfifo(file)

    assert shown(ExampleCache(tmp_path).plan(task, seed=0)) == shown(cold)


def test_a_cache_that_cannot_be_written_is_done_without(tmp_path: Path) -> None:
    """Where a file stands in place of the folder, examples are planned, and nothing else happens."""
    (tmp_path / "cache").write_text("no folder")
    laws: tuple[Property, ...] = (few,)

    planned = ExampleCache(tmp_path / "cache" / "below").plan(make_task(properties=laws), seed=0)

    assert planned["few"] is not None
    assert planned["few"][0].asked == (Call(args=(planned["few"][0].drawn["flag"],)),)
