"""Any server that speaks as OpenAI's chat completions do: vLLM, Ollama, LM Studio, gateways, and OpenAI.

Not all know all of it. What a server says that it does not know is left out from then on, for that model:

=======================================  ==========================================
a refusal that names                     is answered by
=======================================  ==========================================
`max_completion_tokens`                  that parameter in place of `max_tokens`
tools, or an answer that calls none      `response_format` with the tool's schema
`stream`                                 asking for the whole reply at once
=======================================  ==========================================

A temperature is never left out unasked: it would change what is measured.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from threading import Lock
from typing import TYPE_CHECKING, Any

from codegen_eval.errors import ModelAccessError, ModelError
from codegen_eval.models import Request, StopReason, Tool
from codegen_eval.models.endpoint import Answer
from codegen_eval.models.fault import Access, lost, quote, refusal
from codegen_eval.models.reading import UNREADABLE, count, field, items, retry_after, text

if TYPE_CHECKING:
    from openai import APIStatusError, AsyncOpenAI

ADDRESS = "https://api.openai.com/v1"
NO_KEY = "set `OPENAI_API_KEY` in the environment or in `.env`, or name another server with `--base-url`"

_STOPS = {
    "stop": StopReason.END,
    "tool_calls": StopReason.END,
    "function_call": StopReason.END,
    "length": StopReason.MAX_TOKENS,
    "content_filter": StopReason.REFUSAL,
}
_OF_ACCOUNT = frozenset({"insufficient_quota", "billing_hard_limit_reached", "billing_not_active"})
"""They come under status 429, and waiting does not help."""
_TOO_MANY = 429
_NOT_KNOWN = frozenset({400, 404, 405, 415, 422, 501})
"""How servers refuse a parameter that they don't know."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Dialect:
    """What a model's server knows, as far as we know."""

    limit: str = "max_tokens"
    tools: bool = True
    stream: bool = True

    def without(self, said: str, tool: Tool | None) -> _Dialect:
        """Return what is left after a refusal in these words."""
        said = said.casefold()
        if "max_completion_tokens" in said:
            return replace(self, limit="max_completion_tokens")
        if tool is not None and "tool" in said:
            return replace(self, tools=False)
        return replace(self, stream=False) if "stream" in said else self


class OpenAIEndpoint:
    """Ask OpenAI, or a server that speaks as it does."""

    def __init__(self, *, environ: Mapping[str, str], base_url: str | None = None) -> None:

        from codegen_eval.models import web

        self._base_url = base_url or environ.get("OPENAI_BASE_URL") or None
        self._key = environ.get("OPENAI_API_KEY") or None
        if self._key is None and self._base_url is None:
            raise ModelAccessError("there is no key for OpenAI", hint=NO_KEY)
        self._context = web.make_context()
        self._access = Access(
            name="the OpenAI-compatible server" if self._base_url else "OpenAI",
            hint="check the key in `OPENAI_API_KEY`, and that its account may use the model",
            address=self._base_url,
            form="with `/v1`, as `http://localhost:11434/v1`",
            secrets=(self._key,) if self._key else (),
        )
        self._dialects: dict[str, _Dialect] = {}
        self._lock = Lock()

    @property
    def provider(self) -> str:
        """`openai`."""
        return "openai"

    @property
    def address(self) -> str:
        """OpenAI's own where no other is named."""
        return self._base_url or ADDRESS

    def ask(self, request: Request, *, seconds: float) -> Answer:
        """Ask once; see `Endpoint`. A server that does not know a parameter is asked again without it."""
        from codegen_eval.models import web

        return web.run(lambda: self._negotiate(request, seconds), seconds=seconds)

    async def _negotiate(self, request: Request, seconds: float) -> Answer:
        while True:
            dialect = self._dialect(request.model)
            try:
                answer = await self._exchange(request, dialect, seconds)
            except _NotKnownError as exc:
                known = dialect.without(exc.said, request.tool)
                if known == dialect:
                    raise exc.error from exc
                self._learn(request.model, known)
                continue
            if request.tool is not None and dialect.tools and _uncalled(answer):
                self._learn(request.model, replace(dialect, tools=False))
            return answer

    def _dialect(self, model: str) -> _Dialect:
        with self._lock:
            return self._dialects.get(model, _Dialect())

    def _learn(self, model: str, known: _Dialect) -> None:
        with self._lock:
            self._dialects[model] = known

    async def _exchange(self, request: Request, dialect: _Dialect, seconds: float) -> Answer:
        import httpx2
        import openai

        from codegen_eval.models import web

        try:
            async with openai.AsyncOpenAI(
                api_key=self._key or "none",
                base_url=self.address,
                max_retries=0,
                timeout=seconds,
                http_client=web.make_client(self._context, seconds=seconds, stream=dialect.stream),
            ) as client:
                return await self._listen(client, request, dialect)
        except openai.APIStatusError as exc:
            said = (
                text(exc.body, "message") or text(exc.body, "detail") or (exc.body if isinstance(exc.body, str) else "")
            )
            if text(exc.body, "code") == "content_filter":  # as gateways refuse a prompt
                return Answer(text="", stop=StopReason.REFUSAL)
            error = self._refusal(exc, said, request)
            if exc.status_code in _NOT_KNOWN:
                raise _NotKnownError(said, error) from exc
            raise error from exc
        except (openai.OpenAIError, httpx2.HTTPError, *UNREADABLE) as exc:
            broke_off = type(exc) is openai.APIError  # an error in the middle of a stream
            said = quote(str(exc), self._access, request) if broke_off else ""
            raise lost(self._access, exc, quoted=said) from exc

    async def _listen(self, client: AsyncOpenAI, request: Request, dialect: _Dialect) -> Answer:
        parameters = _parameters(request, dialect)
        reply = _Assembly(in_text=request.tool is not None and not dialect.tools)
        if dialect.stream:
            async with await client.chat.completions.create(
                stream=True, stream_options={"include_usage": True}, **parameters
            ) as stream:
                async for chunk in stream:
                    reply.add(chunk, "delta")
        else:
            reply.add(await client.chat.completions.create(stream=False, **parameters), "message")
        return reply.answer(self._access)

    def _refusal(self, exc: APIStatusError, said: str, request: Request) -> ModelError:
        status = exc.status_code
        if status == _TOO_MANY and (text(exc.body, "code") in _OF_ACCOUNT or text(exc.body, "type") in _OF_ACCOUNT):
            status = 402
        wait = retry_after(exc.response.headers)
        return refusal(self._access, request, status, said, wait=wait, seen=str(exc.status_code))


class _NotKnownError(Exception):
    """A refusal that may be of a parameter. Never leaves this module."""

    def __init__(self, said: str, error: ModelError) -> None:
        super().__init__()
        self.said = said
        self.error = error


class _Assembly:
    """A reply as it comes in, in pieces or whole."""

    def __init__(self, *, in_text: bool) -> None:
        self._in_text = in_text
        self._text: list[str] = []
        self._refusal: list[str] = []
        self._arguments: list[str] = []
        self._called = False
        self._stop: str | None = None
        self._usage: object = None

    def add(self, part: object, name: str) -> None:
        """Take one part, whose message has this name."""
        self._usage = field(part, "usage") or self._usage
        for choice in items(part, "choices")[:1]:
            message = field(choice, name)
            self._text.append(text(message, "content"))
            self._refusal.append(text(message, "refusal"))
            for call in items(message, "tool_calls"):
                if (count(call, "index") or 0) == 0:
                    self._called = True
                    self._arguments.append(text(call, "function", "arguments"))
            self._stop = text(choice, "finish_reason") or self._stop

    def answer(self, access: Access) -> Answer:
        """Return the whole answer.

        Raises:
            ModelUnavailableError: its end is missing.
        """
        if self._stop is None:
            raise lost(access, "the reply ended early")
        said, refused = "".join(self._text), "".join(self._refusal)
        asked, cached = (
            count(self._usage, "prompt_tokens"),
            count(self._usage, "prompt_tokens_details", "cached_tokens"),
        )
        arguments = "".join(self._arguments) if self._called else None
        if arguments is None and self._in_text and said:
            arguments = said
        return Answer(
            text=refused or said,
            arguments=arguments,
            stop=StopReason.REFUSAL if refused else _STOPS.get(self._stop, StopReason.OTHER),
            input_tokens=None if asked is None else max(0, asked - (cached or 0)),
            output_tokens=count(self._usage, "completion_tokens"),
            cached_tokens=cached or 0,
        )


def _uncalled(answer: Answer) -> bool:
    return answer.arguments is None and answer.stop not in {StopReason.MAX_TOKENS, StopReason.REFUSAL}


def _parameters(request: Request, dialect: _Dialect) -> dict[str, Any]:
    """Return what is asked, in the SDK's names; its types can't say that some of them may be missing."""
    asked: dict[str, Any] = {
        "model": request.model,
        "messages": [{"role": message.role.value, "content": message.content} for message in request.messages],
        dialect.limit: request.max_tokens,
    }
    if request.temperature is not None:
        asked["temperature"] = request.temperature
    if request.tool is None:
        return asked
    schema = json.loads(request.tool.parameters)
    if dialect.tools:
        function = {"name": request.tool.name, "description": request.tool.description, "parameters": schema}
        asked["tools"] = [{"type": "function", "function": function}]
        asked["tool_choice"] = {"type": "function", "function": {"name": request.tool.name}}
    else:
        named = {"name": request.tool.name, "description": request.tool.description, "schema": schema}
        asked["response_format"] = {"type": "json_schema", "json_schema": named}
    return asked
