"""The mock model: replies written beforehand, looked up by what a request is for and never by what it says."""

from __future__ import annotations

from pathlib import Path

from codegen_eval.corpus import reply_text
from codegen_eval.errors import ModelError
from codegen_eval.models import Reply, Request
from codegen_eval.tokens import estimate_message_tokens, estimate_tokens


class MockModel:
    """Answer with the canned replies of a corpus. Token counts are estimates of what really was exchanged."""

    def __init__(self, corpus_root: Path) -> None:
        self._corpus = corpus_root

    @property
    def provider(self) -> str:
        """`mock`."""
        return "mock"

    def complete(self, request: Request) -> Reply:
        """Return the canned reply.

        Raises:
            CorpusError: there is none, or it is not text.
            ModelError: a review is asked for.
        """
        if request.strategy is None:
            raise ModelError("the canned corpus holds no reviews", hint="name a model with `--reviewer`")
        text = reply_text(request.task, request.strategy, request.turn, self._corpus, sample=request.sample)
        return Reply(
            text=text,
            input_tokens=estimate_message_tokens(message.content for message in request.messages),
            output_tokens=estimate_tokens(text),
            estimated=True,
        )
