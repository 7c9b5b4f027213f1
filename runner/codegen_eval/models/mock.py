"""The mock model: replies written beforehand, looked up by what a request is for and never by what it says."""

from __future__ import annotations

import re
from pathlib import Path

from codegen_eval.errors import CorpusError
from codegen_eval.models import Reply, Request
from codegen_eval.strategy import TURNS
from codegen_eval.tokens import estimate_message_tokens, estimate_tokens

MAX_REPLY_BYTES = 1 << 20
"""A canned reply larger than this is a defect of the corpus."""

_TASK_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]*")


class MockModel:
    """Answer from `<corpus_root>/mock/<task>/<strategy>.md`.

    A strategy of several turns has one file for each: `self-review.1.md`, `self-review.2.md`. Sample n > 0 has `@n`
    before the suffix: `bare@1.md`. Token counts are estimates of what really was exchanged.
    """

    def __init__(self, corpus_root: Path) -> None:
        self._replies = corpus_root / "mock"

    @property
    def provider(self) -> str:
        """`mock`."""
        return "mock"

    def complete(self, request: Request) -> Reply:
        """Return the canned reply.

        Raises:
            CorpusError: there is none, or it is not text.
        """
        text = self._read(request)
        return Reply(
            text=text,
            input_tokens=estimate_message_tokens(message.content for message in request.messages),
            output_tokens=estimate_tokens(text),
            estimated=True,
        )

    def _read(self, request: Request) -> str:
        path = self._path(request)
        try:
            with path.open("rb") as file:
                raw = file.read(MAX_REPLY_BYTES + 1)
        except OSError as exc:
            raise CorpusError(
                f"mock corpus: no reply for task `{request.task}`, strategy `{request.strategy}`, turn {request.turn}, "
                f"sample {request.sample} (`{path}`: {exc.strerror})",
                hint="add the file, or leave the task or the strategy out with `--tasks` or `--strategies`",
            ) from exc
        if len(raw) > MAX_REPLY_BYTES:
            raise CorpusError(f"mock corpus: `{path}` is larger than {MAX_REPLY_BYTES} bytes")
        try:
            return raw.decode("utf-8")
        except UnicodeDecodeError as exc:
            raise CorpusError(f"mock corpus: `{path}` is not UTF-8 (byte {exc.start})") from exc

    def _path(self, request: Request) -> Path:
        turns = TURNS[request.strategy]
        if not _TASK_ID.fullmatch(request.task) or not 0 <= request.turn < turns:
            raise CorpusError(
                f"mock corpus: no reply for task {request.task!r}, strategy `{request.strategy}`, turn {request.turn}"
            )
        turn = f".{request.turn + 1}" if turns > 1 else ""
        sample = f"@{request.sample}" if request.sample else ""
        return self._replies / request.task / f"{request.strategy}{turn}{sample}.md"
