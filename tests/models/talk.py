"""What the tests of providers share: requests, and models that ask a local server."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta

from codegen_eval.models import Message, Model, Request, Role, Tool
from codegen_eval.models.patience import Policy
from codegen_eval.models.provider import make_model
from codegen_eval.solution import Strategy
from wires import ANTHROPIC, BEDROCK, OPENAI, WireServer
from wires.server import Format

FORMATS: dict[str, Format] = {"claude": ANTHROPIC, "bedrock": BEDROCK, "openai": OPENAI}
TOOL = Tool(name="verdict", description="Say what is wrong.", parameters='{"type": "object"}')
BRIEF = Policy(attempts=3, call=timedelta(seconds=20))


def make_request(
    *,
    temperature: float | None = 0.0,
    tool: Tool | None = None,
    max_tokens: int = 100,
    prompt: str = "Write `f`.",
    strategy: Strategy | None = None,
) -> Request:
    """Return a request with a system prompt, an earlier answer and a question."""
    return Request(
        model="some.model-1:0",
        messages=(
            Message(role=Role.SYSTEM, content="You write Python."),
            Message(role=Role.USER, content="Write `e`."),
            Message(role=Role.ASSISTANT, content="def e(): ..."),
            Message(role=Role.USER, content=prompt),
        ),
        task="f",
        strategy=strategy,
        max_tokens=max_tokens,
        temperature=temperature,
        tool=tool,
    )


def connect(
    mode: str,
    server: WireServer,
    *,
    policy: Policy = BRIEF,
    concurrency: int = 4,
    sleep: Callable[[float], object] = lambda _: None,
) -> Model:
    """Return the model of a mode that finds the server as a user's program would: by its environment."""
    return make_model(mode, environ=server.environment(), policy=policy, concurrency=concurrency, sleep=sleep)
