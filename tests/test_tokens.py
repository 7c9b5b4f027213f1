"""Laws of the token estimate."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from codegen_eval.tokens import MESSAGE_TOKENS, estimate_message_tokens, estimate_tokens


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("", 0),
        ("word", 1),
        ("longer", 2),
        ("two words", 2),
        ("12345", 2),
        ("a  b", 3),
        ("f(x)\n", 5),
        ("é", 1),
        ("日本", 3),
        ("\ud800", 2),
    ],
)
def test_the_documented_table_holds(text: str, tokens: int) -> None:
    assert estimate_tokens(text) == tokens


@given(st.text(), st.text())
def test_more_text_never_costs_less(a: str, b: str) -> None:
    """Appending never lowers the estimate, and joining two texts costs at most one token more than both."""
    assert estimate_tokens(a) <= estimate_tokens(a + b) <= estimate_tokens(a) + estimate_tokens(b) + 1


@given(st.text())
def test_the_estimate_is_bounded_by_the_bytes(text: str) -> None:
    assert 0 <= estimate_tokens(text) <= len(text.encode())


@given(st.lists(st.text()))
def test_a_conversation_costs_its_messages(contents: list[str]) -> None:
    assert estimate_message_tokens(contents) == sum(map(estimate_tokens, contents)) + MESSAGE_TOKENS * len(contents)
