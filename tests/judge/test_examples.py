"""The examples of a property are those that Hypothesis would ask, and a solution is judged on them alone or by it."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import assume
from hypothesis import strategies as st

from codegen_eval.interfaces import Sandbox, WorkerLimits
from codegen_eval.judge.bench import Bench, Settings
from codegen_eval.judge.candidate import Call, Candidate
from codegen_eval.judge.examples import EXAMPLES, explore, plan_examples
from codegen_eval.judge.recorder import Recorder
from codegen_eval.judge.reply import Reply
from codegen_eval.layers.props import Props
from codegen_eval.task import Property, prop
from codegen_eval.verdict import FailureClass, LayerResult, Verdict
from factories import make_solution, make_task

WRONG = FailureClass.WRONG_LOGIC
HONEST = "def double(n):\n    return 2 * n\n"


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
    assert [example.asked for example in planned] == [(Call(args=(drawn["n"],)),) for drawn in asked]


def test_an_input_made_on_the_way_is_not_planned() -> None:
    """A law whose inputs exist only while Hypothesis runs has no planned examples."""
    assert plan_examples(draws_on_the_way, seed=0, task="double") is None


@pytest.mark.parametrize("law", LAWS, ids=lambda law: law.id)
def test_every_kind_of_law_holds_for_an_honest_solution(sandbox: Sandbox, law: Property) -> None:
    """Whether its examples can be planned or not, a law is executed as often as is asked for."""
    result = judge(sandbox, HONEST, law)

    assert result.verdict is Verdict.PASS
    assert dict(result.facts)["examples"] == EXAMPLES


@pytest.mark.slow
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
    ending = [f"n={example.drawn['n']}, " for example in planned if int(str(example.drawn["n"])) > 20]
    assert finding.input is not None
    assert finding.input.startswith(tuple(ending))


@prop(WRONG, a=st.integers(-9, 9), b=st.integers(-9, 9))
def compares_two(double: Callable[..., int], a: int, b: int) -> None:
    assert double(a + b) == double(a) + double(b)


@prop(WRONG, n=st.integers(-9, 9))
def looks_at_the_type(double: Callable[..., int], n: int) -> None:
    answer = double(n)
    other = double(n + 1) if type(answer) is int else double(0)
    assert other == 2 * n + 2


@pytest.mark.parametrize(
    ("law", "questions"),
    [(compares_two, 3), (again, 1), (assumes_an_answer, 1), (looks_at_the_type, 2)],
    ids=lambda value: getattr(value, "id", None),
)
def test_what_is_asked_before_an_answer_is_looked_at_is_planned(law: Property, questions: int) -> None:
    """A law is heard up to the point where an answer would have to be there."""
    planned = plan_examples(law, seed=0, task="double")

    assert planned is not None
    assert {len(example.asked) for example in planned} == {questions}


@pytest.mark.parametrize("law", [compares_two, looks_at_the_type], ids=lambda law: law.id)
def test_a_law_that_goes_another_way_with_answers_is_still_judged_right(sandbox: Sandbox, law: Property) -> None:
    """A question planned in vain is dropped: the answer that counts is the one to the question that is asked."""
    assert judge(sandbox, HONEST, law).verdict is Verdict.PASS
    assert judge(sandbox, "def double(n):\n    return 2 * n if n < 5 else 0\n", law).verdict is Verdict.FAIL


def test_an_answer_to_another_question_is_not_used(sandbox: Sandbox) -> None:
    """What was asked ahead is an answer to that question only, by the bytes that the worker got."""
    candidate = Candidate(sandbox, "double", wall_seconds=1.0)
    candidate.load(HONEST, WorkerLimits(cpu_seconds=1.0))
    recorder = Recorder(candidate, [])
    recorder.know([(Call(args=(1,)), Reply(value="an answer"))])

    assert recorder(True) == 2  # 1 == True, but not on the wire
    recorder.know([(Call(args=(1,)), Reply(value="an answer"))])
    assert recorder(1) == "an answer"


def test_large_replies_take_more_round_trips(sandbox: Sandbox) -> None:
    """What one round trip may bring is a limit on hostile replies, and not on many honest ones."""
    candidate = Candidate(sandbox, "double", wall_seconds=5.0)
    candidate.load("def double(n):\n    return 'x' * n\n", WorkerLimits(cpu_seconds=5.0))
    sizes = [300_000] * 10 + [6 << 20] * 14

    candidate.batch([Call(args=(1_000_000,))])
    replies = candidate.batch([Call(args=(size,)) for size in sizes])

    assert [len(str(reply.result())) for reply in replies] == sizes
