"""What a provider's refusal means: an error that ends the run, or one that is worth another attempt.

=====================================  =====================  ==============================
status                                 error                  then
=====================================  =====================  ==============================
401, 402, 403                          ModelAccessError       the run stops, exit 2
408, 409, 424, 425, 5xx                ModelUnavailableError  another attempt
429, 503, 529                          the same, overloaded   another attempt, fewer at once
404, 405 that name no model            ModelAddressError      the run stops, exit 2
any other from 300 on                  ModelRequestError      the run stops, exit 2
=====================================  =====================  ==============================

What a provider says is quoted in our messages, in one printable line, without keys and without the prompt.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import timedelta
from typing import overload
from urllib.parse import urlsplit, urlunsplit

from codegen_eval.errors import (
    ModelAccessError,
    ModelAddressError,
    ModelError,
    ModelRequestError,
    ModelUnavailableError,
)
from codegen_eval.models import Request

MAX_QUOTED = 300
"""Characters of a provider's message."""

_ACCESS = frozenset({401, 402, 403})
_OVERLOADED = frozenset({429, 503, 529})
_TRANSIENT = frozenset({408, 409, 424, 425})
_SERVER_FAULT = 500
_REFUSED, _UNPAID, _TOO_LARGE = 400, 402, 413
_NOWHERE = frozenset({404, 405})
_KEY = re.compile(
    r"\b(?:sk|pk|rk|key|gsk|hf|xai)[-_][\w.*-]{6,}"  # as most providers begin their keys
    r"|\b(?:AKIA|ASIA|ABSK)[\w+/=]{8,}"  # as AWS does
    r"|(?i:\bbearer\s+)\S+"
    r"|\beyJ[\w-]{10,}\.[\w.-]+"  # a JSON web token
)
_BLANKS = re.compile(r"[^\S\n]+")
_MALFORMED = "what came is not of the form agreed on"
_NOBODY = "nobody answers at its address"
_KINDS = {
    "APITimeoutError": "the time for it is over",
    "ConnectError": _NOBODY,
    "ConnectTimeout": _NOBODY,
    "ConnectTimeoutError": _NOBODY,
    "ConnectionClosedError": "the connection was lost",
    "EndpointConnectionError": _NOBODY,
    "JSONDecodeError": "what came is no JSON",
    "ReadError": "the connection was lost",
    "ReadTimeoutError": "the time for it is over",
    "RemoteProtocolError": "the connection was lost",
    "ResponseParserError": "what came is no JSON",
    "ResponseStreamingError": "the connection was lost",
    "UnicodeDecodeError": "what came is no UTF-8",
    "AttributeError": _MALFORMED,
    "KeyError": _MALFORMED,
    "RecursionError": _MALFORMED,
    "TypeError": _MALFORMED,
}
"""What exceptions of the SDKs, by their names, say to people."""
_SHORTEST_SECRET = 4
_SHORTEST_LINE = 12
_HIDDEN = "[hidden]"


@dataclass(frozen=True, slots=True, kw_only=True)
class Access:
    """What error messages say of a provider, and what they must not."""

    name: str
    """As people write it."""
    hint: str
    """What to do where access is refused."""
    secrets: tuple[str, ...] = ()
    address: str | None = None
    """Where it is asked, if not at its usual place."""
    form: str = ""
    """How such an address is written."""


def refusal(
    access: Access, request: Request, status: int, said: str, *, wait: timedelta | None = None, seen: str = ""
) -> ModelError:
    """Return the error that a status means. `seen` is what came, where the status is our reading of it."""
    quoted = quote(said, access, request)
    told = f": {quoted}" if quoted else ""
    if status in _ACCESS:
        hint = access.hint if status != _UNPAID else "look at the account's billing and quota at the provider"
        return ModelAccessError(f"{access.name} refuses access to {asked(request)} ({seen or status}){told}", hint=hint)
    if status in _OVERLOADED or status in _TRANSIENT or status >= _SERVER_FAULT:
        return ModelUnavailableError(
            f"{access.name} can't answer now ({seen or status}){told}",
            overloaded=status in _OVERLOADED,
            retry_after=wait,
        )
    if status in _NOWHERE and access.address is not None and not _names_model(said, request):
        option = "--base-url" if request.strategy is not None else "--reviewer-base-url"
        return ModelAddressError(
            f"{access.name} has nothing at `{shown(without_secrets(access.address))}` ({seen or status}){told}",
            hint=f"check the address, as in `{option}`: this provider's is written {access.form}",
        )
    return ModelRequestError(
        f"{access.name} refuses the request for {asked(request)} ({seen or status}){told}",
        hint=_hint(request, said, status),
    )


def lost(access: Access, why: str | Exception, *, quoted: str = "") -> ModelUnavailableError:
    """Return the error for an exchange that came to no whole answer; what we raised within it stays what it is."""
    what = why if isinstance(why, str) else type(why).__name__
    cause: BaseException | None = None if isinstance(why, str) else why
    while cause is not None:
        if isinstance(cause, ModelUnavailableError):
            return cause
        what = _KINDS.get(type(cause).__name__, what)
        cause = cause.__cause__
    if what == _NOBODY and access.address is not None:
        what = f"nobody answers at `{shown(without_secrets(access.address))}`"
    return ModelUnavailableError(f"{access.name} gave no whole answer: {quoted or what}")


def quote(said: str, access: Access, request: Request) -> str:
    """Return a provider's words in one short printable line, without keys and without the prompt."""
    said = hide(_BLANKS.sub(" ", "".join(c for c in said if c.isprintable() or c.isspace())), access.secrets)
    said = said[: 20 * MAX_QUOTED]
    if "\\n" in said or '\\"' in said:  # what was sent, as it was sent
        said = said.replace("\\n", "\n").replace('\\"', '"')
    for line in {line.strip() for message in request.messages for line in message.content.splitlines()}:
        if len(line) >= _SHORTEST_LINE:
            said = said.replace(line, "…")
    line = hide(shown(" ".join(said.split())), access.secrets)
    return line[:MAX_QUOTED] + ("…" if len(line) > MAX_QUOTED else "")


def hide(said: str, secrets: Iterable[str]) -> str:
    """Return a text without these secrets, and without what looks like one."""
    for secret in sorted(secrets, key=len, reverse=True):
        if len(secret) >= _SHORTEST_SECRET:
            said = said.replace(secret, _HIDDEN)
    return _KEY.sub(_HIDDEN, said)


@overload
def without_secrets(url: str) -> str: ...


@overload
def without_secrets(url: str | None) -> str | None: ...


def without_secrets(url: str | None) -> str | None:
    """Return an address without user, password and query."""
    if url is None:
        return None
    try:
        parts = urlsplit(url)
    except ValueError:
        return ""  # no address, which whoever connects to it will say
    return urlunsplit((parts.scheme, parts.netloc.rpartition("@")[2], parts.path, "", ""))


def shown(said: str) -> str:
    """Return a text without control characters."""
    return "".join(char if char.isprintable() else "?" for char in said)


def _names_model(said: str, request: Request) -> bool:
    return "model" in said.casefold() or re.search(rf"(?<!\w){re.escape(request.model)}(?!\w)", said) is not None


def asked(request: Request) -> str:
    """Return who was asked, for people."""
    return f"{'reviewer' if request.strategy is None else 'model'} `{shown(request.model)}`"


def _hint(request: Request, said: str, status: int) -> str:
    reviews = request.strategy is None
    if status < _REFUSED:
        option = "--reviewer-base-url" if reviews else "--base-url"
        return f"it redirects, which is not followed: `{option}` has to name the server itself"
    if status == _TOO_LARGE:
        return "what was asked is too long for this server"
    if request.temperature is not None and "temperature" in said.casefold():
        option = "--reviewer-temperature" if reviews else "--temperature"
        return f"this model takes no temperature, or not this one: leave it to the model with `{option} none`"
    if "max_tokens" in said.casefold() or "maxtokens" in said.casefold():
        return "ask for fewer tokens"
    return f"check `{'--reviewer' if reviews else '--model'}` for the provider's own name of the model"
