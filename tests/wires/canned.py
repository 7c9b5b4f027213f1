"""A model on the other side of a wire that says what the shipped corpus says."""

from __future__ import annotations

from collections.abc import Callable

from codegen_eval.corpus import reply_text
from codegen_eval.models import Role
from codegen_eval.solution import Strategy
from codegen_eval.strategy import TURNS, Prompts
from codegen_eval.task_loader import discover_tasks
from wires.script import Asked, Said

Key = tuple[str | None, tuple[str, ...]]


def canned(*, counted: bool = False) -> Callable[[Asked], Said]:
    """Return a script that answers each question of the strategies about the shipped tasks as the corpus does.

    Without counts the reply's tokens are estimated, as they are for `--mock`. `spec` and the first turn of
    `self-review` ask the same, and get what the corpus says to `spec`; the second turn gets what belongs to it,
    whatever the first answer was. A question that is none of these is a `KeyError` in the server, and a lost
    connection to its client.
    """
    prompts = Prompts()
    answers: dict[Key, Said] = {}
    for task in discover_tasks().values():
        for strategy in Strategy:
            replies: tuple[str, ...] = ()
            for turn in range(TURNS[strategy]):
                messages = prompts.messages(task, strategy, earlier=replies)
                asked = tuple(message.content for message in messages if message.role is Role.USER)
                said = reply_text(task.id, strategy, turn)
                answers.setdefault((messages[0].content, asked), Said(text=said, counted=counted))
                replies += (said,)

    def script(asked: Asked) -> Said:
        return answers[asked.system, tuple(said for role, said in asked.messages if role == "user")]

    return script
