"""Laws of the prompts."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from codegen_eval.models import Role
from codegen_eval.solution import Strategy
from codegen_eval.strategy import TURNS, Prompts
from codegen_eval.task import Case, Task, TaskText
from codegen_eval.verdict import FailureClass

HIDDEN = "a hidden case, 4711"
REFERENCE = "def f(x):\n    return 'the reference'\n"


def make_task(statement: str = "Return x, unless it is <b>{{ bold }}</b> & so on.") -> Task:
    """Return a small task with one shown and one hidden case."""
    text = TaskText(
        entry_point="f",
        signature="def f(x: int) -> int:",
        summary="Return x.",
        statement=statement,
        constraints=("No imports.", "x is an int."),
        edge_cases=("x may be 0.",),
    )
    cases = (
        Case("shown", (1,), 1, aimed_at=FailureClass.WRONG_LOGIC, shown=True),
        Case("raises", ("",), raises=ValueError, aimed_at=FailureClass.WRONG_LOGIC, shown=True),
        Case("hidden", (HIDDEN,), 2, aimed_at=FailureClass.WRONG_LOGIC),
    )
    return Task(id="t", text=text, cases=cases, performance=(), properties=(), reference=REFERENCE, digest="0" * 64)


def _prompt(strategy: Strategy, *earlier: str) -> str:
    return Prompts().messages(make_task(), strategy, earlier=earlier)[-1].content


@pytest.mark.parametrize(
    ("strategy", "parts"),
    [
        (Strategy.BARE, (True, False, False)),
        (Strategy.SPEC, (True, True, False)),
        (Strategy.TEST_FIRST, (True, True, True)),
        (Strategy.SELF_REVIEW, (True, True, False)),
    ],
)
def test_each_strategy_shows_what_it_says(strategy: Strategy, parts: tuple[bool, bool, bool]) -> None:
    """Statement, then specification, then the shown cases: cumulative, and nothing that belongs to a later one."""
    prompt = _prompt(strategy)

    statement = "unless it is <b>{{ bold }}</b> & so on." in prompt and "def f(x: int) -> int:" in prompt
    specification = {"- No imports." in prompt, "- x is an int." in prompt, "- x may be 0." in prompt}
    assert specification == {parts[1]}
    assert (statement, "assert f(1) == 1\n" in prompt) == (parts[0], parts[2])
    assert ("except ValueError:" in prompt) is parts[2]


@pytest.mark.parametrize("strategy", Strategy)
def test_hidden_cases_and_the_reference_are_never_shown(strategy: Strategy) -> None:
    """No turn of any strategy says what only the judge may know."""
    messages = Prompts().messages(make_task(), strategy, earlier=("answer",) * (TURNS[strategy] - 1))
    conversation = "".join(message.content for message in messages)

    assert HIDDEN not in conversation
    assert "the reference" not in conversation


def test_self_review_sees_its_own_answer() -> None:
    """The second turn repeats the first, then the model's answer word for word, then asks for the revision."""
    answer = "{{ 1 / 0 }} {% raw %} <b>"
    first = Prompts().messages(make_task(), Strategy.SELF_REVIEW)
    second = Prompts().messages(make_task(), Strategy.SELF_REVIEW, earlier=(answer,))

    assert second[: len(first)] == first
    assert [message.role for message in second] == [Role.SYSTEM, Role.USER, Role.ASSISTANT, Role.USER]
    assert second[2].content == answer
    assert "Review your answer" in second[3].content


@pytest.mark.parametrize("strategy", Strategy)
def test_a_strategy_has_no_more_turns_than_it_says(strategy: Strategy) -> None:
    with pytest.raises(ValueError, match="were answered"):
        Prompts().messages(make_task(), strategy, earlier=("answer",) * TURNS[strategy])


def test_a_prompt_is_a_readable_text() -> None:
    """The whole of a prompt, as a model gets it: no blank lines too many, and one newline at its end."""
    assert _prompt(Strategy.TEST_FIRST) == (
        "Write this function:\n\n```python\ndef f(x: int) -> int:\n    ...\n```\n\n"
        "Return x, unless it is <b>{{ bold }}</b> & so on.\n\n"
        "Constraints:\n- No imports.\n- x is an int.\n\nEdge cases:\n- x may be 0.\n\n"
        "These tests must pass. Values are compared together with their types, so 1 is neither True nor 1.0. "
        "There are further tests that you don't see.\n\n"
        '```python\nassert f(1) == 1\n\ntry:\n    f("")\nexcept ValueError:\n    pass\nelse:\n'
        "    raise AssertionError('f(\"\") must raise ValueError')\n```\n"
    )


@given(st.text(min_size=1))
def test_a_statement_is_never_interpreted(statement: str) -> None:
    """What a statement holds reaches the model as it is, template marks included."""
    task = make_task(statement)

    assert statement.strip() in Prompts().messages(task, Strategy.BARE)[-1].content
