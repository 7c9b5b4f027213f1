"""OpenAI's chat completions, as JSON and as a stream of events, as OpenAI and as many other servers speak it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass

from codegen_eval.models.reading import count, field, items, text
from wires.script import Asked, Garbage, Said, Status
from wires.server import KEY

_STOPS = {"end": "stop", "max_tokens": "length", "refusal": "stop", "filter": "content_filter", "other": "paused"}
_CODES = {401: "invalid_api_key", 404: "model_not_found", 429: "rate_limit_exceeded"}


@dataclass(slots=True, kw_only=True)
class OpenAIFormat:
    """Speak as OpenAI does; `OPENAI` is the strict one, others know less."""

    variable: str = "OPENAI_BASE_URL"
    key: str | None = KEY
    """None takes any, as local servers do."""
    tools: bool = True
    schemas: bool = True
    """Knows `response_format` with a JSON schema."""
    streams: bool = True
    max_tokens: str = "any"
    """The only name of that parameter which is taken, as `max_completion_tokens`."""

    def environment(self, url: str) -> dict[str, str]:
        """Return address and key."""
        return {self.variable: f"{url}/v1"} | ({"OPENAI_API_KEY": self.key} if self.key else {})

    def read(self, number: int, path: str, headers: Mapping[str, str], body: Mapping[str, object]) -> Asked | Status:
        """Understand a request."""
        given = headers.get("authorization", "")
        if self.key is not None and given != f"Bearer {self.key}":
            return Status(401, message=f"Incorrect API key provided: {given}")
        if path != "/v1/chat/completions":
            return Status(404, message=f"no such path: {path}", kind="not_found")
        refused = self._refused(body)
        if refused is not None:
            return refused
        temperature = field(body, "temperature")
        messages = [(text(m, "role"), text(m, "content")) for m in items(body, "messages")]
        limit = count(body, "max_tokens")
        return Asked(
            number=number,
            model=text(body, "model"),
            system="\n\n".join(said for role, said in messages if role == "system") or None,
            messages=tuple(message for message in messages if message[0] != "system"),
            temperature=temperature if isinstance(temperature, int | float) else None,
            max_tokens=count(body, "max_completion_tokens") if limit is None else limit,
            tool=text(body, "tool_choice", "function", "name")
            or text(body, "response_format", "json_schema", "name")
            or None,
            stream=body.get("stream") is True,
            headers=headers,
            body=body,
        )

    def _refused(self, body: Mapping[str, object]) -> Status | None:
        """Refuse parameters as servers do that don't know them."""
        unknown = {
            "tools": not self.tools,
            "response_format": not self.schemas,
            "stream": not self.streams,
            "max_tokens": self.max_tokens not in {"any", "max_tokens"},
            "max_completion_tokens": self.max_tokens not in {"any", "max_completion_tokens"},
        }
        instead = {"max_tokens": " Use 'max_completion_tokens' instead."}
        for name, refused in unknown.items():
            if refused and body.get(name):
                said = f"Unsupported parameter: '{name}' is not supported with this model.{instead.get(name, '')}"
                return Status(400, message=said, kind="unsupported_parameter")
        return None

    def chunks(self, asked: Asked, said: Said) -> tuple[str, list[bytes]]:
        """Return an answer."""
        usage = {
            "prompt_tokens": said.input_tokens + said.cached_tokens,
            "completion_tokens": said.output_tokens,
            "total_tokens": said.input_tokens + said.cached_tokens + said.output_tokens,
            "prompt_tokens_details": {"cached_tokens": said.cached_tokens},
        }
        head: dict[str, object] = {"id": f"chatcmpl-{asked.number}", "created": 0, "model": asked.model}
        by_tool = said.tool is not None and "tools" in asked.body
        body = said.text if said.tool is None else said.tool
        refused = body if said.stop == "refusal" else None
        message: dict[str, object] = {"role": "assistant", "content": None if by_tool or refused else body}
        if refused is not None:
            message["refusal"] = refused
        if by_tool:
            call = {"id": "call_1", "type": "function", "function": {"name": asked.tool, "arguments": body}}
            message["tool_calls"] = [call]
        stop = "tool_calls" if by_tool and said.stop == "end" else _STOPS[said.stop]
        if not asked.stream:
            whole = head | {"object": "chat.completion"}
            whole["choices"] = [{"index": 0, "message": message, "finish_reason": stop}]
            if said.counted:
                whole["usage"] = usage
            return "application/json", [json.dumps(whole).encode()]
        head["object"] = "chat.completion.chunk"
        events = [head | {"choices": [_choice(delta)]} for delta in _deltas(message)]
        events.append(head | {"choices": [_choice({}, stop)]})
        if said.counted and field(asked.body, "stream_options", "include_usage"):
            events.append(head | {"choices": [], "usage": usage})
        return "text/event-stream", [_data(json.dumps(event)) for event in events] + [_data("[DONE]")]

    def garbage(self, asked: Asked, fault: Garbage) -> tuple[str, list[bytes]]:
        """Return a success that is none."""
        if not asked.stream:
            return "application/json", [fault.body.encode()]
        return "text/event-stream", [_data(fault.body)]

    def error(self, status: Status) -> tuple[dict[str, str], bytes]:
        """Return an error."""
        code = status.kind or _CODES.get(status.status)
        body = {"error": {"message": status.message, "type": "error", "param": None, "code": code}}
        return {"Content-Type": "application/json"}, json.dumps(body).encode()


def _choice(delta: dict[str, object], stop: str | None = None) -> dict[str, object]:
    return {"index": 0, "delta": delta, "finish_reason": stop}


def _deltas(message: Mapping[str, object]) -> list[dict[str, object]]:
    """Cut a message as a stream would: the role, then what it says, in several pieces."""
    deltas: list[dict[str, object]] = [{"role": "assistant", "content": ""}]
    for name in ("content", "refusal"):
        deltas += [{name: piece} for piece in _pieces(text(message, name))]
    for call in items(message, "tool_calls"):
        first = {"index": 0, "id": "call_1", "type": "function"}
        named = {"name": text(call, "function", "name"), "arguments": ""}
        deltas.append({"tool_calls": [first | {"function": named}]})
        for piece in _pieces(text(call, "function", "arguments")):
            deltas.append({"tool_calls": [{"index": 0, "function": {"arguments": piece}}]})
    return deltas


def _pieces(body: str) -> list[str]:
    size = max(1, -(-len(body) // 4))
    return [body[start : start + size] for start in range(0, len(body), size)]


def _data(body: str) -> bytes:
    return f"data: {body}\n\n".encode()


OPENAI = OpenAIFormat()
