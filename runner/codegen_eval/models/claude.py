"""Claude through Anthropic's SDK. Every reply is streamed, so that no proxy takes a long one for a dead connection.

Since version 2026-10-21 the API takes no temperature. Where one is asked for, the version before is, which takes it
for the models that still have one; the newest models refuse it there as well.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from codegen_eval.errors import ModelAccessError, ModelError
from codegen_eval.models import Request, Role, StopReason
from codegen_eval.models.endpoint import Answer
from codegen_eval.models.fault import Access, hide, lost, refusal, shown
from codegen_eval.models.reading import UNREADABLE, count, field, retry_after, text

if TYPE_CHECKING:
    from anthropic import APIStatusError, AsyncAnthropic

WITH_TEMPERATURE = "2023-06-01"
"""The last version of the API that takes a temperature."""

ADDRESS = "https://api.anthropic.com"
NO_KEY = "set `ANTHROPIC_API_KEY` in the environment or in `.env`"

_FIRST_REFUSAL = 300
_STOPS = {
    "end_turn": StopReason.END,
    "stop_sequence": StopReason.END,
    "tool_use": StopReason.END,
    "max_tokens": StopReason.MAX_TOKENS,
    "model_context_window_exceeded": StopReason.MAX_TOKENS,
    "refusal": StopReason.REFUSAL,
}
_STATUS_OF_TYPE = {
    "invalid_request_error": 400,
    "authentication_error": 401,
    "billing_error": 402,
    "permission_error": 403,
    "not_found_error": 404,
    "request_too_large": 413,
    "rate_limit_error": 429,
    "overloaded_error": 529,
    "timeout_error": 504,
}
"""An error in the middle of a stream comes under status 200, and says by its type what it is."""


class ClaudeEndpoint:
    """Ask Anthropic, or a server that speaks as it does."""

    def __init__(self, *, environ: Mapping[str, str], base_url: str | None = None) -> None:

        from codegen_eval.models import web

        self._base_url = base_url or environ.get("ANTHROPIC_BASE_URL") or None
        self._context = web.make_context()
        self._key = environ.get("ANTHROPIC_API_KEY") or None
        self._token = environ.get("ANTHROPIC_AUTH_TOKEN") or None if self._key is None else None
        self._access = Access(
            name="Anthropic",
            hint="check the key in `ANTHROPIC_API_KEY`, and that its account may use the model",
            address=self._base_url,
            form=f"without `/v1`, as `{ADDRESS}`",
            secrets=tuple(secret for secret in (self._key, self._token) if secret),
        )
        if self._key is None and self._token is None and not _has_profile(self._access):
            raise ModelAccessError("there is no key for Anthropic", hint=NO_KEY)

    @property
    def provider(self) -> str:
        """`claude`."""
        return "claude"

    @property
    def address(self) -> str | None:
        """Without a key of ours a profile of the SDK's may name another one."""
        return self._base_url or (ADDRESS if self._access.secrets else None)

    def ask(self, request: Request, *, seconds: float) -> Answer:
        """Ask once; see `Endpoint`."""
        from codegen_eval.models import web

        return web.run(lambda: self._exchange(request, seconds), seconds=seconds)

    async def _exchange(self, request: Request, seconds: float) -> Answer:
        import anthropic
        import httpx2

        from codegen_eval.models import web

        try:
            async with anthropic.AsyncAnthropic(
                api_key=self._key,
                auth_token=self._token,
                base_url=self._base_url,
                max_retries=0,
                timeout=seconds,
                http_client=web.make_client(self._context, seconds=seconds, stream=True),
            ) as client:
                return await self._listen(client, request)
        except anthropic.APIStatusError as exc:
            raise self._refusal(exc, request) from exc
        except (anthropic.AnthropicError, httpx2.HTTPError, *UNREADABLE) as exc:
            raise lost(self._access, exc) from exc

    async def _listen(self, client: AsyncAnthropic, request: Request) -> Answer:
        reply = _Assembly()
        async with await client.messages.create(stream=True, **_parameters(request)) as stream:
            async for event in stream:
                reply.add(event)
        return reply.answer(self._access)

    def _refusal(self, exc: APIStatusError, request: Request) -> ModelError:
        inner = text(exc.body, "error", "type")
        said = text(exc.body, "error", "message") or (exc.body if isinstance(exc.body, str) else "")
        status, seen = exc.status_code, ""
        if status < _FIRST_REFUSAL:
            status, seen = _STATUS_OF_TYPE.get(inner, 500), shown(inner[:40])
        return refusal(self._access, request, status, said, wait=retry_after(exc.response.headers), seen=seen)


def _parameters(request: Request) -> dict[str, Any]:
    """Return what is asked, in the SDK's names; its types can't say that some of them may be missing."""
    asked: dict[str, Any] = {
        "model": request.model,
        "max_tokens": request.max_tokens,
        "messages": [
            {"role": "user" if message.role is Role.USER else "assistant", "content": message.content}
            for message in request.messages
            if message.role is not Role.SYSTEM
        ],
    }
    system = [message.content for message in request.messages if message.role is Role.SYSTEM]
    if system:
        asked["system"] = "\n\n".join(system)
    if request.temperature is not None:
        asked["extra_body"] = {"temperature": request.temperature}
        asked["extra_headers"] = {"anthropic-version": WITH_TEMPERATURE}
    if request.tool is not None:
        schema = json.loads(request.tool.parameters)
        tool = {"name": request.tool.name, "description": request.tool.description, "input_schema": schema}
        asked["tools"] = [tool]
        asked["tool_choice"] = {"type": "tool", "name": request.tool.name, "disable_parallel_tool_use": True}
    return asked


def _has_profile(access: Access) -> bool:
    """Tell whether the SDK finds credentials of its own, as a profile on disk."""
    import anthropic

    try:
        return anthropic.AsyncAnthropic().credentials is not None
    except anthropic.AnthropicError as exc:
        raise ModelAccessError(
            f"the credentials for Anthropic can't be read: {hide(shown(str(exc)), access.secrets)}", hint=NO_KEY
        ) from exc


class _Assembly:
    """A reply as it comes in."""

    def __init__(self) -> None:
        self._text: list[str] = []
        self._arguments: list[str] = []
        self._called = False
        self._stop: str | None = None
        self._input: int | None = None
        self._output: int | None = None
        self._cached = 0
        self._whole = False

    def add(self, event: object) -> None:
        """Take one event. Unknown ones, and thinking, are passed over."""
        match text(event, "type"):
            case "message_start":
                self._count(field(event, "message", "usage"))
            case "content_block_start":
                self._called |= text(event, "content_block", "type") == "tool_use"
                self._text.append(text(event, "content_block", "text"))
            case "content_block_delta":
                self._text.append(text(event, "delta", "text"))
                self._arguments.append(text(event, "delta", "partial_json"))
            case "message_delta":
                self._stop = text(event, "delta", "stop_reason") or self._stop
                self._count(field(event, "usage"))
            case "message_stop":
                self._whole = True

    def answer(self, access: Access) -> Answer:
        """Return the whole answer.

        Raises:
            ModelUnavailableError: its end is missing.
        """
        if not self._whole or self._stop is None:
            raise lost(access, "the stream ended early")
        return Answer(
            text="".join(self._text),
            arguments=("".join(self._arguments) or "{}") if self._called else None,
            stop=_STOPS.get(self._stop, StopReason.OTHER),
            input_tokens=self._input,
            output_tokens=self._output,
            cached_tokens=self._cached,
        )

    def _count(self, usage: object) -> None:
        """Take the counts, each of which stands for the whole reply so far. Writing to the cache is input as well."""
        fresh = count(usage, "input_tokens")
        if fresh is not None:
            self._input = fresh + (count(usage, "cache_creation_input_tokens") or 0)
        self._cached = count(usage, "cache_read_input_tokens") or self._cached
        output = count(usage, "output_tokens")
        self._output = self._output if output is None else output
