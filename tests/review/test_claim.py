"""Laws of the form of a review: what a model may answer, and what of it is read."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from codegen_eval.review.claim import MAX_CLAIMS, MAX_SUMMARY_CHARS, NotAReviewError, read_review, review_tool
from codegen_eval.verdict import SEEDED_CLASSES

ONE: dict[str, object] = {"class": "wrong-logic", "summary": "it is wrong", "call": "f(1)", "files": [], "cwe": None}


def review(*claims: object) -> str:
    """Return a reply."""
    return json.dumps({"claims": list(claims)})


def test_the_form_is_told_whole_and_without_references() -> None:
    """The schema names the five classes and every key, forbids others, and refers to nothing: some servers can't."""
    schema = json.loads(review_tool().parameters)
    claim = schema["properties"]["claims"]["items"]

    assert claim["properties"]["class"]["enum"] == [each.value for each in SEEDED_CLASSES]
    assert set(claim["properties"]) == set(ONE)
    assert claim["additionalProperties"] is schema["additionalProperties"] is False
    assert schema["properties"]["claims"]["maxItems"] == MAX_CLAIMS
    assert "$" not in review_tool().parameters


def test_a_review_is_read() -> None:
    """Claims come in their order; what may be left out may be."""
    found, left_out = read_review(review(ONE, {"class": "insecure-pattern", "summary": "eval", "cwe": 95}))

    assert [(one.failure_class, one.summary, one.call, one.cwe) for one in found.claims] == [
        ("wrong-logic", "it is wrong", "f(1)", None),
        ("insecure-pattern", "eval", None, 95),
    ]
    assert left_out == 0


def test_no_claim_is_a_review() -> None:
    """An empty list says that nothing is wrong."""
    assert read_review(review())[0].claims == ()


def test_only_so_many_claims_are_read() -> None:
    """The first ones are, and the others are counted."""
    found, left_out = read_review(review(*[ONE] * (MAX_CLAIMS + 7)))

    assert (len(found.claims), left_out) == (MAX_CLAIMS, 7)


def test_a_long_summary_is_cut() -> None:
    """Nothing hangs on it."""
    found, _ = read_review(review(ONE | {"summary": "x" * 10_000}))

    assert found.claims[0].summary == "x" * MAX_SUMMARY_CHARS


BAD = {
    "empty": "",
    "prose": "The solution looks right to me.",
    "fenced": f"```json\n{review(ONE)}\n```",
    "a list": json.dumps([ONE]),
    "null": "null",
    "no claims": "{}",
    "claims of another kind": json.dumps({"claims": "none"}),
    "a verdict beside them": json.dumps({"claims": [], "verdict": "pass"}),
    "a class that is not seeded": review(ONE | {"class": "verdict-tampering"}),
    "a class of its own": review(ONE | {"class": "style"}),
    "no class": review({"summary": "it is wrong"}),
    "no summary": review({"class": "wrong-logic"}),
    "an unknown key": review(ONE | {"confidence": 1}),
    "a call that is too long": review(ONE | {"call": "f('" + "x" * 4000 + "')"}),
    "a call that is a list": review(ONE | {"call": [1, 2]}),
    "too many files": review(ONE | {"files": [{"path": f"f{n}", "content": ""} for n in range(21)]}),
    "a file without a path": review(ONE | {"files": [{"content": ""}]}),
    "a CWE that is none": review(ONE | {"cwe": 0}),
    "deep": "[" * 100_000,
    "huge": review(*[ONE | {"summary": "x" * 1000}] * 1000),
    "a huge number": '{"claims": [{"class": "wrong-logic", "summary": "x", "cwe": ' + "9" * 5000 + "}]}",
}


@pytest.mark.parametrize("name", BAD)
def test_what_is_no_review_is_refused(name: str) -> None:
    """Another form is an error that says where, and repeats nothing of what stood there."""
    with pytest.raises(NotAReviewError) as caught:
        read_review(BAD[name])

    assert "xxx" not in str(caught.value)
    assert "style" not in str(caught.value)


@given(st.text() | st.recursive(st.none() | st.text() | st.integers(), st.lists).map(json.dumps))
def test_any_reply_is_read_or_refused(text: str) -> None:
    """No reply does anything else."""
    try:
        found, _ = read_review(text)
    except NotAReviewError:
        return

    assert len(found.claims) <= MAX_CLAIMS
