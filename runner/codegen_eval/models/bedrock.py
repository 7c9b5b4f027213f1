"""Models on Amazon Bedrock, through boto3's Converse, which is the same for all of them.

boto3 can't be cancelled. At its deadline a call is left alone, in a thread that ends with its connection: after the
same time of silence at the latest, or with the process.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from queue import Empty, SimpleQueue
from threading import Lock, Thread
from typing import TYPE_CHECKING, Any

from codegen_eval.errors import InputError, ModelAccessError, ModelError, ModelUnavailableError
from codegen_eval.models import Request, Role, StopReason
from codegen_eval.models.endpoint import Answer
from codegen_eval.models.fault import Access, hide, lost, refusal, shown
from codegen_eval.models.reading import UNREADABLE, count, field, items, retry_after, text

if TYPE_CHECKING:
    from botocore.exceptions import ClientError

NO_KEY = "set `AWS_ACCESS_KEY_ID` and `AWS_SECRET_ACCESS_KEY`, `AWS_PROFILE`, or what else boto3 takes credentials from"
CONNECT_SECONDS = 10

_STOPS = {
    "end_turn": StopReason.END,
    "stop_sequence": StopReason.END,
    "tool_use": StopReason.END,
    "max_tokens": StopReason.MAX_TOKENS,
    "model_context_window_exceeded": StopReason.MAX_TOKENS,
    "content_filtered": StopReason.REFUSAL,
    "guardrail_intervened": StopReason.REFUSAL,
}
_STATUS_OF_CODE = {
    "ThrottlingException": 429,
    "ServiceQuotaExceededException": 429,
    "ModelNotReadyException": 429,
    "ServiceUnavailableException": 503,
    "UnrecognizedClientException": 403,
    "InvalidSignatureException": 403,
    "ExpiredTokenException": 403,
}
"""Codes that say more than the status under which they come."""
_CHOICES: tuple[Mapping[str, Any] | None, ...] = ({"tool": {}}, {"any": {}}, None)
"""How a tool's call can be asked for, from strict to not at all; not every model takes each."""
_REFUSED = 400


class BedrockEndpoint:
    """Ask Bedrock, or a server that speaks as it does."""

    def __init__(
        self, *, environ: Mapping[str, str], base_url: str | None = None, concurrency: int = 8, silence: float = 600
    ) -> None:
        import boto3
        from botocore.config import Config
        from botocore.exceptions import BotoCoreError

        region = environ.get("AWS_REGION") or environ.get("AWS_DEFAULT_REGION") or None
        names = ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN")
        key, secret, token = (environ.get(name) or None for name in names)
        try:
            session = boto3.Session(
                aws_access_key_id=key if secret else None,
                aws_secret_access_key=secret if key else None,
                aws_session_token=token if key and secret else None,
                profile_name=environ.get("AWS_PROFILE") or None,
                region_name=region,
            )
            found = session.get_credentials()
            bearer = environ.get("AWS_BEARER_TOKEN_BEDROCK") or None
            if session.region_name is None:
                raise InputError(
                    "there is no region for Bedrock", hint="set `AWS_REGION` in the environment or in `.env`"
                )
            if found is None and bearer is None:
                raise ModelAccessError("there are no credentials for Bedrock", hint=NO_KEY)
            variables = ("AWS_ENDPOINT_URL_BEDROCK_RUNTIME", "AWS_ENDPOINT_URL")
            named = base_url or next((environ[name] for name in variables if environ.get(name)), None)
            self._client = session.client(
                "bedrock-runtime",
                endpoint_url=named,
                config=Config(
                    retries={"total_max_attempts": 1, "mode": "standard"},
                    connect_timeout=CONNECT_SECONDS,
                    read_timeout=silence,
                    max_pool_connections=concurrency,
                    tcp_keepalive=True,
                ),
            )
        except (BotoCoreError, ValueError) as exc:
            raise ModelAccessError(f"Bedrock can't be set up: {shown(hide(str(exc), ()))}", hint=NO_KEY) from exc
        frozen = None if found is None else found.get_frozen_credentials()
        own = () if frozen is None else (frozen.access_key, frozen.secret_key, frozen.token)
        self._access = Access(
            name="Bedrock",
            hint="check the AWS credentials and `AWS_REGION`, and that the account has access to the model there",
            secrets=tuple(value for value in (*own, bearer) if value),
            address=named,
            form="without a path, as `https://bedrock-runtime.us-east-1.amazonaws.com`",
        )
        self._choices: dict[str, int] = {}
        self._lock = Lock()

    @property
    def provider(self) -> str:
        """`bedrock`."""
        return "bedrock"

    @property
    def address(self) -> str:
        """The region's, where no other is named."""
        return str(self._client.meta.endpoint_url)

    def ask(self, request: Request, *, seconds: float) -> Answer:
        """Ask once; see `Endpoint`. A model that can't be made to call a tool is asked to."""
        return _within(seconds, lambda: self._negotiate(request))

    def _negotiate(self, request: Request) -> Answer:
        from botocore.exceptions import (
            BotoCoreError,
            ClientError,
            HTTPClientError,
            NoCredentialsError,
            ParamValidationError,
        )
        from botocore.parsers import ResponseParserError

        while True:
            choice = self._choices.get(request.model, 0)
            try:
                return _answer(self._client.converse(**_parameters(request, _CHOICES[choice])), self._access)
            except ClientError as exc:
                error = self._refusal(exc, request)
                said = text(exc.response, "Error", "Message").casefold().replace(" ", "")
                unforced = request.tool is not None and "toolchoice" in said and choice + 1 < len(_CHOICES)
                if not unforced:
                    raise error from exc
                with self._lock:
                    self._choices[request.model] = choice + 1
            except NoCredentialsError as exc:
                raise ModelAccessError("there are no credentials for Bedrock", hint=NO_KEY) from exc
            except ParamValidationError as exc:
                raise refusal(self._access, request, _REFUSED, str(exc)) from exc
            except (BotoCoreError, HTTPClientError, ResponseParserError, *UNREADABLE) as exc:
                raise lost(self._access, exc) from exc

    def _refusal(self, exc: ClientError, request: Request) -> ModelError:
        came = count(exc.response, "ResponseMetadata", "HTTPStatusCode") or _REFUSED
        status = _STATUS_OF_CODE.get(text(exc.response, "Error", "Code"), came)
        headers = field(exc.response, "ResponseMetadata", "HTTPHeaders")
        wait = retry_after(headers) if isinstance(headers, Mapping) else None
        return refusal(self._access, request, status, text(exc.response, "Error", "Message"), wait=wait, seen=str(came))


def _within(seconds: float, call: Callable[[], Answer]) -> Answer:
    """Run a call in a thread of its own, and leave it alone at the deadline."""
    box: SimpleQueue[Answer | BaseException] = SimpleQueue()

    def run() -> None:
        try:
            box.put(call())
        except BaseException as exc:  # noqa: BLE001 - it is raised again, in the thread that waits for it
            box.put(exc)

    Thread(target=run, name="bedrock-call", daemon=True).start()
    try:
        found = box.get(timeout=seconds)
    except Empty:
        raise ModelUnavailableError(f"no whole answer within {seconds:.0f} s") from None
    if isinstance(found, BaseException):
        raise found
    return found


def _answer(response: object, access: Access) -> Answer:
    blocks = items(response, "output", "message", "content")
    stop = text(response, "stopReason")
    if not stop:
        raise lost(access, "it says not why it ended")
    calls = [call for call in (field(block, "toolUse", "input") for block in blocks) if call is not None]
    asked = count(response, "usage", "inputTokens")
    return Answer(
        text="".join(text(block, "text") for block in blocks),
        arguments=json.dumps(calls[0], ensure_ascii=False) if calls else None,
        stop=_STOPS.get(stop, StopReason.OTHER),
        input_tokens=None if asked is None else asked + (count(response, "usage", "cacheWriteInputTokens") or 0),
        output_tokens=count(response, "usage", "outputTokens"),
        cached_tokens=count(response, "usage", "cacheReadInputTokens") or 0,
    )


def _parameters(request: Request, choice: Mapping[str, Any] | None) -> dict[str, Any]:
    """Return what is asked, in the API's names."""
    inference: dict[str, Any] = {"maxTokens": request.max_tokens}
    if request.temperature is not None:
        inference["temperature"] = request.temperature
    asked: dict[str, Any] = {
        "modelId": request.model,
        "messages": [
            {"role": "user" if message.role is Role.USER else "assistant", "content": [{"text": message.content}]}
            for message in request.messages
            if message.role is not Role.SYSTEM
        ],
        "inferenceConfig": inference,
    }
    system = [{"text": message.content} for message in request.messages if message.role is Role.SYSTEM]
    if system:
        asked["system"] = system
    if request.tool is not None:
        schema = {"json": json.loads(request.tool.parameters)}
        spec = {"name": request.tool.name, "description": request.tool.description, "inputSchema": schema}
        asked["toolConfig"] = {"tools": [{"toolSpec": spec}]}
        if choice is not None:
            asked["toolConfig"]["toolChoice"] = {"tool": {"name": request.tool.name}} if "tool" in choice else choice
    return asked
