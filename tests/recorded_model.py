"""A script for wire servers: the recorded replies of the canned corpus, told by what a request says."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from threading import Lock

from codegen_eval.corpus import reply_text
from codegen_eval.models import Role
from codegen_eval.solution import Strategy
from codegen_eval.strategy import TURNS, Prompts
from codegen_eval.task_loader import discover_tasks
from codegen_eval.tokens import estimate_message_tokens, estimate_tokens
from wires import Asked, Fault, Said

Question = tuple[str | None, tuple[tuple[str, str], ...]]
"""The system's words, and role and text of the other messages."""


def question_of(asked: Asked) -> Question:
    """Return what tells one request from another, whoever asks it how often."""
    return asked.system, asked.messages


class RecordedModel:
    """Answer every question with its recorded reply, after the faults that were asked for.

    Two strategies may begin with the same words: then the replies are given in the order of the strategies, so that
    such a run should ask one question at a time.
    """

    def __init__(
        self, *, strategies: Iterable[Strategy] = Strategy, faults: Mapping[int, tuple[Said | Fault, ...]] = {}
    ) -> None:
        """`faults` come before the answer to the question that is the how-many-th new one, from 0."""
        self._replies = _replies(strategies)
        self._faults = faults or {}
        self._lock = Lock()
        self._met: dict[Question, list[Said | Fault]] = {}
        self.given: Counter[Question] = Counter()
        """How often each question got its reply."""

    @property
    def questions(self) -> int:
        """How many replies there are to give."""
        return sum(map(len, self._replies.values()))

    def __call__(self, asked: Asked) -> Said | Fault:
        """Answer, or fail."""
        question = question_of(asked)
        with self._lock:
            before = self._met.setdefault(question, list(self._faults.get(len(self._met), ())))
            if before:
                return before.pop(0)
            replies = self._replies[question]
            text = replies[min(self.given[question], len(replies) - 1)]
            self.given[question] += 1
        contents = [asked.system or "", *(content for _, content in asked.messages)]
        return Said(text=text, input_tokens=estimate_message_tokens(contents), output_tokens=estimate_tokens(text))


def _replies(strategies: Iterable[Strategy]) -> dict[Question, list[str]]:
    prompts = Prompts()
    chosen = tuple(strategies)
    found: dict[Question, list[str]] = {}
    for task in discover_tasks().values():
        for strategy in chosen:
            earlier: tuple[str, ...] = ()
            for turn in range(TURNS[strategy]):
                messages = prompts.messages(task, strategy, earlier=earlier)
                said = tuple((m.role.value, m.content) for m in messages if m.role is not Role.SYSTEM)
                text = reply_text(task.id, strategy, turn)
                found.setdefault((messages[0].content, said), []).append(text)
                earlier += (text,)
    return found
