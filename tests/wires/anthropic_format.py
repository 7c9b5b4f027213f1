"""Anthropic's Messages API, as JSON and as a stream of events."""

from __future__ import annotations

import json
from collections.abc import Mapping

from codegen_eval.models.reading import count, field, items, text
from wires.script import Asked, Garbage, Said, Status
from wires.server import KEY

_WITHOUT_TEMPERATURE = "2026-10-21"
_STOPS = {
    "end": "end_turn",
    "max_tokens": "max_tokens",
    "refusal": "refusal",
    "filter": "refusal",
    "other": "pause_turn",
}
_KINDS = {
    400: "invalid_request_error",
    401: "authentication_error",
    402: "billing_error",
    403: "permission_error",
    404: "not_found_error",
    413: "request_too_large",
    429: "rate_limit_error",
    529: "overloaded_error",
}


class AnthropicFormat:
    """Speak as Anthropic does."""

    variable = "ANTHROPIC_BASE_URL"

    def environment(self, url: str) -> dict[str, str]:
        """Return address and key."""
        return {self.variable: url, "ANTHROPIC_API_KEY": KEY}

    def read(self, number: int, path: str, headers: Mapping[str, str], body: Mapping[str, object]) -> Asked | Status:
        """Understand a request."""
        if KEY not in {headers.get("x-api-key"), headers.get("authorization", "").removeprefix("Bearer ")}:
            return Status(401, message=f"invalid x-api-key {headers.get('authorization')}")
        if path != "/v1/messages":
            return Status(404, message=f"no such path: {path}")
        if "temperature" in body and headers.get("anthropic-version", "") >= _WITHOUT_TEMPERATURE:
            return Status(400, message="temperature: Extra inputs are not permitted")
        if count(body, "max_tokens") is None:
            return Status(400, message="max_tokens: Field required")
        temperature = field(body, "temperature")
        return Asked(
            number=number,
            model=text(body, "model"),
            system=text(body, "system") or None,
            messages=tuple((text(m, "role"), text(m, "content")) for m in items(body, "messages")),
            temperature=temperature if isinstance(temperature, int | float) else None,
            max_tokens=count(body, "max_tokens"),
            tool=text(body, "tool_choice", "name") or None,
            stream=body.get("stream") is True,
            headers=headers,
            body=body,
        )

    def chunks(self, asked: Asked, said: Said) -> tuple[str, list[bytes]]:
        """Return an answer."""
        usage = {
            "input_tokens": said.input_tokens,
            "output_tokens": said.output_tokens,
            "cache_read_input_tokens": said.cached_tokens,
        }
        block: dict[str, object] = (
            {"type": "text", "text": said.text}
            if said.tool is None
            else {"type": "tool_use", "id": "toolu_1", "name": asked.tool or "", "input": json.loads(said.tool)}
        )
        message: dict[str, object] = {
            "id": f"msg_{asked.number}",
            "type": "message",
            "role": "assistant",
            "model": asked.model,
            "content": [block] if said.text or said.tool else [],
            "stop_reason": "tool_use" if said.tool and said.stop == "end" else _STOPS[said.stop],
            "stop_sequence": None,
        }
        if said.counted:
            message["usage"] = usage
        if not asked.stream:
            return "application/json", [json.dumps(message).encode()]
        return "text/event-stream", [_event(e) for e in _stream(message, said)]

    def garbage(self, asked: Asked, fault: Garbage) -> tuple[str, list[bytes]]:
        """Return a success that is none."""
        if not asked.stream:
            return "application/json", [fault.body.encode()]
        return "text/event-stream", [f"event: {fault.event}\ndata: {fault.body}\n\n".encode()]

    def error(self, status: Status) -> tuple[dict[str, str], bytes]:
        """Return an error."""
        kind = status.kind or _KINDS.get(status.status, "api_error")
        body = {"type": "error", "error": {"type": kind, "message": status.message}, "request_id": "req_1"}
        return {"Content-Type": "application/json", "request-id": "req_1"}, json.dumps(body).encode()


def _stream(message: dict[str, object], said: Said) -> list[dict[str, object]]:
    usage = message.get("usage")
    start = message | {"content": [], "stop_reason": None}
    if isinstance(usage, dict):
        start["usage"] = usage | {"output_tokens": 1}
    events: list[dict[str, object]] = [{"type": "message_start", "message": start}, {"type": "ping"}]
    for block in items(message, "content"):
        empty = {"type": "text", "text": ""} if said.tool is None else dict(block) | {"input": {}}  # type: ignore[call-overload]  # a dict
        events.append({"type": "content_block_start", "index": 0, "content_block": empty})
        body = said.text if said.tool is None else said.tool
        kind = ("text_delta", "text") if said.tool is None else ("input_json_delta", "partial_json")
        for piece in _pieces(body):
            delta = {"type": kind[0], kind[1]: piece}
            events.append({"type": "content_block_delta", "index": 0, "delta": delta})
        events.append({"type": "content_block_stop", "index": 0})
    end: dict[str, object] = {
        "type": "message_delta",
        "delta": {"stop_reason": message["stop_reason"], "stop_sequence": None},
    }
    if said.counted:
        end["usage"] = {"output_tokens": said.output_tokens}
    return [*events, end, {"type": "message_stop"}]


def _pieces(body: str) -> list[str]:
    """Cut a text as a stream would, into several pieces."""
    size = max(1, -(-len(body) // 4))
    return [body[start : start + size] for start in range(0, len(body), size)]


def _event(event: dict[str, object]) -> bytes:
    return f"event: {event['type']}\ndata: {json.dumps(event)}\n\n".encode()


ANTHROPIC = AnthropicFormat()
