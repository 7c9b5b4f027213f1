"""Strategies: what a model is shown, turn by turn.

They build on each other, so that the difference of two scorecards has one cause:

=============  =========================================================  =====
strategy       what it shows                                              calls
=============  =========================================================  =====
`bare`         the signature and the statement                            1
`spec`         what `bare` shows, the constraints and the edge cases      1
`test-first`   what `spec` shows, and the shown cases as asserts          1
`self-review`  what `spec` shows; then its own answer, to be revised      2
=============  =========================================================  =====

The texts are the templates in `prompts/`, one file for each strategy and turn. Only the task, which is trusted, is ever
filled into them: an earlier answer of the model goes into the conversation as a message of its own.
"""

from __future__ import annotations

from collections.abc import Callable
from types import MappingProxyType
from typing import Protocol

from codegen_eval.assertion import render_case_as_assert
from codegen_eval.models import Message, Role
from codegen_eval.solution import Strategy
from codegen_eval.task import Task
from codegen_eval.template import prompt_templates

TURNS = MappingProxyType({Strategy.BARE: 1, Strategy.SPEC: 1, Strategy.TEST_FIRST: 1, Strategy.SELF_REVIEW: 2})
"""How many calls each strategy makes."""


class Briefing(Protocol):
    """What models are told of tasks of one kind, and what is made of the code in their replies."""

    def messages(self, task: Task, strategy: Strategy, *, earlier: tuple[str, ...] = ()) -> tuple[Message, ...]:
        """Return the conversation that the next turn sends, where `earlier` are the replies to the turns before.

        Raises:
            ValueError: the strategy has no such turn.
        """

    def wanted(self, task: Task) -> str:
        """Return the name by which the code is looked for in a reply."""

    def program(self, task: Task, code: str) -> str:
        """Return the program that is judged for the code of a reply; an empty one where there is none."""


class Prompts:
    """The templates for tasks of our own form, each compiled once."""

    def __init__(self) -> None:
        self._templates = prompt_templates()

    def messages(self, task: Task, strategy: Strategy, *, earlier: tuple[str, ...] = ()) -> tuple[Message, ...]:
        """Return the conversation, as `Briefing` says."""
        return converse(strategy, earlier, lambda name: self._render(name, task))

    def wanted(self, task: Task) -> str:
        """Return the entry point."""
        return task.text.entry_point

    def program(self, task: Task, code: str) -> str:  # noqa: ARG002  the seam tells it; our tasks have nothing around
        """Return the code."""
        return code

    def _render(self, name: str, task: Task) -> str:
        assertions = [render_case_as_assert(task.text.entry_point, case, task.text.kind) for case in task.shown]
        return self._templates.get_template(f"{name}.j2").render(text=task.text, assertions=assertions)


def converse(strategy: Strategy, earlier: tuple[str, ...], render: Callable[[str], str]) -> tuple[Message, ...]:
    """Return the conversation that the next turn sends, from the templates that `render` fills in.

    Raises:
        ValueError: the strategy has no such turn.
    """
    if len(earlier) >= TURNS[strategy]:
        msg = f"strategy `{strategy}` has {TURNS[strategy]} turns, and {len(earlier)} were answered"
        raise ValueError(msg)

    def message(role: Role, name: str) -> Message:
        return Message(role=role, content=render(name).rstrip("\n") + "\n")

    messages = [message(Role.SYSTEM, "system")]
    for turn, reply in enumerate((*earlier, None), start=1):
        messages.append(message(Role.USER, f"{strategy}.{turn}"))
        if reply is not None:
            messages.append(Message(role=Role.ASSISTANT, content=reply))
    return tuple(messages)
