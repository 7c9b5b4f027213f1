"""Laws of the mock model."""

from __future__ import annotations

from pathlib import Path

import pytest

from codegen_eval.corpus import MAX_REPLY_BYTES
from codegen_eval.errors import CorpusError
from codegen_eval.models import Message, Model, Reply, Request, Role
from codegen_eval.models.mock import MockModel
from codegen_eval.resources import resource_root
from codegen_eval.solution import Strategy
from codegen_eval.strategy import TURNS
from codegen_eval.tokens import MESSAGE_TOKENS, estimate_tokens


def _request(
    strategy: Strategy = Strategy.BARE, *, task: str = "t", turn: int = 0, sample: int = 0, prompt: str = "p"
) -> Request:
    messages = (Message(role=Role.SYSTEM, content="s"), Message(role=Role.USER, content=prompt))
    return Request(model="mock", messages=messages, task=task, strategy=strategy, turn=turn, sample=sample)


@pytest.fixture
def model(tmp_path: Path) -> MockModel:
    folder = tmp_path / "mock" / "t"
    folder.mkdir(parents=True)
    for name in ("bare", "bare@1", "spec", "test-first", "self-review.1", "self-review.2"):
        (folder / f"{name}.md").write_text(f"reply {name}\r\n", "utf-8", newline="")
    return MockModel(tmp_path)


@pytest.mark.parametrize(
    ("request_", "name"),
    [
        (_request(), "bare"),
        (_request(sample=1), "bare@1"),
        (_request(Strategy.SPEC), "spec"),
        (_request(Strategy.TEST_FIRST), "test-first"),
        (_request(Strategy.SELF_REVIEW), "self-review.1"),
        (_request(Strategy.SELF_REVIEW, turn=1), "self-review.2"),
        (_request(prompt="spec, please"), "bare"),
    ],
)
def test_a_reply_is_looked_up_by_what_the_request_is_for(model: Model, request_: Request, name: str) -> None:
    """Task, strategy, turn and sample decide which file is the reply, byte for byte; the messages don't."""
    assert model.complete(request_).text == f"reply {name}\r\n"


def test_tokens_are_estimated_from_what_was_exchanged(model: MockModel) -> None:
    """Every message and the reply are counted, and the counts are labelled an estimate."""
    reply = model.complete(_request(prompt="two words"))

    assert reply == Reply(
        text="reply bare\r\n",
        input_tokens=estimate_tokens("s") + estimate_tokens("two words") + 2 * MESSAGE_TOKENS,
        output_tokens=estimate_tokens("reply bare\r\n"),
        estimated=True,
    )


@pytest.mark.parametrize(
    "request_",
    [_request(task="absent"), _request(turn=1), _request(sample=2), _request(task="../t"), _request(task="")],
)
def test_a_missing_reply_is_the_corpuss_fault(model: MockModel, request_: Request) -> None:
    """A request that nothing was written for is an error that names it, and no path leads out of the corpus."""
    with pytest.raises(CorpusError, match="no reply for task"):
        model.complete(request_)


@pytest.mark.parametrize("content", [b"\xff", b"x" * (MAX_REPLY_BYTES + 1)])
def test_a_reply_that_is_no_text_is_refused(model: MockModel, tmp_path: Path, content: bytes) -> None:
    (tmp_path / "mock" / "t" / "spec.md").write_bytes(content)

    with pytest.raises(CorpusError, match=r"spec\.md"):
        model.complete(_request(Strategy.SPEC))


def test_the_shipped_corpus_answers_every_strategy() -> None:
    """Every task of the shipped corpus has a reply for every strategy and turn, and no file lies there unused."""
    root = resource_root() / "corpus"
    tasks = sorted(folder.name for folder in (root / "mock").iterdir() if folder.is_dir())
    model = MockModel(root)

    texts = [
        model.complete(_request(strategy, task=task, turn=turn)).text
        for task in tasks
        for strategy in Strategy
        for turn in range(TURNS[strategy])
    ]
    assert tasks
    assert all(text.strip() for text in texts)
    assert len(texts) == len(list((root / "mock").glob("*/*.md")))
