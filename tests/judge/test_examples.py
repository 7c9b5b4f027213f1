"""The examples of a property are those that Hypothesis would ask, and a solution is judged on them alone or by it."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from hypothesis import assume
from hypothesis import strategies as st

from codegen_eval.interfaces import Sandbox
from codegen_eval.judge.bench import Bench, Settings
from codegen_eval.judge.candidate import Call, Candidate, Reply
from codegen_eval.judge.examples import EXAMPLES, explore, plan_examples
from codegen_eval.judge.recorder import DivergedError, Recorder
from codegen_eval.layers.props import Props
from codegen_eval.sandbox.process import ProcessProvider
from codegen_eval.task import Property, prop
from codegen_eval.verdict import FailureClass, LayerResult, Verdict
from factories import make_solution, make_task

WRONG = FailureClass.WRONG_LOGIC
HONEST = "def double(n):\n    return 2 * n\n"


@pytest.fixture
def sandbox() -> Iterator[Sandbox]:
    provider = ProcessProvider(memory_mib=256)
    opened = provider.open()
    yield opened
    opened.close()
    provider.close()


@prop(WRONG, n=st.integers(), k=st.lists(st.text()))
def twice(double: Callable[..., int], n: int, k: list[str]) -> None:
    k.append("changed before the question")
    assert double(n) == n + n


@prop(WRONG, n=st.integers(-1000, 1000))
def again(double: Callable[..., int], n: int) -> None:
    assert double(double(n)) == 4 * n


@prop(WRONG, n=st.integers(-1000, 1000))
def assumes_an_answer(double: Callable[..., int], n: int) -> None:
    assume(double(n) > 0)
    assert double(n) == 2 * n


@prop(WRONG, data=st.data())
def draws_on_the_way(double: Callable[..., int], data: st.DataObject) -> None:
    n = data.draw(st.integers())
    assert double(n) == 2 * n


LAWS = (twice, again, assumes_an_answer, draws_on_the_way)


def judge(sandbox: Sandbox, source: str, *laws: Property) -> LayerResult:
    task = make_task(properties=laws)
    bench = Bench(
        sandbox=sandbox, task=task, solution=make_solution(source=source), settings=Settings(wall_seconds=2.0)
    )
    return Props(bench).run()


def test_the_examples_are_what_hypothesis_asks_a_solution_that_keeps_the_law() -> None:
    """Planned inputs equal, in order, those of a run against the real thing."""
    asked: list[dict[str, object]] = []
    explore(twice, lambda **drawn: asked.append(drawn), seed=3, task="double")

    planned = plan_examples(twice, seed=3, task="double")

    assert planned is not None
    assert [dict(example.drawn) for example in planned] == asked
    assert len(planned) == EXAMPLES
    assert [example.first for example in planned] == [Call(args=(drawn["n"],)) for drawn in asked]


def test_an_input_made_on_the_way_is_not_planned() -> None:
    """A law whose inputs exist only while Hypothesis runs has no planned examples."""
    assert plan_examples(draws_on_the_way, seed=0, task="double") is None


@pytest.mark.parametrize("law", LAWS, ids=lambda law: law.id)
def test_every_kind_of_law_holds_for_an_honest_solution(sandbox: Sandbox, law: Property) -> None:
    """Whether its examples can be planned or not, a law is executed as often as is asked for."""
    result = judge(sandbox, HONEST, law)

    assert result.verdict is Verdict.PASS
    assert dict(result.facts)["examples"] == EXAMPLES


@pytest.mark.parametrize("law", LAWS, ids=lambda law: law.id)
def test_every_kind_of_law_is_shrunk_for_a_wrong_solution(sandbox: Sandbox, law: Property) -> None:
    """A planned example that fails is only the start: the finding shows the smallest input."""
    result = judge(sandbox, "def double(n):\n    return 2 * n + (n > 100)\n", law)

    assert result.verdict is Verdict.FAIL
    (finding,) = result.findings
    assert finding.check == law.id
    if law is assumes_an_answer:
        assert finding.input == "n=101"


def test_a_solution_that_is_right_only_the_second_time_fails(sandbox: Sandbox) -> None:
    """A file that outlives nothing, a counter that starts anew: what failed once is not forgiven."""
    source = "calls = []\ndef double(n):\n    calls.append(n)\n    return 2 * n if len(calls) != 40 else None\n"

    result = judge(sandbox, source, again)

    assert result.verdict is Verdict.FAIL


def test_a_worker_that_ends_while_it_is_asked_ahead_fails_on_that_input(sandbox: Sandbox) -> None:
    """The finding names the input whose answer never came."""
    result = judge(sandbox, "import os\ndef double(n):\n    if n > 20: os._exit(0)\n    return 2 * n\n", twice)

    assert result.verdict is Verdict.FAIL
    (finding,) = result.findings
    planned = plan_examples(twice, seed=0, task="double")
    assert planned is not None
    first = next(example.drawn["n"] for example in planned if int(str(example.drawn["n"])) > 20)
    assert finding.input is not None
    assert f"n={first}" in finding.input


def test_an_answer_to_another_question_is_not_used(sandbox: Sandbox) -> None:
    """What was asked ahead is an answer to that question only, by the bytes that the worker got."""
    recorder = Recorder(Candidate(sandbox, "double", wall_seconds=1.0), [])
    recorder.know(Call(args=(1,)), Reply(value="an answer"))

    with pytest.raises(DivergedError):
        recorder(True)
    recorder.know(Call(args=(1,)), Reply(value="an answer"))
    assert recorder(1) == "an answer"
