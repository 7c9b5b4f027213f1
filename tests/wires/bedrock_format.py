"""Bedrock's Converse, as JSON."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from urllib.parse import unquote

from codegen_eval.models.reading import count, field, items, text
from wires.script import Asked, Garbage, Said, Status
from wires.server import KEY

_PATH = re.compile(r"/model/(?P<model>[^/]+)/converse")
_STOPS = {
    "end": "end_turn",
    "max_tokens": "max_tokens",
    "refusal": "content_filtered",
    "filter": "guardrail_intervened",
    "other": "malformed_model_output",
}
_KINDS = {
    400: "ValidationException",
    401: "UnrecognizedClientException",
    403: "AccessDeniedException",
    404: "ResourceNotFoundException",
    408: "ModelTimeoutException",
    424: "ModelErrorException",
    429: "ThrottlingException",
    503: "ServiceUnavailableException",
}


class BedrockFormat:
    """Speak as Bedrock does. Signatures are not verified, but must name the key."""

    variable = "AWS_ENDPOINT_URL_BEDROCK_RUNTIME"

    def environment(self, url: str) -> dict[str, str]:
        """Return address, region and keys."""
        return {
            self.variable: url,
            "AWS_REGION": "eu-central-1",
            "AWS_ACCESS_KEY_ID": KEY,
            "AWS_SECRET_ACCESS_KEY": KEY[::-1],
            "AWS_EC2_METADATA_DISABLED": "true",
        }

    def read(self, number: int, path: str, headers: Mapping[str, str], body: Mapping[str, object]) -> Asked | Status:
        """Understand a request."""
        given = headers.get("authorization", "")
        if f"Credential={KEY}/" not in given:
            return Status(403, message=f"The security token in {given} is invalid", kind="UnrecognizedClientException")
        found = _PATH.fullmatch(path)
        if found is None:
            return Status(404, message=f"no such path: {path}", kind="UnknownOperationException")
        temperature = field(body, "inferenceConfig", "temperature")
        return Asked(
            number=number,
            model=unquote(found["model"]),
            system="\n\n".join(text(block, "text") for block in items(body, "system")) or None,
            messages=tuple(
                (text(m, "role"), "".join(text(block, "text") for block in items(m, "content")))
                for m in items(body, "messages")
            ),
            temperature=temperature if isinstance(temperature, int | float) else None,
            max_tokens=count(body, "inferenceConfig", "maxTokens"),
            tool=text(body, "toolConfig", "toolChoice", "tool", "name") or None,
            stream=False,
            headers=headers,
            body=body,
        )

    def chunks(self, asked: Asked, said: Said) -> tuple[str, list[bytes]]:
        """Return an answer."""
        content: list[dict[str, object]] = [{"text": said.text}] if said.text else []
        if said.tool is not None:
            content = [{"toolUse": {"toolUseId": "t1", "name": asked.tool or "", "input": json.loads(said.tool)}}]
        body: dict[str, object] = {
            "output": {"message": {"role": "assistant", "content": content}},
            "stopReason": "tool_use" if said.tool and said.stop == "end" else _STOPS[said.stop],
            "metrics": {"latencyMs": 1},
        }
        if said.counted:
            body["usage"] = {
                "inputTokens": said.input_tokens,
                "outputTokens": said.output_tokens,
                "totalTokens": said.input_tokens + said.output_tokens + said.cached_tokens,
                "cacheReadInputTokens": said.cached_tokens,
            }
        return "application/json", [json.dumps(body).encode()]

    def garbage(self, _asked: Asked, fault: Garbage) -> tuple[str, list[bytes]]:
        """Return a success that is none."""
        return "application/json", [fault.body.encode()]

    def error(self, status: Status) -> tuple[dict[str, str], bytes]:
        """Return an error."""
        kind = status.kind or _KINDS.get(status.status, "InternalServerException")
        return {"Content-Type": "application/json", "x-amzn-ErrorType": kind}, json.dumps(
            {"message": status.message}
        ).encode()


BEDROCK = BedrockFormat()
