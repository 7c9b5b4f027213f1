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

from types import MappingProxyType

from codegen_eval.assertion import render_case_as_assert
from codegen_eval.models import Message, Role
from codegen_eval.solution import Strategy
from codegen_eval.task import Task
from codegen_eval.template import prompt_templates

TURNS = MappingProxyType({Strategy.BARE: 1, Strategy.SPEC: 1, Strategy.TEST_FIRST: 1, Strategy.SELF_REVIEW: 2})
"""How many calls each strategy makes."""


class Prompts:
    """The templates of the package, each compiled once."""

    def __init__(self) -> None:
        self._templates = prompt_templates()

    def messages(self, task: Task, strategy: Strategy, *, earlier: tuple[str, ...] = ()) -> tuple[Message, ...]:
        """Return the conversation that the next turn sends, where `earlier` are the replies to the turns before.

        Raises:
            ValueError: the strategy has no such turn.
        """
        if len(earlier) >= TURNS[strategy]:
            msg = f"strategy `{strategy}` has {TURNS[strategy]} turns, and {len(earlier)} were answered"
            raise ValueError(msg)
        messages = [Message(role=Role.SYSTEM, content=self._render("system", task))]
        for turn, reply in enumerate((*earlier, None), start=1):
            messages.append(Message(role=Role.USER, content=self._render(f"{strategy}.{turn}", task)))
            if reply is not None:
                messages.append(Message(role=Role.ASSISTANT, content=reply))
        return tuple(messages)

    def _render(self, name: str, task: Task) -> str:
        assertions = [render_case_as_assert(task.text.entry_point, case) for case in task.shown]
        text = self._templates.get_template(f"{name}.j2").render(text=task.text, assertions=assertions)
        return text.rstrip("\n") + "\n"
