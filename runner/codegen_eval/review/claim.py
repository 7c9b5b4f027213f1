"""The form of a review: claims, each with a class, a summary and one call of the function that is said to fail."""

from __future__ import annotations

import json
from functools import cache
from typing import Literal

from pydantic import Field, JsonValue, ValidationError, field_validator

from codegen_eval.frozen import Frozen
from codegen_eval.models import Tool
from codegen_eval.verdict import CheckedClaim, ClaimOutcome, FailureClass

MAX_CLAIMS = 10
"""What is read of one review; more are counted and left out."""
MAX_SUMMARY_CHARS = 500
MAX_CALL_CHARS = 4000
MAX_FILES = 20
_MAX_FILE_CHARS = 2000
_MAX_PATH_CHARS = 200
_MAX_REPLY_CHARS = 400_000
_TOOL_NAME = "report_claims"
_MAX_ESCAPED_SUMMARY, _MAX_ESCAPED_INPUT = 4000, 8000
"""What `CheckedClaim` holds."""

SeededClass = Literal[
    FailureClass.WRONG_LOGIC,
    FailureClass.MISSED_EDGE_CASE,
    FailureClass.INSECURE_PATTERN,
    FailureClass.SILENT_TYPE_ERROR,
    FailureClass.PERFORMANCE_TRAP,
]


class ClaimedFile(Frozen):
    """A file that is to be there before the call."""

    path: str = Field(
        min_length=1, max_length=_MAX_PATH_CHARS, description="Relative to the current directory of the call."
    )
    content: str | None = Field(
        default=None, max_length=_MAX_FILE_CHARS, description="Its text; null makes a directory instead."
    )


class Claim(Frozen):
    """One thing that a reviewer says is wrong."""

    failure_class: SeededClass = Field(alias="class", description="The class of the failure.")
    summary: str = Field(max_length=MAX_SUMMARY_CHARS, description="What is wrong, in one or two sentences.")
    call: str | None = Field(
        default=None,
        max_length=MAX_CALL_CHARS,
        description=(
            "One call of the function on which it fails, as Python source with literal arguments, for example "
            "`f([1, 2], 'a', key=None)`. Null where there is none."
        ),
    )
    files: tuple[ClaimedFile, ...] = Field(
        default=(), max_length=MAX_FILES, description="Files that the call needs. Empty for most functions."
    )
    cwe: int | None = Field(
        default=None, ge=1, le=9999, description="The CWE number, for an insecure pattern; else null."
    )

    @field_validator("summary", mode="before")
    @classmethod
    def _clip(cls, value: object) -> object:
        """A summary that is too long is cut: nothing hangs on it."""
        return value[:MAX_SUMMARY_CHARS] if isinstance(value, str) else value


class Review(Frozen):
    """A reviewer's whole answer."""

    claims: tuple[Claim, ...] = Field(
        max_length=MAX_CLAIMS,
        description="One claim for each failure that was found, the surest first; empty where nothing is wrong.",
    )


_FAULTS = {"missing": "is missing", "extra_forbidden": "a field that nobody asked for", "enum": "none of the classes"}
"""What rules say to people."""


def check_of(place: int) -> str:
    """Return the name under which findings refer to the claim at a place, counted from 0."""
    return f"claim-{place + 1}"


def checked_claim(claim: Claim, outcome: ClaimOutcome, reason: str) -> CheckedClaim:
    """Return a claim with what came of it, its own words in printable ASCII on one line."""
    shown = None if claim.call is None else _printable_ascii(claim.call)
    if shown is not None and claim.files:
        shown += f" with files { {file.path: file.content for file in claim.files}!a}"
    return CheckedClaim(
        failure_class=claim.failure_class,
        summary=_printable_ascii(claim.summary)[:_MAX_ESCAPED_SUMMARY],
        input=None if shown is None else shown[:_MAX_ESCAPED_INPUT],
        outcome=outcome,
        reason=reason,
    )


def _printable_ascii(text: str) -> str:
    """Return a text in printable ASCII on one line; a backslash is doubled, and quotes stay as they are."""
    return text.encode("unicode_escape").decode("ascii")


class NotAReviewError(ValueError):
    """A reply that does not have the form of a review."""


def read_review(text: str) -> tuple[Review, int]:
    """Read a reviewer's reply; return it, and how many claims were left out because there were too many.

    Raises:
        NotAReviewError: saying, in words of ours only, where it departs from the form.
    """
    if len(text) > _MAX_REPLY_CHARS:
        raise NotAReviewError("the answer is too long")
    try:
        raw = json.loads(text)
    except (ValueError, RecursionError) as exc:
        raise NotAReviewError("the answer is not JSON") from exc
    left_out = 0
    if isinstance(raw, dict) and isinstance(listed := raw.get("claims"), list):
        left_out = max(0, len(listed) - MAX_CLAIMS)
        raw = raw | {"claims": listed[:MAX_CLAIMS]}
    try:
        return Review.model_validate(raw), left_out
    except ValidationError as exc:
        raise NotAReviewError(_explain(exc)) from exc


def _explain(exc: ValidationError) -> str:
    """Name the first few faults: where, and which rule; never what stood there."""
    known = {"claims", "files"} | {field.alias or name for name, field in Claim.model_fields.items()}
    faults: list[str] = []
    for error in exc.errors(include_url=False, include_input=False, include_context=False)[:3]:
        place = ".".join(str(p) if isinstance(p, int) or p in known else "?" for p in error["loc"]) or "the answer"
        faults.append(f"{place}: {_FAULTS.get(error['type'], error['type'])}")
    return "; ".join(faults)


@cache
def review_tool() -> Tool:
    """Return the tool whose arguments are a review."""
    schema = Review.model_json_schema(by_alias=True)
    definitions = schema.pop("$defs", {})
    return Tool(
        name=_TOOL_NAME,
        description="Report what is wrong with the solution under review, or that nothing is.",
        parameters=json.dumps(_inlined(schema, definitions), sort_keys=True),
    )


def _inlined(node: JsonValue, definitions: dict[str, JsonValue]) -> JsonValue:
    """Replace references by what they refer to, for servers that know none; drop titles."""
    if isinstance(node, list):
        return [_inlined(item, definitions) for item in node]
    if not isinstance(node, dict):
        return node
    rest = {
        key: _inlined(value, definitions)
        for key, value in node.items()
        if key != "$ref" and not (key == "title" and isinstance(value, str))
    }
    where = node.get("$ref")
    if not isinstance(where, str):
        return rest
    found = _inlined(definitions[where.rpartition("/")[2]], definitions)
    return found | rest if isinstance(found, dict) else found
